"""Answers as messages where they are more than a mirror of their dataclass."""

from typing import Any

from sevenstud.common.v1.rules_pb2 import RuleSet as RuleSetMessage
from sevenstud.tournament_ledger.v1 import account_pb2, fact_pb2, tournament_pb2
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.application.feed import ToldFact
from services.tournament_ledger.domain.announcement import Announcement
from services.tournament_ledger.domain.entries import late_entries_open
from services.tournament_ledger.domain.facts import SeatAssignment, TournamentAnnounced
from services.tournament_ledger.domain.facts_deals import DealProposed
from services.tournament_ledger.domain.facts_entries import PlacesChanged
from services.tournament_ledger.domain.fold import announced
from services.tournament_ledger.domain.journal import JournalEntry
from services.tournament_ledger.domain.standings import match_of
from services.tournament_ledger.domain.tournament import Tournament
from services.tournament_ledger.ports import StatementEntry
from shared.rpc.mirror import fill_proto, to_proto

_PLAIN = ("tournament_id", "level", "chips_total", "version", "players_left", "round", "hand_for_hand_round")
_SNAKE = {
    each.message_type.name: each.name for each in fact_pb2.TournamentFact.DESCRIPTOR.oneofs_by_name["fact"].fields
}


def tournament_message(tournament: Tournament) -> tournament_pb2.Tournament:
    """A tournament as published and as it stands."""
    message = tournament_pb2.Tournament(
        state=tournament_pb2.TournamentState.Value(f"TOURNAMENT_STATE_{tournament.state.name}"),
        entrants=tournament.entrants_count,
        prize_fund_minor=_fund(tournament),
        prizes_minor=tournament.prizes_minor,
        late_entries_open=late_entries_open(tournament),
        **{name: getattr(tournament, name) for name in _PLAIN},
    )
    _fill_announcement(tournament.announcement, message.announcement)
    fill_proto(tournament.rules, message.rules)
    for table in tournament.matches() if len(tournament.matches()) > 1 else ():
        fill_proto(match_of(table), message.matches.add())
    if tournament.deal is not None:
        fill_proto(tournament.deal, message.deal)
    for name in ("announced_at", "started_at", "finished_at"):
        moment = getattr(tournament, name)
        if moment is not None:
            getattr(message, name).FromDatetime(moment)
    return message


def _fund(tournament: Tournament) -> int:
    return tournament.fund_minor if tournament.started_at else tournament.fund_before_start


def _fill_announcement(announcement: Announcement, message: tournament_pb2.Announcement) -> None:
    for name in ("name", "entrants_min", "entrants_max", "seats_per_table", "bonus_fund_minor"):
        setattr(message, name, getattr(announcement, name))
    message.start = tournament_pb2.StartKind.Value(f"START_KIND_{announcement.start.name}")
    message.rules.preset = announcement.preset
    if announcement.overrides:
        message.rules.overrides.CopyFrom(RuleSetMessage.FromString(announcement.overrides))
    fill_proto(announcement.fee, message.fee)
    if announcement.starts_at is not None:
        message.starts_at.FromDatetime(announcement.starts_at)


def fact_message(told: ToldFact) -> fact_pb2.TournamentFact:
    """A fact for watchers."""
    message = fact_pb2.TournamentFact(tournament_id=told.tournament_id, version=told.version)
    message.at.FromDatetime(told.at)
    fact: Any = told.fact
    field = getattr(message, _SNAKE[type(fact).__name__])
    if isinstance(fact, TournamentAnnounced):
        field.tournament.CopyFrom(tournament_message(announced(fact, told.at)))
    elif isinstance(fact, DealProposed | PlacesChanged):
        fill_proto(fact, field)
    else:
        known = set(field.DESCRIPTOR.fields_by_name)
        for name in known:
            _set(field, name, getattr(fact, name))
        field.SetInParent()
    return message


def _set(message: Any, name: str, value: Any) -> None:
    descriptor = message.DESCRIPTOR.fields_by_name[name]
    if isinstance(value, tuple):
        getattr(message, name).extend(value)
    elif descriptor.enum_type is not None:
        setattr(message, name, descriptor.enum_type.values_by_name[f"PURCHASE_KIND_{value.name}"].number)
    else:
        setattr(message, name, value)


def entry_message(entry: JournalEntry) -> account_pb2.JournalEntry:
    """An entry of the journal."""
    return to_proto(entry, account_pb2.JournalEntry)


def statement_line(entry: StatementEntry, currency: str) -> pb.StatementLine:
    """A line of a statement."""
    line = pb.StatementLine(
        book=entry.book,
        number=entry.number,
        kind=account_pb2.EntryKind.Value(f"ENTRY_KIND_{entry.kind.name}"),
        counter_account_id=entry.counter_account_id,
        subject=_about(entry),
    )
    line.change.amount_minor = entry.change
    line.change.currency = currency
    line.at.FromDatetime(entry.at)
    return line


def _about(entry: StatementEntry) -> str:
    """The tournament or table, or the caller's reference."""
    _, _, owner = entry.book.partition(":")
    if owner:
        return owner
    references = (line for line in entry.subject.split("\n") if line.startswith("reference="))
    return next(references, "reference=").removeprefix("reference=")


def seat_of(message: pb.SeatAssignment) -> SeatAssignment:
    """Where a player sits."""
    return SeatAssignment(message.player_id, message.table_id, message.seat)
