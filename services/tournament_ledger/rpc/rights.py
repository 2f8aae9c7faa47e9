"""Who may call the ledger, and about which player."""

from shared.kernel.caller import Role
from shared.rpc.rights import About, Rights, anybody

_MONEY = {Role.BACKEND: About.ITS_PLAYERS, Role.OPERATOR: About.ANYBODY}
_HOLDS = anybody(Role.BACKEND, Role.OPERATOR)
_PURCHASES = {**_MONEY, Role.PLAYER: About.ITSELF}
_ORGANISERS = anybody(Role.OPERATOR, Role.BACKEND)
_PLAY = anybody(Role.SERVICE)
_OWN = {**_PURCHASES, **anybody(Role.AUDITOR, Role.SERVICE)}
_READERS = anybody(*Role)
_AUDIT = anybody(Role.AUDITOR, Role.OPERATOR)

RIGHTS: Rights = {
    "OpenAccount": _MONEY,
    "Deposit": _MONEY,
    "Withdraw": _MONEY,
    "GetBalance": _OWN,
    "ListPostings": _OWN,
    "PlaceHold": _MONEY,
    "PostHold": _HOLDS,
    "VoidHold": _HOLDS,
    "AnnounceTournament": _ORGANISERS,
    "Register": _PURCHASES,
    "Unregister": {**_PURCHASES, **_PLAY},
    "ChooseSeat": _PURCHASES,
    "Rebuy": _PURCHASES,
    "ReEnter": _PURCHASES,
    "BuyAddOn": _PURCHASES,
    "ReleaseSecondChance": _PURCHASES,
    "ProposeDeal": _PURCHASES,
    "AcceptDeal": _PURCHASES,
    "GetTournament": _READERS,
    "ListTournaments": _READERS,
    "GetStandings": _READERS,
    "CancelTournament": {**_ORGANISERS, **_PLAY},
    "StartPlay": _PLAY,
    "RecordHand": _PLAY,
    "OpenSheet": _PLAY,
    "WithdrawSheet": _PLAY,
    "EndHandForHandRound": _PLAY,
    "RecordLots": _PLAY,
    "StartRound": _PLAY,
    "RecordLevel": _PLAY,
    "RecordMove": _PLAY,
    "RecordDirector": _PLAY,
    "OpenCashTable": _PLAY,
    "BuyIn": _PLAY,
    "CashOut": _PLAY,
    "GetLastHand": {**_PLAY, **_AUDIT},
    "ExportJournal": _AUDIT,
    "ListBooks": {**_AUDIT, **_PLAY},
    "VerifyJournal": _AUDIT,
    "Watch": _READERS,
}
