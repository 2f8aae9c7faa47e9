"""A finished hand as text in the Poker Hand History format (variant F7S), with the cards that the viewer may see.

Players are p1 to pn clockwise from dealer's left. Fields of our own start with an underscore: the id, the rake, whether
any player's open pair doubled fourth street, the structure where it is not limit, and the preset whose rules were
played, where they were nobody's own. The format has no word for a hand that the clock froze, nor for one that was void:
``_frozen`` names the players, ``_voided`` says so, and a reader knows that the rest cannot be played again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from services.orchestrator.domain import hand_facts as fact
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.hand import Hand, HandSeat
from services.orchestrator.domain.visibility import Sight
from services.orchestrator.domain.wagering import ActionCause, ActionKind
from shared.kernel.cards import FACE_DOWN, Card, card_text, cards_text
from shared.kernel.game import Street, Structure
from shared.kernel.rules import HandRules, OpenPairFourth
from shared.kernel.rules.presets import PRESETS

_FIRST_DOWN_COUNT = 2
_WORDS: Mapping[ActionKind, str] = {
    ActionKind.FOLD: "f",
    ActionKind.CHECK: "cc",
    ActionKind.CALL: "cc",
    ActionKind.BRING_IN: "pb",
}
_OPEN_PAIR: Mapping[OpenPairFourth, str] = {OpenPairFourth.ANY_PLAYER: "true", OpenPairFourth.OFF: "false"}
"""Where only the pair's holder may use the upper limit the field would be half true, so it is left out."""
_REMARKS: Mapping[ActionCause, str] = {
    ActionCause.CLOCK: " # timeout",
    ActionCause.ABSENT: " # absent",
    ActionCause.DISCONNECTED: " # disconnected",
}


def phh_text(hand: Hand, events: Iterable[Recorded], sight: Sight) -> str:
    """The text of one hand; a card that the viewer may not see is ``??``."""
    facts = [event.fact for event in events]
    actions = [line for happened in facts for line in _actions(happened, hand, sight)]
    won = _winnings(hand, facts)
    fields = [
        ("variant", "'F7S'"),
        ("antes", _list(hand.stakes.ante_chips for _ in hand.seats)),
        ("bring_in", str(hand.stakes.bring_in_chips)),
        ("small_bet", str(hand.stakes.lower_limit_chips)),
        ("big_bet", str(hand.stakes.upper_limit_chips)),
        ("starting_stacks", _list(seat.start_chips for seat in hand.seats)),
        ("actions", "".join(["[\n", *(f"  '{line}',\n" for line in actions), "]"])),
        ("finishing_stacks", _list(seat.stack_chips for seat in hand.seats)),
        ("winnings", _list(won[seat.seat] for seat in hand.seats)),
        ("players", _list(f"'{seat.player_id}'" for seat in hand.seats)),
        ("seats", _list(seat.seat for seat in hand.seats)),
        ("_id", f"'{hand.hand_id}'"),
        ("_rake", str(hand.rake_chips)),
    ]
    if hand.rules.open_pair_fourth in _OPEN_PAIR:
        fields.append(("_open_pair", _OPEN_PAIR[hand.rules.open_pair_fourth]))
    if hand.rules.structure is not Structure.LIMIT:
        fields.append(("_structure", f"'{hand.rules.structure.lower()}'"))
    preset = _preset(hand.rules)
    if preset is not None:
        fields.append(("_preset", f"'{preset}'"))
    frozen = [f"'{_player(hand, seat.seat)}'" for seat in hand.seats if seat.frozen]
    if frozen:
        fields.append(("_frozen", _list(frozen)))
    if hand.voided:
        fields.append(("_voided", "true"))
    return "".join(f"{name} = {value}\n" for name, value in fields)


def _preset(rules: HandRules) -> str | None:
    """The preset that these rules are, but for what the record itself tells."""
    return next((name for name, each in PRESETS.items() if _untold(each.hand) == _untold(rules)), None)


def _untold(rules: HandRules) -> HandRules:
    """The rules without what a record tells: structure, antes, amounts, the open pair."""
    return replace(
        rules,
        modes_allowed=(),
        structures_allowed=(),
        structure=Structure.LIMIT,
        upper_is_double=True,
        ante_required=True,
        bring_in_max_basis_points=0,
        open_pair_fourth=OpenPairFourth.OFF,
    )


def _actions(happened: object, hand: Hand, sight: Sight) -> Iterator[str]:
    match happened:
        case fact.StreetDealt():
            yield from _dealt(happened, hand, sight)
        case fact.ActionTaken():
            yield _action(happened, hand)
        case fact.SeatFrozen():
            yield f"# {_player(hand, happened.seat)} frozen by the clock"
        case fact.HandShown() if happened.best_five or not hand.showdown:
            yield f"{_player(hand, happened.seat)} sm {cards_text(happened.cards)}"
        case fact.HandMucked():
            yield f"{_player(hand, happened.seat)} sm"
        case _:
            return


def _dealt(dealt: fact.StreetDealt, hand: Hand, sight: Sight) -> Iterator[str]:
    if dealt.common_card is not None:
        yield f"d db {card_text(dealt.common_card)}"
    for each in dealt.seats:
        down = _down_cards(hand.seat(each.seat), dealt.street, each.down_count, sight)
        yield f"d dh {_player(hand, each.seat)} {cards_text((*down, *each.up_cards))}"


def _down_cards(seat: HandSeat, street: Street, count: int, sight: Sight) -> tuple[Card, ...]:
    """Known to the viewer, or known to everybody because they were shown; else face down."""
    if not count:
        return ()
    shown = seat.shown_cards[:_FIRST_DOWN_COUNT] if street is Street.THIRD else seat.shown_cards[-1:]
    complete = street is Street.THIRD or len(seat.shown_cards) > _FIRST_DOWN_COUNT + len(seat.up_cards)
    if len(shown) == count and complete:
        return shown
    known = sight.down(seat.seat, street, count)
    return known if len(known) == count else (FACE_DOWN,) * count


def _action(taken: fact.ActionTaken, hand: Hand) -> str:
    word = _WORDS.get(taken.kind) or f"cbr {taken.to_chips}"
    return f"{_player(hand, taken.seat)} {word}{_REMARKS.get(taken.cause, '')}"


def _winnings(hand: Hand, facts: Iterable[object]) -> dict[int, int]:
    """What each seat collected from the pots."""
    won = {seat.seat: 0 for seat in hand.seats}
    for happened in facts:
        if isinstance(happened, fact.PotAwarded):
            for share in happened.award.shares:
                won[share.seat] += share.chips
    return won


def _player(hand: Hand, seat: int) -> str:
    return f"p{[each.seat for each in hand.seats].index(seat) + 1}"


def _list(values: Iterable[int | str]) -> str:
    return f"[{', '.join(str(value) for value in values)}]"
