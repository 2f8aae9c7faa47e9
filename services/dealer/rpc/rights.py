"""Who may call the dealer: our services alone; the public record of a hand also operators and auditors."""

from shared.kernel.caller import Role
from shared.rpc.rights import Rights, anybody

_SERVICES = anybody(Role.SERVICE)
_READERS = anybody(Role.SERVICE, Role.OPERATOR, Role.AUDITOR)

RIGHTS: Rights = {
    "OpenHand": _SERVICES,
    "ContributeEntropy": _SERVICES,
    "FixDeck": _SERVICES,
    "DealStreet": _SERVICES,
    "RevealForRanking": _SERVICES,
    "OpenCards": _SERVICES,
    "GetOpenings": _SERVICES,
    "CloseHand": _SERVICES,
    "VoidHand": _SERVICES,
    "GetProof": _READERS,
    "DrawLots": _SERVICES,
}
