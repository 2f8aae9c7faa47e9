"""A recorded hand as requests of the public contracts: the rules, the stakes, the scripted cards."""

from collections.abc import Sequence
from typing import cast

from sevenstud.common.v1.card_pb2 import Card as WireCard
from sevenstud.common.v1.game_pb2 import MODE_CASH, Structure
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.common.v1.rule_options_pb2 import (
    ANTE_TOGGLE_OFF,
    BUY_IN_RANGE,
    OPEN_PAIR_FOURTH_ANY_PLAYER,
    OPEN_PAIR_FOURTH_OFF,
)
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import RakeCap, RuleSet, Stakes
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.calls import new_request_id
from services.console.adapters.rule_fields import apply_overrides
from services.console.domain.recorded_hand import RecordedHand
from services.console.domain.replay_cards import KnownCards
from services.console.domain.rule_overrides import Override

_MOST_CHIPS = 10**15
_PATIENT_SECONDS = 3600
_WHOLE_BASIS_POINTS = 10_000
_BRING_IN_BASIS_POINTS = 9_999  # any bring-in below the lower limit
CURRENCY = "EUR"


def open_table(
    hand: RecordedHand, cards: KnownCards, preset: str, overrides: Sequence[Override]
) -> pb.OpenTableRequest:
    """A paused cash table that plays this one hand under these rules and with these cards."""
    return pb.OpenTableRequest(
        request_id=new_request_id(),
        name=f"replay of {hand.name}"[:100],
        rules=RuleSelection(preset=preset, overrides=_rules(hand, overrides)),
        stakes=Stakes(
            ante_chips=hand.ante_chips,
            bring_in_chips=hand.bring_in_chips,
            lower_limit_chips=hand.lower_limit_chips,
            upper_limit_chips=hand.upper_limit_chips,
        ),
        chip_value=Money(amount_minor=1, currency=CURRENCY),
        start_paused=True,
        hands_max=1,
        scripted_hands=[_script(cards)],
    )


def _rules(hand: RecordedHand, overrides: Sequence[Override]) -> RuleSet:
    """What the record itself says about its rules, then what the caller set."""
    rules = RuleSet()
    rules.hand.structure = Structure.Value(f"STRUCTURE_{hand.structure}")
    rules.hand.structures_allowed.append(rules.hand.structure)
    rules.hand.modes_allowed.append(MODE_CASH)
    rules.hand.upper_is_double = hand.upper_limit_chips == 2 * hand.lower_limit_chips
    rules.hand.ante_required = hand.ante_chips > 0
    rules.hand.bring_in_max_basis_points = _BRING_IN_BASIS_POINTS
    if hand.open_pair is not None:
        rules.hand.open_pair_fourth = OPEN_PAIR_FOURTH_ANY_PLAYER if hand.open_pair else OPEN_PAIR_FOURTH_OFF
    rules.clock.decision_seconds = _PATIENT_SECONDS
    rules.clock.showdown_seconds = 0
    rules.cash.buy_in = BUY_IN_RANGE
    rules.cash.buy_in_min_chips = 1
    rules.cash.buy_in_max_chips = _MOST_CHIPS
    rules.cash.cash_stake_cap_minor = 0
    rules.cash.ante_toggle = ANTE_TOGGLE_OFF
    if hand.rake_chips:
        rules.cash.rake.basis_points = _WHOLE_BASIS_POINTS
        rules.cash.rake.unit_chips = 1
        rules.cash.rake.no_fourth_street_no_rake = False
        rules.cash.rake.caps.append(RakeCap(players_min=1, cap_chips=hand.rake_chips))
    apply_overrides(rules, overrides)
    return rules


def _script(cards: KnownCards) -> pb.ScriptedHand:
    script = pb.ScriptedHand(
        seats=[
            pb.ScriptedSeat(seat=player, cards=[_wire(card) for card in held])
            for player, held in cards.by_player.items()
        ]
    )
    if cards.common_card is not None:
        script.common_card = _wire(cards.common_card)
    return script


def _wire(card: int) -> WireCard.ValueType:
    """The card on the wire: the same number."""
    return cast("WireCard.ValueType", card)
