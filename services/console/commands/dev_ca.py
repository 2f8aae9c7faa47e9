"""`sevenstud dev-ca`: a development certificate authority, with certificates for services and callers."""

import argparse
from pathlib import Path

from services.console.adapters.dev_pki import CONSOLE, PkiFault, make_pki
from services.console.commands.running import EXIT_OK, CommandFailed, Commands, Environ, finish
from services.console.domain.suite_plan import SERVICES
from shared.rpc.identity import ID

DAYS_MOST = 300


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "dev-ca",
        help="make certificates and a token key for development",
        description=(
            "Makes a certificate authority in a folder, a certificate for each of the five services and for callers, "
            "and a key to sign tokens with. Run again it renews every certificate; services that run take the new ones "
            "up without a restart. For development: in production the house's own authority and identity provider do "
            "this."
        ),
    )
    parser.add_argument("--pki", type=Path, default=Path("data/pki"), metavar="DIR", help="default: %(default)s")
    parser.add_argument(
        "--caller",
        action="append",
        default=[],
        type=_name,
        metavar="NAME",
        help="a caller's certificate too; repeat it",
    )
    parser.add_argument("--days", type=_days, default=30, metavar="N", help="how long they last (default: %(default)s)")
    parser.add_argument("--new-token-key", action="store_true", help="sign tokens with a new key from now on")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Make or renew them, and say what to do with them."""
    del environ
    return finish(_make(options))


async def _make(options: argparse.Namespace) -> int:
    try:
        pki = make_pki(options.pki, options.caller, days=options.days, new_token_key=options.new_token_key)
    except PkiFault as fault:
        raise CommandFailed(str(fault)) from None
    print(f"authority     {pki.authority}")
    for service in SERVICES:
        print(f"service       {pki.service(service).certificate}")
    for name in sorted(path.stem for path in (pki.folder / "callers").glob("*.pem")):
        print(f"caller        {pki.caller(name).certificate}")
    print(f"token keys    {pki.token_keys}\n")
    print(f"  sevenstud token --pki {pki.folder} --caller {CONSOLE} --role operator --id me    signs a token")
    return EXIT_OK


def _name(text: str) -> str:
    if not ID.fullmatch(text) or text.startswith("."):
        raise argparse.ArgumentTypeError(f"{text} is no name: 1 to 64 of A-Z a-z 0-9 . _ : @ -, no dot first")
    return text


def _days(text: str) -> int:
    value = int(text)
    if not 1 <= value <= DAYS_MOST:
        raise argparse.ArgumentTypeError(f"{value} is not allowed: from 1 to {DAYS_MOST} days")
    return value
