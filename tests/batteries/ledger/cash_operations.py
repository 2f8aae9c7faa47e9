"""Random requests about cash tables: buying in, playing with rake, cashing out, and what is wrong with each."""

from sevenstud.common.v1.rule_options_pb2 import BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN, CASH_ADD_WHEN_BUSTED
from sevenstud.common.v1.rules_pb2 import CashRules
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests.batteries.ledger.results import random_results
from tests.batteries.ledger.wallet_operations import money
from tests.batteries.ledger.world import Game, World
from tests.support.ledger_house import card_room_cash

GAMES_MAX = 4
BUY_INS = (40, 100, 200)


def _rules(world: World, buy_in_chips: int) -> CashRules:
    rules = card_room_cash()
    rules.buy_in_min_chips = rules.buy_in_max_chips = buy_in_chips
    rules.cash_add = world.rng.choice((CASH_ADD_WHEN_BUSTED, CASH_ADD_BELOW_BUY_IN))
    rules.cash_stake_cap_minor = world.rng.choice((0, 100_000, 15 * buy_in_chips, 15 * buy_in_chips))
    if world.rng.random() < 0.3:
        rules.buy_in = BUY_IN_RANGE
        rules.buy_in_max_chips = world.rng.choice((buy_in_chips * 2, buy_in_chips - 1))
    return rules


async def open_table(world: World) -> None:
    """A table is opened; once in a while one that exists already."""
    if world.games and world.rng.random() < 0.4:
        table_id, buy_in_chips = world.rng.choice(world.games).table_id, 77
    elif len(world.games) >= GAMES_MAX:
        return
    else:
        table_id, buy_in_chips = world.name("cash"), world.rng.choice(BUY_INS)
    request = pb.OpenCashTableRequest(
        request_id=world.fresh(), table_id=table_id, rules=_rules(world, buy_in_chips), chip_value=money(world, 10)
    )
    if await world.send("OpenCashTable", request) is not None and not any(
        game.table_id == table_id for game in world.games
    ):
        world.games.append(Game(table_id, buy_in_chips))


def _game(world: World) -> Game | None:
    if not world.games or world.rng.random() < 0.03:
        return None
    return world.rng.choice(world.games)


async def buy_in(world: World) -> None:
    """Chips are bought, at times too few, too many, or in a seat that is taken."""
    game = _game(world)
    table_id, chips = (game.table_id, game.buy_in_chips) if game else ("no-such-table", 100)
    if world.rng.random() < 0.15:
        chips = world.rng.choice((1, chips // 2, chips * 3, 10**15))
    request = pb.BuyInRequest(
        request_id=world.fresh(),
        table_id=table_id,
        player_id=world.player(),
        chips=chips,
        seat=world.rng.randint(1, 8),
    )
    await world.send("BuyIn", request)


async def cash_out(world: World) -> None:
    """Somebody leaves, who may not be there."""
    game = _game(world)
    table_id = game.table_id if game else "no-such-table"
    request = pb.CashOutRequest(request_id=world.fresh(), table_id=table_id, player_id=world.player())
    await world.send("CashOut", request)


async def play_hand(world: World) -> None:
    """A sheet and the hand that was played on it; at times of another number, or with chips out of thin air."""
    game = _game(world)
    if game is None:
        return
    number = game.hands + (1 if world.rng.random() < 0.96 else 2)
    sheet = await world.send(
        "OpenSheet", pb.OpenSheetRequest(request_id=world.fresh(), table_id=game.table_id, hand_number=number)
    )
    if sheet is None:
        return
    rake = world.rng.choice((0, 0, 1, 3))
    results = random_results(world.rng, sheet.seats, rake)
    if len(results) < 2:
        return
    hand = pb.RecordHandRequest(
        request_id=world.fresh(),
        hand_id=world.name("hand"),
        table_id=game.table_id,
        hand_number=number,
        results=results,
        rake_chips=rake if sum(each.before_chips - each.after_chips for each in results) else 0,
    )
    if world.rng.random() < 0.05:
        hand.results[0].after_chips += 1
    if await world.send("RecordHand", hand) is not None:
        game.hands = number
