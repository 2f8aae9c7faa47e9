"""Who may ask betting what: the steps of a hand are the orchestrator's to ask, and it alone keeps the state."""

from shared.kernel.caller import Role
from shared.rpc.rights import Rights, anybody

_OF_A_HAND = anybody(Role.SERVICE)

RIGHTS: Rights = {
    "OpenHand": _OF_A_HAND,
    "OpenStreet": _OF_A_HAND,
    "Act": _OF_A_HAND,
    "ActTogether": _OF_A_HAND,
    "Expire": _OF_A_HAND,
    "Settle": _OF_A_HAND,
}
