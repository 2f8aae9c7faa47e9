"""`sevenstud token`: sign a token for development."""

import argparse
from pathlib import Path

from services.console.adapters.dev_pki import CONSOLE, Pki
from services.console.adapters.token_signing import TOKEN_SECONDS, TokenSigner
from services.console.commands.running import EXIT_OK, CommandFailed, Commands, Environ, finish
from shared.kernel.caller import Caller, Role
from shared.rpc.certificates import CertificateFault, load_certificates
from shared.rpc.identity import ID

SECONDS_MOST = 900
_ROLES = [role.value for role in Role if role is not Role.SERVICE]


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "token",
        help="sign a token for development",
        description=(
            "Signs a token with the key of `sevenstud dev-ca`, bound to a caller's certificate: it is worth nothing "
            "without that certificate's private key. Prints the token alone, as in "
            '-H "authorization: Bearer $(sevenstud token --role backend --id lobby --caller lobby)".'
        ),
    )
    parser.add_argument("--role", required=True, choices=_ROLES, help="what the caller is to the suite")
    parser.add_argument("--id", required=True, metavar="ID", help="player id, or the name of the operator or back end")
    parser.add_argument(
        "--players", default="", metavar="PREFIX", help="a back end's players: ids that begin with this"
    )
    parser.add_argument("--caller", default=CONSOLE, metavar="NAME", help="whose certificate (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=_seconds, default=TOKEN_SECONDS, metavar="N", help="how long it lives (default: %(default)s)"
    )
    parser.add_argument("--pki", type=Path, default=Path("data/pki"), metavar="DIR", help="default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Sign it and print it."""
    del environ
    return finish(_sign(options))


async def _sign(options: argparse.Namespace) -> int:
    pki = Pki(options.pki)
    if not ID.fullmatch(options.id):
        raise CommandFailed("--id is no id: 1 to 64 of A-Z a-z 0-9 . _ : @ -")
    if options.players and options.role != Role.BACKEND:
        raise CommandFailed("--players is for back ends: others have no players")
    try:
        certificates = load_certificates(pki.caller(options.caller))
        signer = TokenSigner.read(pki.signing_key)
    except (CertificateFault, OSError, ValueError) as fault:
        how = f"sevenstud dev-ca --pki {pki.folder} --caller {options.caller} makes it"
        raise CommandFailed(f"no certificate or key in {pki.folder} ({fault}); {how}") from None
    caller = Caller(Role(options.role), options.id, options.players)
    print(signer.sign(caller, certificates.thumbprint, options.seconds).text)
    return EXIT_OK


def _seconds(text: str) -> int:
    value = int(text)
    if not 1 <= value <= SECONDS_MOST:
        raise argparse.ArgumentTypeError(f"{value} is not allowed: from 1 to {SECONDS_MOST} seconds")
    return value
