"""TLS at the port: our certificate shown, the other side's demanded, both renewed without a restart."""

from typing import cast

import grpc

from shared.rpc.certificates import CertificateFiles, CertificatePaths, Certificates


def server_credentials(paths: CertificatePaths) -> grpc.ServerCredentials:
    """Of a port that takes nobody without a certificate; every handshake looks whether the files have changed."""
    files = CertificateFiles(paths)

    def renewed() -> grpc.ServerCertificateConfiguration:
        fresh = _configuration(files.current) if files.renew() else None
        return cast("grpc.ServerCertificateConfiguration", fresh)  # None, as gRPC's own words allow: as it was

    return grpc.dynamic_ssl_server_credentials(
        _configuration(files.current), renewed, require_client_authentication=True
    )


def channel_credentials(certificates: Certificates) -> grpc.ChannelCredentials:
    """Of a channel that shows this certificate."""
    return grpc.ssl_channel_credentials(certificates.authorities, certificates.private_key, certificates.chain)


def _configuration(certificates: Certificates) -> grpc.ServerCertificateConfiguration:
    pairs = [(certificates.private_key, certificates.chain)]
    return grpc.ssl_server_certificate_configuration(pairs, certificates.authorities)
