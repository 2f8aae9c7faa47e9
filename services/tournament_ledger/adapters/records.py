"""Rows of the ledger as stored messages, and back."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sevenstud.tournament_ledger.stored.v1 import records_pb2 as stored

from services.tournament_ledger.domain.amounts import Money
from services.tournament_ledger.domain.announcement import Announcement
from services.tournament_ledger.domain.cash import CashSeat, CashTable
from services.tournament_ledger.domain.facts import SheetLine
from services.tournament_ledger.domain.facts_deals import Deal
from services.tournament_ledger.domain.tournament import BonusPaid, Entrant, TablePlay, Tournament, TournamentState
from shared.kernel.rules import CashRules, RuleSet
from shared.rpc.mirror import from_proto, to_proto


@dataclass(frozen=True, slots=True)
class PublishedRecord:
    """What was published."""

    announcement: Announcement
    rules: RuleSet
    announced_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRecord:
    """Where a tournament stands; fields named as in Tournament."""

    state: TournamentState
    level: int
    fund_minor: int
    paid_minor: int
    bonus_left_minor: int
    prizes_fixed: bool
    prizes_minor: tuple[int, ...]
    chips_total: int
    hands_count: int
    version: int
    started_at: datetime | None
    finished_at: datetime | None
    bonuses: tuple[BonusPaid, ...]
    round: int
    hand_for_hand_round: int
    hand_for_hand_ended: int
    hand_for_hand_hand: int
    deal: Deal | None
    deals_count: int
    late_closed: bool
    director_id: str


_STANDING = tuple(field.name for field in fields(TournamentRecord))


@dataclass(frozen=True, slots=True, kw_only=True)
class CashTableRecord:
    """Where a cash table stands; fields named as in CashTable."""

    table_id: str
    chip_value: Money
    rules: CashRules
    hand_number: int
    open_hand_number: int
    sheet: tuple[SheetLine, ...]
    version: int
    seats: tuple[CashSeat, ...]
    table_version: int
    bought_version: int


def published_bytes(tournament: Tournament) -> bytes:
    """The row that is written once."""
    record = PublishedRecord(tournament.announcement, tournament.rules, tournament.announced_at)
    return to_proto(record, stored.PublishedRecord).SerializeToString()


def standing_bytes(tournament: Tournament) -> bytes:
    """The row that is replaced."""
    record = TournamentRecord(**{name: getattr(tournament, name) for name in _STANDING})
    return to_proto(record, stored.TournamentRecord).SerializeToString()


def entrant_bytes(entrant: Entrant) -> bytes:
    """The row of an entrant."""
    return to_proto(entrant, stored.Entrant).SerializeToString()


def table_bytes(table: TablePlay) -> bytes:
    """The row of a tournament table."""
    return to_proto(table, stored.TablePlay).SerializeToString()


def tournament_of(
    tournament_id: str, rows: tuple[bytes, bytes], entrants: Iterable[bytes], tables: Iterable[bytes]
) -> Tournament:
    """A tournament from its rows: published and standing, entrants, tables."""
    published = from_proto(stored.PublishedRecord.FromString(rows[0]), PublishedRecord)
    standing = from_proto(stored.TournamentRecord.FromString(rows[1]), TournamentRecord)
    people = sorted((from_proto(stored.Entrant.FromString(row), Entrant) for row in entrants), key=_number)
    plays = [from_proto(stored.TablePlay.FromString(row), TablePlay) for row in tables]
    values: dict[str, Any] = {name: getattr(standing, name) for name in _STANDING}
    return Tournament(
        tournament_id=tournament_id,
        announcement=published.announcement,
        rules=published.rules,
        announced_at=published.announced_at,
        entrants=MappingProxyType({each.player_id: each for each in people}),
        tables=MappingProxyType({each.table_id: each for each in plays}),
        **values,
    )


def _number(entrant: Entrant) -> int:
    return entrant.number


def cash_table_bytes(table: CashTable) -> bytes:
    """The row of a cash table."""
    values: dict[str, Any] = {field.name: getattr(table, field.name) for field in fields(CashTableRecord)}
    values["seats"] = tuple(table.seats.values())
    record = CashTableRecord(**values)
    return to_proto(record, stored.CashTableRecord).SerializeToString()


def cash_table_of(row: bytes) -> CashTable:
    """A cash table from its row."""
    record = from_proto(stored.CashTableRecord.FromString(row), CashTableRecord)
    values: dict[str, Any] = {field.name: getattr(record, field.name) for field in fields(CashTableRecord)}
    values["seats"] = MappingProxyType({each.player_id: each for each in record.seats})
    return CashTable(**values)
