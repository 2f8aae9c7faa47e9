"""For whom a caller may act, and as whom a caller may look."""

from services.orchestrator.domain.visibility import Viewer
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.call import current_caller


def act_for(player_id: str) -> None:
    """Refuse a player who acts for somebody else; a back end acts for its players."""
    caller = current_caller()
    if caller.role is Role.PLAYER and caller.id != player_id:
        raise _not_permitted(caller, "act for yourself only")


def viewer(player_id: str = "") -> Viewer:
    """As whom the caller looks: a player as itself, a back end as the player it names, all others as spectators."""
    caller = current_caller()
    if caller.role is Role.PLAYER:
        if player_id not in {"", caller.id}:
            raise _not_permitted(caller, "look with your own eyes only: leave player_id empty")
        return Viewer(caller.id)
    if caller.role is Role.BACKEND:
        return Viewer(player_id)
    if player_id:
        raise _not_permitted(caller, "look as a spectator: leave player_id empty")
    return Viewer()


def _not_permitted(caller: Caller, allowed: str) -> DomainError:
    message = f"the {caller.role} {caller.id} may not do this: {allowed}"
    return DomainError(Reason.NOT_PERMITTED, message, {"role": caller.role.value, "allowed": allowed})
