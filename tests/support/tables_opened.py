"""A request that opens a cash table."""

import uuid

from sevenstud.common.v1.money_pb2 import Money
from sevenstud.orchestrator.v1.table_service_pb2 import OpenTableRequest


def open_table_request(table_id: str) -> OpenTableRequest:
    """A table of the card room, with stakes."""
    request = OpenTableRequest(
        request_id=str(uuid.uuid4()),
        table_id=table_id,
        name="Green table",
        chip_value=Money(amount_minor=1, currency="EUR"),
    )
    request.rules.preset = "card_room"
    for name, chips in {"ante": 1, "bring_in": 2, "lower_limit": 5, "upper_limit": 10}.items():
        setattr(request.stakes, f"{name}_chips", chips)
    return request
