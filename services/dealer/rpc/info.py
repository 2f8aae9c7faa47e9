"""What the dealer says about itself."""

from sevenstud.dealer.v1 import dealer_service_pb2 as pb

from services.dealer.domain.guard import STEPS_MAX
from services.dealer.domain.lots import ENTRIES_MAX, ENTRY_LENGTH_MAX
from services.dealer.domain.shuffle import SHUFFLE_VERSION
from services.dealer.rpc.servicer import DESCRIPTOR
from shared.rpc.info import service_info

REQUEST_BYTES_MAX = 1024 * 1024
"""The lots of the largest tournament, with ids of any length, are drawn in one request."""
LIMITS = {
    "request_bytes_max": REQUEST_BYTES_MAX,
    "steps_of_a_hand_max": STEPS_MAX,
    "lot_entries_max": ENTRIES_MAX,
    "lot_entry_characters_max": ENTRY_LENGTH_MAX,
}


def dealer_info(*, scripted_decks: bool) -> pb.GetServiceInfoResponse:
    """The answer of GetServiceInfo, made once."""
    traits = {"scripted_decks": "allowed" if scripted_decks else "refused", "shuffle_version": SHUFFLE_VERSION}
    return pb.GetServiceInfoResponse(info=service_info("dealer", (DESCRIPTOR,), LIMITS, traits=traits))
