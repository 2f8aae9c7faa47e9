"""Who may ask the evaluator what.

It keeps nothing and knows no players, so nothing it says is anybody's secret; what is asked along the way of a hand is
the orchestrator's to ask.
"""

from shared.kernel.caller import Role
from shared.rpc.rights import Rights, anybody

_OF_A_HAND = anybody(Role.SERVICE, Role.OPERATOR, Role.AUDITOR)
_OF_ANYONE_WITH_A_HOUSE = {**_OF_A_HAND, **anybody(Role.BACKEND)}

RIGHTS: Rights = {
    "Evaluate": _OF_ANYONE_WITH_A_HOUSE,
    "EvaluateBatch": _OF_ANYONE_WITH_A_HOUSE,
    "EstimateEquity": _OF_ANYONE_WITH_A_HOUSE,
    "OrderBringIn": _OF_A_HAND,
    "OrderBoards": _OF_A_HAND,
    "RankShowdown": _OF_A_HAND,
}
