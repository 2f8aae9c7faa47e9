"""Rules out of requests: a table sends the same ones every time, so what was read once is kept."""

from functools import lru_cache

from sevenstud.common.v1.rules_pb2 import HandRules as HandRulesMessage

from shared.kernel.rules import HandRules
from shared.rpc.mirror import from_proto

_KEPT_MAX = 256


def read_rules(message: HandRulesMessage) -> HandRules:
    """The hand rules of a request; REQUEST_INVALID where a field is not set."""
    return _read(message.SerializeToString(deterministic=True))


@lru_cache(maxsize=_KEPT_MAX)
def _read(serialised: bytes) -> HandRules:
    return from_proto(HandRulesMessage.FromString(serialised), HandRules, "rules")
