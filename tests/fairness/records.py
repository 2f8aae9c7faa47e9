"""Hands of the dealer as the JSON that a stranger would get, made through the real record and the contract."""

import random
from dataclasses import replace
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from sevenstud.common.v1.rules_pb2 import HandRules as HandRulesMessage
from sevenstud.dealer.v1.dealer_service_pb2 import GetProofResponse

from services.dealer.domain.advance import advance
from services.dealer.domain.hand import HandRecord, Question, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.proof import proof_of
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.hand_options import (
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardSource,
    Exhaustion,
    RiverBurnShortfall,
)
from shared.kernel.rules.presets import PRESETS
from shared.rpc.mirror import to_proto
from tests.support.dealer_hands import AT, Hand, a_command, deal, open_hand


def as_json(message: Message) -> dict[str, Any]:
    """The JSON form with every field."""
    found: dict[str, Any] = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return found


def rules_json(rules: HandRules) -> dict[str, Any]:
    """Rules as a table publishes them."""
    return as_json(to_proto(rules, HandRulesMessage))


def proof_json(record: HandRecord, secrets: HandSecrets) -> dict[str, Any]:
    """The answer of GetProof."""
    return as_json(to_proto(proof_of(record, secrets), GetProofResponse))


def a_random_hand(number: int) -> tuple[Hand, HandRules]:
    """A hand of random seats, rules, entropy and folds, played to its end and closed."""
    pick = random.Random(number)
    rules = PRESETS[pick.choice(("card_room", "regulated_tournament", "classic"))].hand
    rules = replace(
        rules,
        exhaustion=pick.choice(list(Exhaustion)),
        burn_streets=pick.choice([rules.burn_streets, *BurnStreets]),
        river_burn_shortfall=pick.choice(list(RiverBurnShortfall)),
        common_card_source=pick.choice(list(CommonCardSource)),
        burn_after_reshuffle=pick.choice(list(BurnAfterReshuffle)),
    )
    count = pick.choice((2, 4, 7, 8, 8, 8))
    first = pick.randint(0, 7)
    seats = sorted(pick.sample(range(1, 9), count))
    seats = [seat for seat in seats if seat > first] + [seat for seat in seats if seat <= first]
    adding = tuple(sorted(pick.sample(seats, pick.randint(0, 2))))
    command = replace(a_command(2), hand_id=f"hand-{number}", hand_number=number + 1, seats=tuple(seats), rules=rules)
    hand = open_hand(replace(command, entropy_seats=adding), seed=number)
    for seat in adding:
        hand = _ask(hand, Question(step=StepName.CONTRIBUTE_ENTROPY, seats=(seat,), payload=pick.randbytes(16)))
    live = tuple(seats)
    for street in range(5):
        if street and len(live) > 2 and pick.random() < 0.4:
            live = tuple(seat for seat in live if seat != pick.choice(live[2:]))
        hand, _ = deal(hand, live)
    hand = _ask(hand, Question(step=StepName.REVEAL_FOR_RANKING, seats=live))
    hand = _ask(hand, Question(step=StepName.OPEN_CARDS, seats=live[: pick.randint(1, len(live))]))
    return _ask(hand, Question(step=StepName.CLOSE_HAND)), rules


def _ask(hand: Hand, question: Question) -> Hand:
    return advance(hand[0], hand[1], question, AT), hand[1]
