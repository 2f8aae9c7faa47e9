"""Reads the actions of a Poker Hand History record."""

import re

from services.console.domain.recorded_hand import RecordedAction, RecordedKind
from shared.kernel.cards import FACE_DOWN, Card, parse_card

_PLAYER = re.compile(r"p([1-9][0-9]*)")
_WORDS = {
    "pb": RecordedKind.BRING_IN,
    "cbr": RecordedKind.WAGER,
    "cc": RecordedKind.CHECK_OR_CALL,
    "f": RecordedKind.FOLD,
    "sm": RecordedKind.SHOW_OR_MUCK,
}
_MOST_CARDS = 7


def parse_action(text: str, number: int, line: int, players_count: int) -> RecordedAction | None:
    """One action; None for a mere remark. ValueError says what is wrong."""
    words = text.split("#", 1)[0].split()
    if not words:
        return None
    kind, player, rest = _head(words, players_count)
    amount = _amount(rest) if kind is RecordedKind.WAGER else 0
    cards = () if kind is RecordedKind.WAGER else _cards("".join(rest))
    _check_cards(kind, cards)
    return RecordedAction(
        number=number, text=text, line=line, kind=kind, player=player, amount_chips=amount, cards=cards
    )


def _head(words: list[str], players_count: int) -> tuple[RecordedKind, int, list[str]]:
    """Kind, player, and the words that follow."""
    if words[0] != "d":
        player = _player(words[0], players_count)
        if len(words) < 2 or words[1] not in _WORDS:  # noqa: PLR2004 - a player and a word
            raise ValueError(f"after {words[0]} one of {', '.join(_WORDS)} is expected")
        return _WORDS[words[1]], player, words[2:]
    if words[1:2] == ["db"]:
        return RecordedKind.DEAL_COMMON, 0, words[2:]
    if words[1:2] == ["dh"] and len(words) > 2:  # noqa: PLR2004 - d, dh and a player
        return RecordedKind.DEAL_PLAYER, _player(words[2], players_count), words[3:]
    raise ValueError("after d, 'dh pN CARDS' or 'db CARD' is expected")


def _player(word: str, players_count: int) -> int:
    found = _PLAYER.fullmatch(word)
    if found is None or int(found[1]) > players_count:
        raise ValueError(f"{word!r} is no player: p1 to p{players_count} are dealt in")
    return int(found[1])


def _amount(words: list[str]) -> int:
    whole, _, rest = words[0].partition(".") if len(words) == 1 else ("", "", "")
    if not whole.isdecimal() or rest.strip("0"):
        raise ValueError("cbr needs one whole amount, the total on the street")
    return int(whole)


def _cards(text: str) -> tuple[Card, ...]:
    """Cards of a run of text; ``??`` is a card that is not known, ``-`` alone is none."""
    if text in {"", "-"}:
        return ()
    text = text.replace("10", "T")
    if len(text) % 2:
        raise ValueError(f"{text!r} is no run of cards: each has a rank and a suit, or is ??")
    parts = [text[at : at + 2] for at in range(0, len(text), 2)]
    return tuple(FACE_DOWN if part == "??" else parse_card(part) for part in parts)


def _check_cards(kind: RecordedKind, cards: tuple[Card, ...]) -> None:
    if kind is RecordedKind.DEAL_PLAYER and not 1 <= len(cards) <= _MOST_CARDS:
        raise ValueError("a deal to a player names 1 to 7 cards")
    if kind is RecordedKind.DEAL_COMMON and len(cards) != 1:
        raise ValueError("d db names the one shared card")
    if kind not in {RecordedKind.DEAL_PLAYER, RecordedKind.DEAL_COMMON, RecordedKind.SHOW_OR_MUCK} and cards:
        raise ValueError("this action names no cards")
