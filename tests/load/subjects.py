"""What is asked of each service under load; every call is one that the game makes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.caller import Caller
from shared.rpc.identity import AUTHORIZATION_HEADER, token_of
from shared.rpc.rules import preset_messages
from tests.bench.action import STAKES, raising_table
from tests.bench.house import BACKEND, House
from tests.bench.messages import messages
from tests.load.k6 import Plan
from tests.support.servers import SERVICE

CALLERS: Final = 200
"""Calls that may wait for their answers; what should be asked meanwhile is dropped, and said."""
PLAYERS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A service under load."""

    service: str
    what: str
    """The call, for the report."""
    method: str
    """Full name of the RPC."""
    prepare: Callable[[House], Awaitable[None]]
    """Once, before the first step."""
    request: Callable[[House], Awaitable[Plan]]
    """What to ask, before each step."""
    caller: Caller
    rate: float
    """Calls a second that it must carry within the threshold unless said otherwise."""
    p99_ms: float

    async def plan(self, house: House) -> Plan:
        """What k6 is told."""
        package, _, name = self.method.partition("/")[0].rpartition(".")
        file = "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")
        return {
            "address": house.suite.address(self.service),
            "contract": f"{package.replace('.', '/')}/{file}.proto",
            "method": self.method,
            "metadata": {AUTHORIZATION_HEADER: token_of(self.caller)},
            "callers": CALLERS,
            "p99_ms": self.p99_ms,
            **await self.request(house),
        }


def written(message: Message) -> dict[str, object]:
    """A message by the names of its fields."""
    return MessageToDict(message, preserving_proto_field_name=True)


async def _nothing(_: House) -> None:
    pass


async def _hand(_: House) -> Plan:
    rules = written(preset_messages()["card_room"].hand)
    return {"kind": "hand", "request": {"hand_number": 1, "seats": [1, 2, 3, 4, 5, 6], "rules": rules}}


async def _raise(_: House) -> Plan:
    return {"kind": "same", "request": written(messages()[0])}


async def _cards(_: House) -> Plan:
    return {"kind": "same", "request": {"cards": [1, 5, 9, 13, 17, 22, 30]}}


async def _fund(house: House) -> None:
    for number in range(PLAYERS):
        await house.fund(f"load-payer-{number}", 1)


async def _deposit(_: House) -> Plan:
    amount = {"amount_minor": 1, "currency": "EUR"}
    players = [f"load-payer-{number}" for number in range(PLAYERS)]
    return {"kind": "deposit", "players": players, "request": {"amount": amount, "reference": "load"}}


async def _open_tables(house: House) -> None:
    for number in range(CALLERS):
        await raising_table(house, f"load-{number}")


async def _turns(house: House) -> Plan:
    """Where each table stands now: what the last step asked for and what was refused is not guessed."""
    found: list[dict[str, object]] = []
    listed = await house.tables.ListTables(pb.ListTablesRequest(page_size=CALLERS))
    for table_id in [each.table_id for each in listed.tables]:
        view = (await house.tables.GetTable(pb.GetTableRequest(table_id=table_id))).table
        seats = [seat.player_id for seat in sorted(view.seats, key=lambda seat: seat.seat)]
        turn = view.turn
        raises = next(each for each in turn.legal.actions if each.kind == ActionKind.ACTION_KIND_RAISE)
        found.append(
            {
                "table_id": table_id,
                "players": seats,
                "place": seats.index(turn.player_id),
                "turn_id": turn.turn_id,
                "to_chips": raises.to_chips_choices[0],
            }
        )
    return {"kind": "raise", "tables": found, "step_chips": STAKES.lower_limit_chips, "callers": len(found)}


SUBJECTS: Final = {
    each.service: each
    for each in (
        Subject(
            service="dealer",
            what="OpenHand: seal and commit to a deck",
            method="sevenstud.dealer.v1.DealerService/OpenHand",
            prepare=_nothing,
            request=_hand,
            caller=SERVICE,
            rate=100,
            p99_ms=250,
        ),
        Subject(
            service="betting",
            what="Act: a raise at a table of six",
            method="sevenstud.betting.v1.BettingService/Act",
            prepare=_nothing,
            request=_raise,
            caller=SERVICE,
            rate=200,
            p99_ms=250,
        ),
        Subject(
            service="evaluator",
            what="Evaluate: one hand of seven",
            method="sevenstud.evaluator.v1.EvaluatorService/Evaluate",
            prepare=_nothing,
            request=_cards,
            caller=BACKEND,
            rate=200,
            p99_ms=250,
        ),
        Subject(
            service="tournament_ledger",
            what="Deposit: one posting, one book",
            method="sevenstud.tournament_ledger.v1.TournamentLedgerService/Deposit",
            prepare=_fund,
            request=_deposit,
            caller=BACKEND,
            rate=100,
            p99_ms=250,
        ),
        Subject(
            service="orchestrator",
            what=f"Act: raises at {CALLERS} tables",
            method="sevenstud.orchestrator.v1.TableService/Act",
            prepare=_open_tables,
            request=_turns,
            caller=BACKEND,
            rate=100,
            p99_ms=250,
        ),
    )
}
