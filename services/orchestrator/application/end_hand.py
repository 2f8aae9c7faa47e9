"""The end of a hand: showing, paying, booking, proving (design section 4, steps 6 and 7)."""

from collections.abc import Iterable

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.down_cards import cards_shown_now, down_card_openings
from services.orchestrator.application.play_hand import betting_of, hand_of
from services.orchestrator.application.taken import Taken
from services.orchestrator.domain.clocks import showdown_deadline
from services.orchestrator.domain.dealing import Opening
from services.orchestrator.domain.decisions import muck
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.hand import Hand, HandSeat
from services.orchestrator.domain.hand_facts import (
    CardOpening,
    HandBooked,
    HandShown,
    OpeningsPublished,
    ShowdownStarted,
)
from services.orchestrator.domain.next_step import (
    BookHand,
    ExposeHands,
    MuckHands,
    ProveHand,
    SettleHand,
    StartShowdown,
    betting_is_dead,
)
from services.orchestrator.domain.outcomes import settled_facts
from services.orchestrator.domain.ranking import PotToWin, SeatHand, ShowdownRanking, ShowdownToRank
from services.orchestrator.domain.sheets import booking_of, placement_facts
from services.orchestrator.domain.showing import shown, shown_at_showdown, shown_with_value
from services.orchestrator.domain.unasked import may_show_unasked
from services.orchestrator.domain.wagering import PotResult
from services.orchestrator.ports import Dealer
from shared.kernel.cards import Card
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode

PLAYERS_TO_COMPARE = 2
VOIDED = "the hand was voided"
"""What the dealer is told of every void: the same request whoever comes to ask it."""


async def expose_hands(actor: TableActor, _: ExposeHands) -> Taken:
    """All live hands lie open while the rest is dealt (rule 111)."""
    hand = hand_of(actor)
    facts = [shown(seat.seat, await _cards(actor, hand, seat)) for seat in hand.live]
    return Taken(Change(facts=tuple(facts)))


async def start_showdown(actor: TableActor, _: StartShowdown) -> Taken:
    """Compare; who wins, ties or must show first shows now, the others may choose (rules 107-110)."""
    hand = hand_of(actor)
    ranking, hands = await rank(actor, hand)
    everybody = hand.exposed or betting_is_dead(hand)
    order = tuple(step.seat for step in ranking.show_order)
    must = tuple(step.seat for step in ranking.show_order if step.must_show or everybody)
    seconds = actor.table.rules.clock.showdown_seconds
    started = ShowdownStarted(
        show_order=order,
        must_show_seats=must,
        deadline=showdown_deadline(actor.world.clock.now(), seconds) if len(must) < len(order) else None,
    )
    facts: list[Fact] = [started]
    facts += [shown_at_showdown(seat, hands[seat], ranking) for seat in must]
    return Taken(Change(facts=tuple(facts)))


async def show(actor: TableActor, hand: Hand, seat: int) -> tuple[Fact, ...]:
    """A hand that its player chose to show; where the hand is proved already, the proofs of its down cards with it."""
    happened = await _shown(actor, hand, seat)
    if not hand.proved:
        return (happened,)
    return (happened, _published(await down_card_openings(actor.world.dealer, hand.hand_id, seat)))


async def _shown(actor: TableActor, hand: Hand, seat: int) -> HandShown:
    """With its value at a showdown, or where a prize may hang on it (C45)."""
    if hand.showdown is None:
        cards = await _cards(actor, hand, hand.seat(seat))
        if may_show_unasked(actor.table, hand) is None:
            return shown(seat, cards)
        common = () if hand.common_card is None else (hand.common_card,)
        return shown_with_value(seat, cards, await actor.world.evaluator.evaluate((*cards, *common)))
    ranking, hands = await rank(actor, hand)
    return shown_at_showdown(seat, hands[seat], ranking)


async def _cards(actor: TableActor, hand: Hand, seat: HandSeat) -> tuple[Card, ...]:
    return await cards_shown_now(actor.world.dealer, hand.hand_id, seat, actor.down_cards)


async def rank(actor: TableActor, hand: Hand) -> tuple[ShowdownRanking, dict[int, SeatHand]]:
    """Winners and order of showing; asked again, the same answers come. What it knows stays here."""
    world, live = actor.world, hand.live
    revealed = await world.dealer.reveal_for_ranking(hand.hand_id, [seat.seat for seat in live])
    up_cards = {seat.seat: seat.up_cards for seat in live}
    hands = tuple(SeatHand(seat=each.seat, cards=each.cards, up_cards=up_cards[each.seat]) for each in revealed)
    ranking = await world.evaluator.rank_showdown(
        ShowdownToRank(
            hands=hands,
            common_card=hand.common_card,
            pots=tuple(PotToWin(pot_index=pot.index, eligible_seats=pot.eligible_seats) for pot in hand.pots),
            rules=hand.rules,
            last_aggressor_seat=hand.last_aggressor_seat,
            first_to_act_seat=hand.first_to_act_seat,
        )
    )
    return ranking, {each.seat: each for each in hands}


async def muck_hands(_: TableActor, step: MuckHands) -> Taken:
    """Beaten hands whose players did not choose (rule 110)."""
    return Taken(Change(facts=muck(step.seats)))


async def settle_hand(actor: TableActor, _: SettleHand) -> Taken:
    """Pay the pots to the last odd chip."""
    hand = hand_of(actor)
    results: list[PotResult] = []
    if hand.showdown is not None:
        ranking, _hands = await rank(actor, hand)
        contested = {pot.index for pot in hand.pots if len(pot.eligible_seats) >= PLAYERS_TO_COMPARE}
        results = [
            PotResult(pot_index=each.pot_index, winner_seats=each.winner_seats)
            for each in ranking.winners
            if each.pot_index in contested
        ]
    rules = actor.table.rules.cash.rake
    rake = rules if actor.table.mode is Mode.CASH and rules.basis_points else None
    settled = await actor.world.betting.settle(betting_of(actor), results, rake)
    return Taken(Change(facts=settled_facts(hand, settled), betting=settled.outcome.state))


async def book_hand(actor: TableActor, _: BookHand) -> Taken:
    """The ledger takes over as the truth; places that the hand decided are said."""
    table, hand = actor.table, hand_of(actor)
    booked = await actor.world.between_hands[table.mode].record_hand(table.table_id, booking_of(table, hand))
    facts = (HandBooked(hand_number=hand.hand_number), *placement_facts(table, booked.placements))
    return Taken(Change(facts=facts))


async def prove_hand(actor: TableActor, _: ProveHand) -> Taken:
    """The dealer opens what everybody saw. A proof that cannot be had keeps nobody from playing on."""
    hand, dealer = hand_of(actor), actor.world.dealer
    try:
        if hand.voided:
            await dealer.void_hand(hand.hand_id, VOIDED)
            return Taken(Change(facts=(OpeningsPublished(openings=()),)))
        openings = await _closed(dealer, hand)
        asked = await _shown_unheard(actor, hand, openings)
    except DomainError as refusal:
        if refusal.reason.name == "DEPENDENCY_UNAVAILABLE":
            raise
        actor.world.witness.step_failed("ProveHand", actor.table_id, refusal)
        openings, asked = (), ()
    return Taken(Change(facts=(*asked, _published(openings))))


async def _shown_unheard(actor: TableActor, hand: Hand, openings: Iterable[Opening]) -> tuple[Fact, ...]:
    """Hands that the dealer opened for who wanted to show, and whose answer never came here: its record has them."""
    opened = {each.seat for each in openings if not each.face_up}
    seats = [seat for seat in hand.seats if seat.seat in opened and not seat.shown_cards]
    return tuple([shown(seat.seat, await _cards(actor, hand, seat)) for seat in seats])


async def _closed(dealer: Dealer, hand: Hand) -> tuple[Opening, ...]:
    """The openings of what everybody saw; also of who showed when the dealer had closed it, and its answer was lost."""
    seats = [seat.seat for seat in hand.seats if seat.shown_cards]
    try:
        if seats:
            await dealer.open_cards(hand.hand_id, seats)
    except DomainError as refusal:
        if refusal.reason is not Reason.OUT_OF_STEP:
            raise
        openings = await dealer.close_hand(hand.hand_id)
        late = [each for seat in seats for each in await down_card_openings(dealer, hand.hand_id, seat)]
        return (*openings, *(each for each in late if each not in openings))
    return await dealer.close_hand(hand.hand_id)


def _published(openings: Iterable[Opening]) -> OpeningsPublished:
    return OpeningsPublished(
        openings=tuple(
            CardOpening(position=each.position, card=each.card, salt=each.salt, path=each.path, seat=each.seat)
            for each in openings
        )
    )
