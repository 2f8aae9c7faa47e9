"""Random wallet requests: a third of them are wrong in some way."""

from sevenstud.common.v1.money_pb2 import Money
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.caller import Caller, Role
from tests.batteries.ledger.world import World

MOST = 2**63 - 1
HOLDS_KEPT = 40


def money(world: World, amount_minor: int) -> Money:
    """An amount; now and then in a currency that few have."""
    return Money(amount_minor=amount_minor, currency="USD" if world.rng.random() < 0.03 else "EUR")


async def open_wallet(world: World) -> None:
    """A wallet for anybody, again and again."""
    currency = "USD" if world.rng.random() < 0.1 else "EUR"
    request = pb.OpenAccountRequest(
        request_id=world.fresh(), player_id=world.rng.choice(world.players), currency=currency
    )
    await world.send("OpenAccount", request)


async def deposit(world: World) -> None:
    """Money comes; now and then none, less than none, or more than there can be."""
    amount = world.rng.choice((0, -5, MOST)) if world.rng.random() < 0.1 else world.rng.randint(1, 40_000)
    request = pb.DepositRequest(request_id=world.fresh(), player_id=world.player(), amount=money(world, amount))
    await world.send("Deposit", request)


async def withdraw(world: World) -> None:
    """Money goes; often more than there is."""
    amount = world.rng.randint(1, world.rng.choice((500, 5_000, 200_000)))
    request = pb.WithdrawRequest(request_id=world.fresh(), player_id=world.player(), amount=money(world, amount))
    await world.send("Withdraw", request)


async def place_hold(world: World) -> None:
    """Money is reserved for a while; now and then for no time at all."""
    lasts = world.rng.choice((0, 31 * 86_400)) if world.rng.random() < 0.05 else world.rng.randint(1, 120)
    amount = money(world, world.rng.randint(1, 5_000))
    request = pb.PlaceHoldRequest(request_id=world.fresh(), player_id=world.player(), amount=amount)
    request.lasts.FromSeconds(lasts)
    answer = await world.send("PlaceHold", request)
    if answer is not None:
        world.holds = [*world.holds[-HOLDS_KEPT:], answer.hold_id]


async def resolve_hold(world: World) -> None:
    """A hold is posted or voided: open, resolved before, over, or unknown."""
    hold_id = world.rng.choice(world.holds) if world.holds and world.rng.random() < 0.95 else "no-such-hold"
    if world.rng.random() < 0.5:
        await world.send("PostHold", pb.PostHoldRequest(request_id=world.fresh(), hold_id=hold_id))
    else:
        await world.send("VoidHold", pb.VoidHoldRequest(request_id=world.fresh(), hold_id=hold_id))


async def let_time_pass(world: World) -> None:
    """The clock goes on, now and then backwards; holds and decisions whose time is over end."""
    world.ledger.clock.pass_seconds(world.rng.choice((0.5, 5, 20, 40, -3)))
    await world.ledger.do_chores()
    await world.check("the chores")


async def read_a_wallet(world: World) -> None:
    """A wallet is read, now and then by a player who does not own it."""
    player = world.player()
    caller = Caller(Role.PLAYER, world.rng.choice((player, "p0")))
    request = pb.GetBalanceRequest(player_id=player, currency="EUR")
    if world.rng.random() < 0.5:
        await world.send("GetBalance", request, caller)
    else:
        await world.send("ListPostings", pb.ListPostingsRequest(player_id=player, currency="EUR", page_size=3), caller)
