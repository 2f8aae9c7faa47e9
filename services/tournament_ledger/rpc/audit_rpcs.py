"""RPCs of auditors and watchers."""

from collections.abc import AsyncIterator

from sevenstud.tournament_ledger.v1 import account_pb2
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.application.audit import Anchor
from services.tournament_ledger.application.feed import ToldFact
from services.tournament_ledger.application.watchers import OUR_SERVICES
from services.tournament_ledger.domain.journal import Head
from services.tournament_ledger.rpc.messages import entry_message, fact_message
from services.tournament_ledger.rpc.streams import until_drained
from services.tournament_ledger.rpc.use_cases import UseCases
from services.tournament_ledger.rpc.wallet_rpcs import PAGE_MAX
from shared.kernel.caller import Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.call import current_caller
from shared.rpc.context import Context
from shared.rpc.drain import Drain, draining
from shared.rpc.mirror import to_proto
from shared.rpc.paging import fitting, page_of


def head_message(head: Head) -> account_pb2.BookHead:
    """The head of a book."""
    return account_pb2.BookHead(book=head.book, number=head.number, hash=head.hash)


class AuditRpcs:
    """The journal, its proof, and the stream of facts."""

    _use: UseCases
    _drain: Drain

    async def GetLastHand(self, request: pb.GetLastHandRequest, context: Context) -> pb.GetLastHandResponse:
        """The last hand of a table."""
        booked, opened = await self._use.queries.last_hand(request.tournament_id, request.table_id)
        answer = pb.GetLastHandResponse(hand_number=booked, open_hand_number=opened)
        if not request.tournament_id:
            answer.seats_told = True
            seated, answer.bought_version = await self._use.queries.seated(request.table_id)
            answer.seated_player_ids.extend(seated)
        return answer

    async def ExportJournal(self, request: pb.ExportJournalRequest, context: Context) -> pb.ExportJournalResponse:
        """A page of the journal."""
        page = page_of(request.page_size, request.page_token, f"journal {request.book}", (int,), PAGE_MAX)
        after = int(page.after[0]) if page.after else 0
        found = await self._use.audit.export(request.book, after, page.size + 1)
        entries = fitting(entry_message(each) for each in found[: page.size])
        token = page.next_token((entries[-1].number,)) if len(found) > len(entries) else ""
        return pb.ExportJournalResponse(entries=entries, next_page_token=token)

    async def ListBooks(self, request: pb.ListBooksRequest, context: Context) -> pb.ListBooksResponse:
        """A page of books."""
        page = page_of(request.page_size, request.page_token, "books", (str,), PAGE_MAX)
        after = str(page.after[0]) if page.after else ""
        found = await self._use.audit.heads(after, page.size + 1)
        heads = fitting(head_message(each) for each in found[: page.size])
        token = page.next_token((heads[-1].book,)) if len(found) > len(heads) else ""
        known = [await self._entry_of(each) for each in request.known]
        return pb.ListBooksResponse(heads=heads, next_page_token=token, known=known)

    async def _entry_of(self, known: account_pb2.BookHead) -> account_pb2.BookHead:
        """What the book has at this number."""
        content = await self._use.audit.hash_at(known.book, known.number)
        return account_pb2.BookHead(book=known.book, number=known.number, hash=content or b"")

    async def VerifyJournal(self, request: pb.VerifyJournalRequest, context: Context) -> pb.VerifyJournalResponse:
        """Check the books."""
        anchors = tuple(Anchor(each.book, each.number, each.hash) for each in request.anchors)
        verdict = await self._use.audit.verify(request.book, anchors)
        worst_first = sorted(verdict.sums, key=lambda each: each.sum == 0)
        return pb.VerifyJournalResponse(
            sound=verdict.sound,
            entries_count=verdict.entries_count,
            faults=[to_proto(each, pb.JournalFault) for each in verdict.faults],
            sums=fitting(to_proto(each, pb.UnitSum) for each in worst_first),
            heads=fitting(head_message(each) for each in verdict.heads),
            units_count=len(verdict.sums),
            books_count=len(verdict.heads),
        )

    async def Watch(self, request: pb.WatchRequest, context: Context) -> AsyncIterator[pb.WatchResponse]:
        """Facts, those that were and those to come."""
        if self._drain.begun:
            raise draining()
        try:
            async for told in until_drained(self._facts(request), self._drain):
                yield pb.WatchResponse(fact=fact_message(told))
        except DomainError as fault:
            if fault.reason is not Reason.LIMIT_REACHED or fault.metadata.get("limit") != "watch_queue_max":
                raise
            yield _ended(fault.reason)
        else:
            yield _ended(Reason.DRAINING)

    def _facts(self, request: pb.WatchRequest) -> AsyncIterator[ToldFact]:
        use, caller = self._use, current_caller()
        who = OUR_SERVICES if caller.role is Role.SERVICE else f"{caller.role}:{caller.id}"
        if not request.tournament_id:
            return use.feed.watch_all(who)
        return use.feed.watch(use.books, use.reports, request.tournament_id, request.after_version, who)


def _ended(reason: Reason) -> pb.WatchResponse:
    return pb.WatchResponse(ended=pb.StreamEnded(reason=reason.value))
