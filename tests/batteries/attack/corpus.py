"""Good requests to start from: what five services said to one another while hands were played and money moved."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf.message import Message
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.rpc.validation import Validator
from tests.batteries.attack.generator import Known
from tests.batteries.attack.play import anyhow
from tests.batteries.ledger.edge_requests import askings
from tests.support.ledger_house import fresh, ledger
from tests.support.table_suite import TableSuite, card_room, open_table

TABLES = 3


@contextmanager
def overheard(known: Known) -> Generator[None]:
    """Every request that is checked in this process is kept, with the names in it."""
    checked: Any = Validator.check

    def check(validator: Validator, request: Message, descriptor: Any) -> None:
        checked(validator, request, descriptor)
        known.add_request(descriptor.full_name, request.SerializeToString())

    setattr(Validator, "check", check)  # noqa: B010  # given back below
    try:
        yield
    finally:
        setattr(Validator, "check", checked)  # noqa: B010  # as it was


async def listen(known: Known) -> None:
    """Play some hands and move some money in this process."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other, overheard(known):
        async with TableSuite(Path(folder)) as suite:
            await _hands(suite)
        async with ledger(Path(other)) as house:
            for asking in askings():
                request: Any = await asking.request(house)
                if "request_id" in request.DESCRIPTOR.fields_by_name:
                    request.request_id = fresh()
                known.add_request(request.DESCRIPTOR.full_name, request.SerializeToString())


async def _hands(suite: TableSuite) -> None:
    for number in range(TABLES):
        rng = Random(f"corpus {number}")
        table = await open_table(suite, card_room(), hands_max=1)
        await table.sit(*(f"{name}{number}" for name in ("ann", "bob", "cid")))
        await table.resume()
        choose = anyhow(rng, 0.1)
        while (view := await table.until(_acting_or_over)).HasField("turn"):
            legal, to_chips = choose(view.turn)
            request = pb.ActRequest(
                request_id=fresh(),
                table_id=table.table_id,
                player_id=view.turn.player_id,
                turn_id=view.turn.turn_id,
                kind=legal.kind,
                to_chips=to_chips,
            )
            await suite.tables.Act(request)
        await table.hand(1, f"ann{number}", phh=True)


def _acting_or_over(view: table_pb2.TableView) -> bool:
    return view.HasField("turn") or view.state == table_pb2.TABLE_STATE_PAUSED
