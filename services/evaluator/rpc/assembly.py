"""The evaluator as one servable piece: servicer, rights, limits."""

from prometheus_client import CollectorRegistry
from sevenstud.evaluator.v1.evaluator_service_pb2 import DESCRIPTOR
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import add_EvaluatorServiceServicer_to_server

from services.evaluator.application.batch import MASK_BYTES, ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.rpc.rights import RIGHTS
from services.evaluator.rpc.servicer import EvaluatorServicer
from shared.rpc.drain import Drain
from shared.rpc.info import service_info
from shared.rpc.server import Assembly, Servable

SERVICE = "evaluator"
REQUEST_BYTES_MAX = 4 * 1024 * 1024
BATCH_HANDS_MAX = 500_000
_DESCRIPTOR = DESCRIPTOR.services_by_name["EvaluatorService"]


def evaluator_assembly(
    batch: ValueBatch,
    equity: EstimateEquity,
    drain: Drain,
    limits: dict[str, int] | None = None,
    registry: CollectorRegistry | None = None,
) -> Assembly:
    """Everything that a server needs to serve the evaluator; ``limits`` are told to callers beside its own."""
    own = {
        "request_bytes_max": REQUEST_BYTES_MAX,
        "batch_hands_max": BATCH_HANDS_MAX,
        "batch_hand_bytes": MASK_BYTES,
    }
    info = service_info(SERVICE, (_DESCRIPTOR,), own | (limits or {}))
    servicer = EvaluatorServicer(batch, equity, info, drain)
    return Assembly(
        service=SERVICE,
        servables=(Servable(_DESCRIPTOR, lambda server: add_EvaluatorServiceServicer_to_server(servicer, server)),),
        rights=RIGHTS,
        request_bytes_max=REQUEST_BYTES_MAX,
        registry=registry,
    )
