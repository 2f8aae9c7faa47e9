"""What the book of wallets must say of every deposit, withdrawal and hold that was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from services.tournament_ledger.domain.canonical import from_text
from services.tournament_ledger.domain.facts import KNOWN, HoldPlaced, HoldResolved
from services.tournament_ledger.domain.journal import EntryKind, micros
from tests.sim.client import Sent
from tests.sim.nodes import LEDGER
from tests.sim.world import World

_ENTRIES: Final = (
    "SELECT j.request_id, j.kind, j.subject, j.at_micros, p.from_account_id, p.to_account_id, p.amount"
    " FROM ledger_journal j LEFT JOIN ledger_postings p ON p.book = j.book AND p.number = j.number"
    " WHERE j.book = 'wallets' ORDER BY j.number"
)
_HELD: Final = "SELECT player_id, SUM(amount_minor) FROM ledger_holds WHERE state = 'OPEN' GROUP BY 1"
_BOOKED_AS: Final = {
    "OpenAccount": EntryKind.ACCOUNT_OPENED,
    "Deposit": EntryKind.DEPOSITED,
    "Withdraw": EntryKind.WITHDRAWN,
    "PlaceHold": EntryKind.HELD,
    "PostHold": EntryKind.HOLD_POSTED,
    "VoidHold": EntryKind.HOLD_VOIDED,
}
_SLACK_MICROS: Final = 1000
"""An entry is written down some microseconds after the one before it, however late it is."""


@dataclass(slots=True)
class BankTruth:
    """The book, read from its first entry."""

    balances: dict[str, int] = field(default_factory=dict[str, int])
    booked: dict[str, list[tuple[str, dict[str, int]]]] = field(
        default_factory=dict[str, list[tuple[str, dict[str, int]]]]
    )
    """By request id: kind of entry, and the balances after it."""
    _until: dict[str, int] = field(default_factory=dict[str, int])
    """When each hold that is open expires."""

    def add(self, request_id: str, kind: str, subject: str, at_micros: int) -> None:
        """One more entry, whose posting is in the balances."""
        self.booked.setdefault(request_id, []).append((kind, dict(self.balances)))
        for fact in from_text(subject, KNOWN):
            if isinstance(fact, HoldPlaced):
                self._until[fact.hold_id] = micros(fact.expires_at)
            if isinstance(fact, HoldResolved):
                assert fact.hold_id in self._until, f"hold {fact.hold_id} was resolved twice"
                left = self._until.pop(fact.hold_id) - at_micros
                over = kind == EntryKind.HOLD_EXPIRED
                assert left <= _SLACK_MICROS if over else left >= -_SLACK_MICROS, f"{kind} with {left} us left"

    def move(self, source: str, target: str, amount: int) -> None:
        """One posting."""
        self.balances[source] = self.balances.get(source, 0) - amount
        self.balances[target] = self.balances.get(target, 0) + amount


def check_bank(world: World, sent: Sequence[Sent]) -> None:
    """Every change is one entry, as it was answered; whatever was refused is none; no hold is forgotten."""
    disk = world.nodes[LEDGER].disk
    assert disk is not None
    truth = BankTruth()
    for request_id, kind, subject, at_micros, source, target, amount in disk.read(_ENTRIES):
        if source is not None:
            truth.move(str(source), str(target), int(str(amount)))
        truth.add(str(request_id), str(kind), str(subject), int(str(at_micros)))
    for each in sent:
        _once(each, truth.booked.pop(each.request.request_id, []))
    left = {kind for entries in truth.booked.values() for kind, _ in entries} - {EntryKind.HOLD_EXPIRED}
    assert not left, f"{left} were booked for nobody"
    held = disk.read(_HELD)
    assert not held, f"{held} are held long after their time"
    told = disk.read("SELECT account_id, balance FROM ledger_accounts WHERE balance <> 0")
    there = {str(account): int(str(balance)) for account, balance in told}
    assert there == {account: balance for account, balance in truth.balances.items() if balance}


def _once(sent: Sent, found: list[tuple[str, dict[str, int]]]) -> None:
    accepted = sent.answer is not None
    if not found:
        assert not accepted or sent.what == "OpenAccount", f"{sent.what} was answered and never booked"
        return
    (kind, balances), *more = found
    assert not more, f"{sent.what} was booked {len(found)} times"
    assert kind == _BOOKED_AS[sent.what], f"{sent.what} was booked as {kind}"
    assert accepted or sent.dropped, f"{sent.what} was refused with {sent.reason} and booked"
    if accepted:
        told = sent.answer.balance
        said = (told.available.amount_minor, told.held.amount_minor)
        right = tuple(balances.get(f"{each}/{told.player_id}/EUR", 0) for each in ("wallet", "held"))
        assert said == right, f"{sent.what} was answered with {said} in the wallet and held, {right} is right"
