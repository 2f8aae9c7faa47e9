"""A hand from street to street: each step asks one or two services and turns their answers into facts (design 4)."""

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.down_cards import down_cards_of
from services.orchestrator.application.taken import Taken
from services.orchestrator.domain.clocks import bank_used_seconds, is_gone
from services.orchestrator.domain.dealing import StreetDeal
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.fold import preview
from services.orchestrator.domain.hand import Hand, OpenTurn
from services.orchestrator.domain.hand_facts import StreetCards, StreetDealt, StreetOpened
from services.orchestrator.domain.next_step import ActForAbsent, DealStreet, ExpireTurn
from services.orchestrator.domain.outcomes import TurnAnswered, outcome_facts
from services.orchestrator.domain.ranking import BoardOrder, SeatBoard, SeatDoorCard
from services.orchestrator.domain.table_facts import Presence, PresenceChanged
from services.orchestrator.domain.wagering import ActionCause, ActionKind, BettingState, Expiry
from services.orchestrator.ports import Evaluator
from shared.kernel.frozen import maker
from shared.kernel.game import Street

_turn_answered = maker(TurnAnswered)


async def deal_street(actor: TableActor, step: DealStreet) -> Taken:
    """Deal, order the boards, open the betting: one durable step, and asked again all three answer the same."""
    world, hand = actor.world, hand_of(actor)
    deal = await world.dealer.deal_street(hand.hand_id, step.street, [seat.seat for seat in hand.live])
    dealt = _dealt(step.street, deal)
    now = world.clock.now()
    table = preview(actor.table, (dealt,), now)
    board = table.hand or hand
    order = await _order(world.evaluator, board, step.street)
    outcome = await world.betting.open_street(betting_of(actor), step.street, order.seats, order.open_pair_seats)
    opened = StreetOpened(street=step.street, opening_order=order.seats, open_pair_seats=order.open_pair_seats)
    facts: tuple[Fact, ...] = (dealt, opened, *outcome_facts(table, board, outcome, now))
    return Taken(Change(facts=facts, betting=outcome.state, down_cards=down_cards_of(step.street, deal)))


def _dealt(street: Street, deal: StreetDeal) -> StreetDealt:
    """The street without its down cards."""
    return StreetDealt(
        street=street,
        seats=tuple(
            StreetCards(seat=each.seat, down_count=each.down_count, up_cards=each.up_cards) for each in deal.dealt
        ),
        common_card=deal.common_card,
        burned_count=deal.burned_count,
        source=deal.source,
    )


async def _order(evaluator: Evaluator, hand: Hand, street: Street) -> BoardOrder:
    """Who opens: the door cards on third street, the boards afterwards (rules 23-27, 79-81)."""
    if street is Street.THIRD:
        doors = [SeatDoorCard(seat=seat.seat, card=seat.up_cards[0]) for seat in hand.live]
        return BoardOrder(seats=await evaluator.order_bring_in(doors, hand.rules), open_pair_seats=())
    boards = [SeatBoard(seat=seat.seat, up_cards=seat.up_cards) for seat in hand.live]
    return await evaluator.order_boards(boards, hand.common_card, hand.rules)


async def act(actor: TableActor, turn: OpenTurn, kind: ActionKind, to_chips: int) -> Change:
    """An action exactly as asked, or the refusal of the betting service."""
    outcome = await actor.world.betting.act(betting_of(actor), turn.seat, kind, to_chips)
    now = actor.world.clock.now()
    answered = _turn_answered(turn_id=turn.turn_id, time_bank_used_seconds=bank_used_seconds(turn, now))
    return Change(facts=outcome_facts(actor.table, hand_of(actor), outcome, now, answered), betting=outcome.state)


async def act_for_absent(actor: TableActor, step: ActForAbsent) -> Taken:
    """The player is away: the rules act at once (rules 131, 144-145)."""
    return await _expire(actor, step.turn, ActionCause.ABSENT)


async def expire_turn(actor: TableActor, step: ExpireTurn) -> Taken:
    """The clock ended, or its player is gone and is not waited for (rules 130-137, 149)."""
    cause = ActionCause.DISCONNECTED if is_gone(actor.table, step.turn) else ActionCause.CLOCK
    return await _expire(actor, step.turn, cause)


async def _expire(actor: TableActor, turn: OpenTurn, cause: ActionCause) -> Taken:
    table, seat = actor.table, actor.table.seat(turn.seat)
    expiry = Expiry(
        seat=turn.seat,
        cause=cause,
        clock_rules=table.rules.clock,
        protections_used=seat.protections_used if seat else 0,
    )
    expired = await actor.world.betting.expire(betting_of(actor), expiry)
    now = actor.world.clock.now()
    answered = _turn_answered(turn_id=turn.turn_id, time_bank_used_seconds=bank_used_seconds(turn, now))
    facts = outcome_facts(table, hand_of(actor), expired.outcome, now, answered)
    if expired.sits_out and seat is not None and seat.presence is not Presence.LEAVING:
        presence = seat.presence if seat.sitting_out else Presence.TIMED_OUT
        away = PresenceChanged(seat=turn.seat, presence=presence, cause=cause, at_once=True)
        facts = (away, *facts)
    return Taken(Change(facts=facts, betting=expired.outcome.state))


def hand_of(actor: TableActor) -> Hand:
    """The hand of the table; LookupError where there is none."""
    if actor.table.hand is None:
        raise LookupError(f"no hand at {actor.table_id}")
    return actor.table.hand


def betting_of(actor: TableActor) -> BettingState:
    """The newest betting state; LookupError where it is lost."""
    if actor.betting is None:
        raise LookupError(f"the betting state of {actor.table_id} is lost")
    return actor.betting
