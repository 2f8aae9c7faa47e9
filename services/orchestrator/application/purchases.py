"""Chips for money: remembered before the ledger is asked, so that no crash leaves money between the two."""

from collections.abc import Iterable

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.passing import is_refused
from services.orchestrator.application.table_log import CommandAnswer, Purchase
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import ChipsAdded, PlayerSeated, Presence
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError
from shared.storage.database import WriteConflict
from shared.storage.requests import REQUEST_LABEL


async def look_again(actor: TableActor) -> None:
    """What was begun by other processes, or by one that is gone: their seats are taken too."""
    if actor.world.shares.shared:
        actor.buying = {each.key.request_id: each for each in await actor.world.log.purchases(actor.table_id)}


async def begin(actor: TableActor, wanted: Purchase) -> Purchase:
    """Remember the purchase and keep the seat for it; where it was begun before, it goes on as it was begun."""
    purchase = await actor.world.log.begin_purchase(actor.table_id, actor.table.version, wanted)
    actor.buying[purchase.key.request_id] = purchase
    actor.unsettled = [each for each in actor.unsettled if each.key.request_id != purchase.key.request_id]
    return purchase


async def buy(actor: TableActor, purchase: Purchase) -> int:
    """Chips of the player at the table after buying.

    A refusal ends the purchase. Whatever else goes wrong, what became of it is unknown: the table finds out later.
    """
    try:
        return await _asked(actor, purchase)
    except Exception as fault:
        if isinstance(fault, DomainError) and is_refused(fault):
            await _dropped_or_open(actor, purchase, fault)
        else:
            leave_open(actor, purchase)
        raise


async def _dropped_or_open(actor: TableActor, purchase: Purchase, refusal: DomainError) -> None:
    """Where that cannot be recorded, as on a full disk, the table asks again: the seat must not be kept for ever."""
    try:
        await drop(actor, purchase, refusal)
    except Exception:
        leave_open(actor, purchase)
        raise


async def _asked(actor: TableActor, purchase: Purchase) -> int:
    """The ledger gives the same request the same answer."""
    try:
        bought = (purchase.player_id, purchase.seat, purchase.chips, purchase.cause_id, purchase.table_version)
        return await actor.world.ledger.buy_in(actor.table_id, *bought)
    except DomainError as fault:
        if is_refused(fault):
            raise
        raise ServiceAway("tournament_ledger") from fault  # too busy, as one that is away: it may be bought or not


def leave_open(actor: TableActor, purchase: Purchase) -> None:
    """The table finds out what became of it, unless it was finished meanwhile by who asked for the same once more."""
    if purchase.key.request_id in actor.buying and purchase not in actor.unsettled:
        actor.unsettled.append(purchase)
    actor.poke()


async def drop(actor: TableActor, purchase: Purchase, refusal: DomainError) -> None:
    """Nothing was bought, and nothing will be with this request."""
    await actor.world.log.drop_purchase(actor.table_id, purchase, refusal, actor.world.clock.now())
    _forget(actor, purchase)


def _forget(actor: TableActor, purchase: Purchase) -> None:
    actor.buying.pop(purchase.key.request_id, None)
    actor.unsettled = [each for each in actor.unsettled if each.key.request_id != purchase.key.request_id]


async def settle(actor: TableActor, purchase: Purchase, chips: int) -> CommandAnswer:
    """What was bought stands at the table; recorded with the answer to whoever bought. The caller holds the lock."""
    table = actor.table
    change = Change(facts=(_bought(table, purchase, chips),), settled_purchase=purchase.key.request_id)
    answer = CommandAnswer(version=table.version + 1, table_id=table.table_id, seat=purchase.seat)
    try:
        await actor.record(change, (purchase.key, answer))
    except WriteConflict as conflict:
        if conflict.label != REQUEST_LABEL:
            raise
        await actor.record(change)  # its id was used for something else meanwhile: the chips are bought all the same
    _forget(actor, purchase)
    actor.poke()
    return answer


async def settle_unsettled(actor: TableActor) -> None:
    """Find out about purchases whose outcome is unknown; those of players in a hand wait for its end.

    With several processes those on their way elsewhere count as such: whoever asked finds its answer recorded.
    """
    if actor.world.shares.shared and (actor.unsettled or not actor.table.unbooked):
        await look_again(actor)
        actor.unsettled = list(actor.buying.values())
    await _settle(actor, actor.unsettled)


async def settle_all(actor: TableActor, player_id: str = "") -> None:
    """Those on their way too, of one player or of all: nothing is bought any more when this returns. Hold the lock."""
    await look_again(actor)
    await _settle(actor, [each for each in actor.buying.values() if player_id in {"", each.player_id}])


async def _settle(actor: TableActor, wanted: Iterable[Purchase]) -> None:
    """Ask the ledger again: the same request gets the same answer."""
    for purchase in tuple(wanted):
        if actor.table.dealt_in(purchase.player_id):
            continue
        try:
            chips = await _asked(actor, purchase)
        except DomainError as fault:
            if not is_refused(fault):
                raise
            await drop(actor, purchase, fault)
        else:
            await settle(actor, purchase, chips)


def _bought(table: Table, purchase: Purchase, chips: int) -> Fact:
    """Chips that are added come to those at the table, to which no sheet has added them (see ``start_hand.py``).

    What the ledger answered is how many there were when it sold them: since then others may have been bought, or won.
    """
    seat = table.seat_of(purchase.player_id)
    if seat is not None:
        after = seat.stack_chips + purchase.chips
        return ChipsAdded(seat=seat.seat, added_chips=purchase.chips, stack_chips=after)
    return PlayerSeated(
        seat=purchase.seat,
        player_id=purchase.player_id,
        stack_chips=chips,
        presence=Presence.PLAYING,
        auto_ante=True,
        time_bank_seconds=table.rules.clock.time_bank_seconds,
        protections_used=0,
    )
