"""Lots: a random order of entries, from a seed of its own that is opened with the result (rules 155-160)."""

from dataclasses import dataclass

from services.dealer.domain.commitment import seed_commitment
from services.dealer.domain.opening import invalid
from services.dealer.domain.shuffle import SHUFFLE_VERSION, shuffle
from services.dealer.domain.stream import byte_stream, derive, packed

ENTRIES_MAX = 10_000
ENTRY_LENGTH_MAX = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawLots:
    """What is drawn for."""

    purpose: str
    subject_id: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lots:
    """The lots as drawn: anybody can draw them again from the seed."""

    drawn: tuple[str, ...]
    draw_id: str
    seed: bytes
    seed_commitment: bytes
    shuffle_version: str


def check_lots(command: DrawLots) -> None:
    """Refuse entries that could not be told apart."""
    if len(command.entries) > ENTRIES_MAX:
        raise invalid("entries", f"at most {ENTRIES_MAX}")
    if len(set(command.entries)) != len(command.entries):
        raise invalid("entries", "all different")
    if any(not 0 < len(entry) <= ENTRY_LENGTH_MAX for entry in command.entries):
        raise invalid("entries", f"1 to {ENTRY_LENGTH_MAX} characters each")


def draw_lots(command: DrawLots, draw_id: str, seed: bytes) -> Lots:
    """The entries in the order drawn, by the shuffle that decks are shuffled with."""
    bound = packed(SHUFFLE_VERSION.encode(), command.purpose.encode(), command.subject_id.encode(), draw_id.encode())
    entries = packed(*(entry.encode() for entry in command.entries))
    key = derive(seed, b"", packed(b"lots", bound, entries))
    return Lots(
        drawn=shuffle(command.entries, byte_stream(key, b"lots")),
        draw_id=draw_id,
        seed=seed,
        seed_commitment=seed_commitment(draw_id, seed),
        shuffle_version=SHUFFLE_VERSION,
    )
