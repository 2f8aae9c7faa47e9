"""Settings of the console, from SEVENSTUD_CONSOLE_... variables: needed only where the services demand TLS."""

from collections.abc import Mapping

from services.console.adapters.credentials import Credentials
from services.console.adapters.token_signing import TokenSigner
from shared.config.env import Env
from shared.rpc.certificates import CertificateFault, CertificatePaths, load_certificates

_PATHS = {"certificate": "CERTIFICATE", "private_key": "PRIVATE_KEY", "authorities": "SERVER_CA"}
_TOKENS = ("TOKEN_SIGNING_KEY", "TOKEN_FILE")


def credentials_from_env(environ: Mapping[str, str]) -> Credentials | None:
    """The console's certificate (CERTIFICATE, PRIVATE_KEY), whom it trusts (SERVER_CA), and its tokens.

    TOKEN_SIGNING_KEY: a key to sign them with, as in development; or TOKEN_FILE: a file that holds one. None where
    nothing is set. SettingsFault names everything that is wrong.
    """
    env = Env("console", environ)
    given = {name: env.optional_path(name) for name in (*_PATHS.values(), *_TOKENS)}
    if not any(given.values()):
        env.check()
        return None
    certificate, private_key, authorities = (given[name] for name in _PATHS.values())
    for name in _PATHS.values():
        if given[name] is None:
            env.fault(name, "is required: TLS needs CERTIFICATE, PRIVATE_KEY and SERVER_CA")
    signing_key, token_file = (given[name] for name in _TOKENS)
    if (signing_key is None) == (token_file is None):
        env.fault("TOKEN_FILE", "or TOKEN_SIGNING_KEY is required, and only one of them")
    signer = None
    if signing_key is not None:
        try:
            signer = TokenSigner.read(signing_key)
        except (OSError, ValueError, TypeError) as fault:
            env.fault("TOKEN_SIGNING_KEY", f"cannot be read: {fault}")
    paths = None
    if certificate is not None and private_key is not None and authorities is not None:
        paths = CertificatePaths(certificate=certificate, private_key=private_key, authorities=authorities)
        _check(env, paths)
    env.check()
    return None if paths is None else Credentials(paths, signer, token_file)


def _check(env: Env, paths: CertificatePaths) -> None:
    try:
        load_certificates(paths)
    except CertificateFault as fault:
        for name, problem in fault.faults:
            env.fault(_PATHS[name], problem)
