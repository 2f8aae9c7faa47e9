"""Who may call the ledger. A player may name only itself, which rpc.caller sees to."""

from shared.kernel.caller import Role
from shared.rpc.rights import Rights

_MONEY = frozenset({Role.BACKEND, Role.OPERATOR})
_PURCHASES = frozenset({Role.BACKEND, Role.OPERATOR, Role.PLAYER})
_ORGANISERS = frozenset({Role.OPERATOR, Role.BACKEND})
_PLAY = frozenset({Role.SERVICE})
_OWN = frozenset({Role.BACKEND, Role.OPERATOR, Role.AUDITOR, Role.SERVICE, Role.PLAYER})
_READERS = frozenset(Role)
_AUDIT = frozenset({Role.AUDITOR, Role.OPERATOR})

RIGHTS: Rights = {
    "OpenAccount": _MONEY,
    "Deposit": _MONEY,
    "Withdraw": _MONEY,
    "GetBalance": _OWN,
    "ListPostings": _OWN,
    "PlaceHold": _MONEY,
    "PostHold": _MONEY,
    "VoidHold": _MONEY,
    "AnnounceTournament": _ORGANISERS,
    "Register": _PURCHASES,
    "Unregister": _PURCHASES | _PLAY,
    "Rebuy": _PURCHASES,
    "ReEnter": _PURCHASES,
    "BuyAddOn": _PURCHASES,
    "ReleaseSecondChance": _PURCHASES,
    "ProposeDeal": _PURCHASES,
    "AcceptDeal": _PURCHASES,
    "GetTournament": _READERS,
    "ListTournaments": _READERS,
    "GetStandings": _READERS,
    "CancelTournament": _ORGANISERS | _PLAY,
    "StartPlay": _PLAY,
    "RecordHand": _PLAY,
    "OpenSheet": _PLAY,
    "EndHandForHandRound": _PLAY,
    "RecordLots": _PLAY,
    "StartRound": _PLAY,
    "RecordLevel": _PLAY,
    "RecordMove": _PLAY,
    "OpenCashTable": _PLAY,
    "BuyIn": _PLAY,
    "CashOut": _PLAY,
    "ExportJournal": _AUDIT,
    "ListBooks": _AUDIT,
    "VerifyJournal": _AUDIT,
    "Watch": _READERS,
}
