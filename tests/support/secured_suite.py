"""The five services as processes with TLS on, and every kind of caller that there may and must not be."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from services.console.adapters.authority import Authority, Issued, Subject
from services.console.adapters.dev_pki import Pki, make_pki
from services.console.adapters.token_signing import TokenSigner
from shared.kernel.caller import Caller, Role
from shared.rpc.certificates import thumbprint_of

SERVICE_OF = {
    "BettingService": "betting",
    "DealerService": "dealer",
    "EvaluatorService": "evaluator",
    "TableService": "orchestrator",
    "TournamentService": "orchestrator",
    "TournamentLedgerService": "tournament_ledger",
}
STOP_SECONDS = 40.0
CALL_SECONDS = 30.0
ONE_CONNECTION = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]


@dataclass(frozen=True, slots=True)
class SecuredSuite:
    """A running suite and its authority."""

    addresses: dict[str, str]
    metrics: dict[str, str]
    pids: dict[str, int]
    folder: Path
    pki: Pki
    signer: TokenSigner
    authority: Authority
    issued: dict[str, Issued] = field(default_factory=dict[str, Issued])

    def caller(self, name: str) -> Issued:
        """The pair of a caller of the authority, made once."""
        if name not in self.issued:
            uri = f"spiffe://sevenstud.internal/caller/{name}"
            self.issued[name] = self.authority.issue(Subject(name=name, uri=uri, lasts=timedelta(days=1)))
        return self.issued[name]

    def service_pair(self, service: str) -> Issued:
        """The pair of a running service, as somebody inside could take it."""
        paths = self.pki.service(service)
        return Issued(paths.certificate.read_bytes(), paths.private_key.read_bytes())

    def token(self, caller: Caller, pair: Issued, seconds: int = 600) -> str:
        """A good token."""
        return self.signer.sign(caller, thumbprint(pair), seconds).text

    @asynccontextmanager
    async def channel(
        self, service: str, pair: Issued | None, authorities: bytes | None = None
    ) -> AsyncGenerator[grpc.aio.Channel, None]:
        """A plain channel of gRPC with this certificate; nothing of ours in between, nothing tried again."""
        async with tls_channel(self.addresses[service], pair, authorities or self.authority.certificate) as opened:
            yield opened


@asynccontextmanager
async def tls_channel(address: str, pair: Issued | None, authorities: bytes) -> AsyncGenerator[grpc.aio.Channel, None]:
    """A channel of gRPC to an address."""
    own = (None, None) if pair is None else (pair.private_key, pair.certificate)
    credentials = grpc.ssl_channel_credentials(authorities, *own)
    async with grpc.aio.secure_channel(address, credentials, options=ONE_CONNECTION) as opened:
        yield opened


@contextmanager
def secured_suite(folder: Path) -> Generator[SecuredSuite, None, None]:
    """``sevenstud up --tls`` on free ports."""
    make_pki(folder / "pki")  # so that what up prints is all there is to wait for
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    command = [sys.executable, "-m", "services.console", "up", "--tls", "--json", "--base-port", "0"]
    log = (folder / "up.log").open("wb")
    process = subprocess.Popen(
        [*command, "--data", str(folder)], env=environ, stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said, (folder / "up.log").read_text()
        services = json.loads(said)["services"]
        pki = Pki(folder / "pki")
        yield SecuredSuite(
            addresses={name: found["address"] for name, found in services.items()},
            metrics={name: found["metrics"] for name, found in services.items()},
            pids={name: found["pid"] for name, found in services.items()},
            folder=folder,
            pki=pki,
            signer=TokenSigner.read(pki.signing_key),
            authority=Authority.read(pki.authority, folder / "pki/ca.key"),
        )
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_SECONDS)
        assert process.stdout is not None
        process.stdout.close()
        log.close()


def thumbprint(pair: Issued) -> str:
    """Of a pair's certificate."""
    return thumbprint_of(x509.load_pem_x509_certificate(pair.certificate).public_bytes(Encoding.DER))


def request_of(method: MethodDescriptor, player_id: str | None) -> Message:
    """A request that nothing is done for: empty but for whom it is about, or about what there is not."""
    request = GetMessageClass(method.input_type)()
    fields: dict[str, Any] = method.input_type.fields_by_name
    if player_id is not None:
        request.player_id = player_id  # type: ignore[attr-defined]  # the caller has looked
    if method.server_streaming and "tournament_id" in fields:
        request.tournament_id = "nowhere"  # type: ignore[attr-defined]  # in the fields
    return request


async def answer_of(
    channel: grpc.aio.Channel, method: MethodDescriptor, request: Message, authorization: str | None
) -> grpc.StatusCode:
    """With which code an RPC answers; of a stream the first word counts."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    codec: dict[str, Any] = {
        "request_serializer": lambda message: message.SerializeToString(),
        "response_deserializer": GetMessageClass(method.output_type).FromString,
    }
    metadata = [] if authorization is None else [("authorization", authorization)]
    try:
        if not method.server_streaming:
            await channel.unary_unary(path, **codec)(request, metadata=metadata, timeout=CALL_SECONDS)
            return grpc.StatusCode.OK
        stream = channel.unary_stream(path, **codec)(request, metadata=metadata, timeout=CALL_SECONDS)
        await anext(aiter(stream), None)
        stream.cancel()
    except grpc.aio.AioRpcError as refused:
        return refused.code()
    return grpc.StatusCode.OK


def bearer(token: str) -> str:
    """As the authorization metadata has it."""
    return f"Bearer {token}"


OPERATOR = Caller(Role.OPERATOR, "house")


def listening(pid: int) -> set[tuple[str, int]]:
    """Addresses and ports that a process listens on, as Linux knows them; addresses in its own spelling."""
    own = {str(found.readlink()) for found in Path(f"/proc/{pid}/fd").iterdir() if found.is_symlink()}
    ports: set[tuple[str, int]] = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in own:
                address, _, port = local.partition(":")
                ports.add((address, int(port, 16)))
    return ports
