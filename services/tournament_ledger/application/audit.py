"""Audit: the journal in pages, the heads, and the proof that nothing was changed and nothing is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.tournament_ledger.domain.holds_booked import HoldsBooked
from services.tournament_ledger.domain.journal import Head, JournalEntry, JournalFault, chain_faults, empty_head
from services.tournament_ledger.ports import Books, Reports, UnitSum, Witness
from shared.kernel.errors import DomainError, FieldViolation, Reason, not_found

FAULTS_MAX = 100
PAGE = 500


@dataclass(frozen=True, slots=True)
class Anchor:
    """A head that was kept outside."""

    book: str
    number: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found."""

    sound: bool
    entries_count: int
    faults: tuple[JournalFault, ...]
    sums: tuple[UnitSum, ...]
    heads: tuple[Head, ...]


class Audit:
    """Use cases of auditors."""

    def __init__(self, books: Books, reports: Reports, witness: Witness) -> None:
        """Read these."""
        self._books = books
        self._reports = reports
        self._witness = witness

    async def export(self, book: str, after_number: int, limit: int) -> list[JournalEntry]:
        """Entries of a book."""
        if not (await self._books.head(book)).number:
            raise not_found("book", book, "ListBooks gives all that there are")
        return await self._reports.entries(book, after_number, limit)

    async def heads(self, after_book: str, limit: int) -> list[Head]:
        """Heads of the books, by name."""
        return await self._reports.heads(after_book, limit)

    async def hash_at(self, book: str, number: int) -> bytes | None:
        """Hash of one entry; None where the book has none of that number."""
        found = await self._reports.entries(book, number - 1, 1) if number > 0 else []
        return found[0].hash if found and found[0].number == number else None

    async def verify(self, book: str, anchors: Sequence[Anchor]) -> Verdict:
        """Check one book, or all: every chain from its first entry, anchors, balances, sums."""
        if any(book not in {"", anchor.book} for anchor in anchors):
            problem = f"heads of book {book} alone, which is to be checked; leave book empty to check all"
            violation = FieldViolation("anchors", problem)
            raise DomainError(Reason.REQUEST_INVALID, f"anchors: {problem}", {"field": "anchors"}, (violation,))
        heads = [await self._head(book)] if book else await self._all_heads()
        faults: list[JournalFault] = []
        count = 0
        for head in heads:
            own = [anchor for anchor in anchors if anchor.book == head.book]
            checked, found = await self._check(head, own)
            count += checked
            faults += found
        known = {head.book for head in heads}
        lost = (anchor for anchor in anchors if anchor.book not in known)
        faults += (JournalFault(anchor.book, anchor.number, "the book of the anchor is missing") for anchor in lost)
        faults += await self._reports.balance_faults(FAULTS_MAX)
        sums = tuple(await self._reports.sums())
        uneven = sum(each.sum != 0 for each in sums)
        self._witness.summed(uneven)
        return Verdict(not faults and not uneven, count, tuple(faults[:FAULTS_MAX]), sums, tuple(heads))

    async def measure(self) -> int:
        """How many units do not sum up to zero: none, or the books are broken; tournaments are counted along."""
        self._witness.tournaments_counted(await self._reports.tournament_counts())
        uneven = sum(each.sum != 0 for each in await self._reports.sums())
        self._witness.summed(uneven)
        return uneven

    async def _head(self, book: str) -> Head:
        head = await self._books.head(book)
        if not head.number:
            raise not_found("book", book, "ListBooks gives all that there are")
        return head

    async def _all_heads(self) -> list[Head]:
        found: list[Head] = []
        while True:
            page = await self._reports.heads(found[-1].book if found else "", PAGE)
            found += page
            if len(page) < PAGE:
                return found

    async def _check(self, head: Head, anchors: Sequence[Anchor]) -> tuple[int, list[JournalFault]]:
        """One chain up to the head as it was read; entries that come while it is checked are not looked at."""
        wanted: dict[int, set[bytes]] = {anchor.number: set() for anchor in anchors}
        for anchor in anchors:  # two auditors who were shown two journals have two hashes for one number
            wanted[anchor.number].add(anchor.hash)
        previous, faults, count = empty_head(head.book), list[JournalFault](), 0
        holds = HoldsBooked()
        while previous.number < head.number:
            page = [
                each
                for each in await self._reports.entries(head.book, previous.number, PAGE)
                if each.number <= head.number
            ]
            if not page:
                break
            faults += chain_faults(previous, page)
            faults += (fault for each in page for fault in holds.faults(each))
            faults += (
                JournalFault(head.book, each.number, "has another hash than the anchor kept outside")
                for each in page
                if wanted.pop(each.number, {each.hash}) != {each.hash}
            )
            count += len(page)
            last = page[-1]
            previous = Head(head.book, last.number, last.hash, last.at)
        if (previous.number, previous.hash) != (head.number, head.hash):
            faults.append(JournalFault(head.book, head.number, "the head of the book is not its last entry"))
        faults += (JournalFault(head.book, number, "the entry of an anchor is missing") for number in wanted)
        return count, faults
