"""`sevenstud verify`: prove that the shown cards of a hand were committed to before it began."""

import argparse
from dataclasses import replace
from pathlib import Path

from services.console.adapters.calls import Away, Refused, connect
from services.console.adapters.hand_records import (
    FileRefused,
    HandRecords,
    ask_dealer,
    ask_own,
    ask_table,
    read_records,
)
from services.console.commands.running import (
    DEFAULT_ORCHESTRATOR,
    EXIT_OK,
    CommandFailed,
    Commands,
    Environ,
    finish,
)
from services.console.domain.fair_check import check
from services.console.domain.fair_record import Mismatch
from services.console.domain.fair_words import told
from services.console.domain.suite_plan import BASE_PORT
from shared.kernel.caller import Role
from shared.kernel.errors import Reason
from shared.kernel.seat_keys import PUBLIC_KEY_BYTES

DEFAULT_DEALER = f"127.0.0.1:{BASE_PORT + 1}"
PATIENCE_SECONDS = 2.0


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "verify",
        help="prove the cards of a played hand",
        description=(
            "Proves that every card that was shown in a hand was committed to before its first action and dealt by the "
            "published rules, and says what stays hidden. Takes what the dealer recorded and what the table published, "
            "or one of them. Exit code 0 only if all of it holds."
        ),
    )
    parser.add_argument("hand", metavar="HAND_ID|FILE", help="a hand, or a file ending in .json that --export wrote")
    parser.add_argument(
        "--dealer", default=DEFAULT_DEALER, metavar="HOST:PORT", help="default: %(default)s; '' = do not ask"
    )
    parser.add_argument(
        "--orchestrator",
        default=DEFAULT_ORCHESTRATOR,
        metavar="HOST:PORT",
        help="default: %(default)s; '' = do not ask",
    )
    own = parser.add_mutually_exclusive_group()
    own.add_argument(
        "--seat", type=int, metavar="N", help="prove the down cards of this seat too (needs the role service)"
    )
    own.add_argument("--player", default="", metavar="ID", help="as this player: prove the own down cards too")
    own.add_argument(
        "--own",
        type=Path,
        metavar="FILE",
        help="prove the down cards in this answer of GetOpenings, or of GetHand to a player, too",
    )
    parser.add_argument(
        "--seat-key",
        type=_public_key,
        default=b"",
        metavar="HEX",
        help="the X25519 public key that the player registered: prove that the dealer sealed the down cards to it",
    )
    parser.add_argument(
        "--export", type=Path, metavar="FILE", help="keep what was checked in a file, for any other verifier"
    )
    parser.set_defaults(run=run)


def _public_key(text: str) -> bytes:
    """The key in bytes; ValueError for what is none."""
    key = bytes.fromhex(text)
    if len(key) != PUBLIC_KEY_BYTES:
        raise ValueError(f"a key has {PUBLIC_KEY_BYTES} bytes")
    return key


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Check, print, and say by the exit code whether it holds."""
    del environ
    return finish(_verify(options, Path(options.hand)))


async def _verify(options: argparse.Namespace, named: Path) -> int:
    """The report, or CommandFailed with what does not hold."""
    try:
        records = read_records(named) if named.suffix == ".json" else (await _asked(options)).of_hand(options.hand)
        records = replace(records, seat_key=options.seat_key)
        if options.own is not None:
            records = records.with_own(options.own)
        if options.export is not None:
            records.write(options.export)
        evidence = records.evidence()
        proven = check(evidence)
    except FileRefused as fault:
        raise CommandFailed(str(fault)) from None
    except Mismatch as fault:
        raise CommandFailed(f"{named}: NOT PROVED: {fault}") from None
    print("\n".join(told(evidence, proven)))
    return EXIT_OK


async def _asked(options: argparse.Namespace) -> HandRecords:
    """The answers of dealer and table; one of them is enough, and the report says what that leaves open."""
    proof = hand = own = None
    missing: list[str] = []
    try:
        if options.dealer:
            async with connect(options.dealer, Role.AUDITOR, "console", PATIENCE_SECONDS) as line:
                proof = await ask_dealer(line, options.hand)
    except (Away, Refused) as failure:
        missing.append(_why("the dealer", failure))
    try:
        if options.orchestrator:
            role, name = (Role.PLAYER, options.player) if options.player else (Role.OBSERVER, "console")
            async with connect(options.orchestrator, role, name, PATIENCE_SECONDS) as line:
                hand = await ask_table(line, options.hand)
    except (Away, Refused) as failure:
        missing.append(_why("the table", failure))
    if proof is None and hand is None:
        raise CommandFailed("; ".join(missing) or "say whom to ask: --dealer, --orchestrator")
    if options.seat is not None:
        async with connect(options.dealer, Role.SERVICE, "console", PATIENCE_SECONDS) as line:
            own = await ask_own(line, options.hand, options.seat)
    return HandRecords(proof, hand, own, options.player)


def _why(who: str, failure: Away | Refused) -> str:
    if isinstance(failure, Refused) and failure.reason is Reason.NOT_FOUND:
        return f"{who} does not know this hand"
    return f"{who}: {failure}"
