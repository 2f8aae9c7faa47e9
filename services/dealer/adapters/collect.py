"""Decks for a test laboratory, made by the functions that deal the hands: ``python -m services.dealer collect``.

Final outcomes (a deck a line, as cards or as a hash) or the raw stream that shuffles take their bytes from. No hand is
opened and no database is touched.
"""

import argparse
import hashlib
import itertools
from collections.abc import Sequence
from typing import BinaryIO

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.commitment import fix_deck
from services.dealer.domain.hand import HandTerms
from services.dealer.domain.rules import dealing_rules, rules_digest
from services.dealer.domain.stream import BLOCK_SIZE, byte_stream
from shared.kernel.cards import cards_text
from shared.kernel.rules.presets import PRESETS


def collect(arguments: Sequence[str], out: BinaryIO) -> int:
    """Write what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m services.dealer collect", description="Decks for a laboratory.")
    parser.add_argument("--decks", type=int, default=1000, help="how many decks, each from a fresh seed")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--hash", action="store_true", help="SHA-256 of each deck, to look for repeats")
    form.add_argument("--raw", action="store_true", help="272 raw bytes of the stream of each deck, no line ends")
    chosen = parser.parse_args(arguments)
    entropy = SystemEntropy()
    try:
        for number in range(1, chosen.decks + 1):
            seed = entropy.seed()
            out.write(_raw(seed) if chosen.raw else _line(number, seed, hashed=chosen.hash))
        out.flush()
    except BrokenPipeError:
        return 1  # the reader has seen enough
    return 0


def _raw(seed: bytes) -> bytes:
    return bytes(itertools.islice(byte_stream(seed, b"deck"), BLOCK_SIZE))


def _line(number: int, seed: bytes, *, hashed: bool) -> bytes:
    cards = cards_text(fix_deck(_terms(number), seed, ()).cards).encode()
    return (hashlib.sha256(cards).hexdigest().encode() if hashed else cards) + b"\n"


def _terms(number: int) -> HandTerms:
    """A hand of eight that is never played."""
    rules = PRESETS["regulated_tournament"].hand
    return HandTerms(
        hand_id=f"collect-{number}",
        table_id="collect",
        hand_number=number,
        seats=tuple(range(1, 9)),
        entropy_seats=(),
        rules=dealing_rules(rules),
        rules_digest=rules_digest(rules),
        scripted=False,
    )
