"""Who may call what of the TableService, and about which player."""

from shared.kernel.caller import Role
from shared.rpc.rights import About, Rights, anybody

_EVERYBODY = anybody(*Role)
_HOUSE = anybody(Role.OPERATOR, Role.BACKEND)
_PLAYERS = {Role.PLAYER: About.ITSELF, Role.BACKEND: About.ITS_PLAYERS}
_OWN_EYES = {
    **dict.fromkeys(Role, About.SPECTATOR),
    Role.PLAYER: About.OWN_EYES,
    Role.BACKEND: About.ITS_PLAYERS,
}

TABLE_RIGHTS: Rights = {
    "ListPresets": _EVERYBODY,
    "OpenTable": _HOUSE,
    "PauseTable": _HOUSE,
    "ResumeTable": _HOUSE,
    "CloseTable": _HOUSE,
    "Sit": _PLAYERS,
    "Leave": _PLAYERS,
    "AddChips": _PLAYERS,
    "SitOut": _PLAYERS,
    "Return": _PLAYERS,
    "SetConnection": _PLAYERS,
    "SetAutoAnte": _PLAYERS,
    "RegisterSeatKey": _PLAYERS,
    "AddEntropy": _PLAYERS,
    "Act": _PLAYERS,
    "UseTimeBank": _PLAYERS,
    "ShowOrMuck": _PLAYERS,
    "AskToSee": _PLAYERS,
    "Watch": _OWN_EYES,
    "WatchLobby": _EVERYBODY,
    "GetTable": _OWN_EYES,
    "ListTables": _EVERYBODY,
    "GetHand": _OWN_EYES,
    "ListHands": _EVERYBODY,
}
"""Everybody sees what spectators see; a player sees the own down cards, a back end those of the player it names."""
