"""As whom a caller looks; whether it may is what the tables of rights say, before any of this."""

from services.orchestrator.domain.visibility import Viewer
from shared.kernel.caller import Role
from shared.rpc.call import current_caller


def viewer(player_id: str = "") -> Viewer:
    """A player looks as itself, a back end as the player it names, all others as spectators."""
    caller = current_caller()
    if caller.role is Role.PLAYER:
        return Viewer(caller.id)
    return Viewer(player_id) if caller.role is Role.BACKEND else Viewer()
