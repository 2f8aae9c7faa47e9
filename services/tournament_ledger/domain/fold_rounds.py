"""How matches, rounds and hand for hand change a tournament (rules 155-158, 185, 205)."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from services.tournament_ledger.domain.facts_rounds import (
    DirectorChanged,
    HandForHandRoundEnded,
    MatchEnded,
    QualifiersDrawn,
    RoundStarted,
)
from services.tournament_ledger.domain.tournament import (
    Entrant,
    EntrantState,
    TablePlay,
    Tournament,
    with_entrants,
    with_table,
)


def match_ended(tournament: Tournament, fact: MatchEnded, _: datetime) -> Tournament:
    """The qualified wait for the next round; nobody else of the match is in play."""
    table = replace(
        tournament.tables[fact.table_id],
        match_over=True,
        qualified_player_ids=fact.qualified_player_ids,
        lots_player_ids=fact.lots_player_ids,
        lots_count=fact.lots_count,
    )
    qualified = _qualified(tournament, fact.qualified_player_ids)
    return with_table(replace(tournament, entrants=with_entrants(tournament.entrants, qualified)), table)


def qualifiers_drawn(tournament: Tournament, fact: QualifiersDrawn, _: datetime) -> Tournament:
    """Those whom the lots favoured wait for the next round too; the others are out."""
    table = tournament.tables[fact.table_id]
    table = replace(
        table,
        qualified_player_ids=(*table.qualified_player_ids, *fact.qualified_player_ids),
        lots_player_ids=(),
        lots_count=0,
    )
    qualified = _qualified(tournament, fact.qualified_player_ids)
    return with_table(replace(tournament, entrants=with_entrants(tournament.entrants, qualified)), table)


def _qualified(tournament: Tournament, player_ids: Iterable[str]) -> Iterator[Entrant]:
    for player_id in player_ids:
        yield replace(
            tournament.entrants[player_id],
            state=EntrantState.PLAYING,
            qualified=True,
            decides_until=None,
            bust_hand=0,
            bust_chips=0,
        )


def round_started(tournament: Tournament, fact: RoundStarted, _: datetime) -> Tournament:
    """Everybody sits at a new table, with equal stacks or the chips carried on."""
    seated: list[Entrant] = []
    for each in fact.seats:
        entrant = tournament.entrants[each.player_id]
        chips = fact.stack_chips or entrant.chips
        seated.append(replace(entrant, table_id=each.table_id, seat=each.seat, qualified=False, chips=chips))
    tables = {each.table_id: TablePlay(table_id=each.table_id, round=fact.round) for each in fact.seats}
    return replace(
        tournament,
        entrants=with_entrants(tournament.entrants, seated),
        tables=MappingProxyType({**tournament.tables, **tables}),
        round=fact.round,
        level=fact.level,
        chips_total=sum(each.chips for each in seated),
    )


def hand_for_hand_round_ended(tournament: Tournament, fact: HandForHandRoundEnded, _: datetime) -> Tournament:
    """The next hand may belong to the next round, or to none."""
    return replace(tournament, hand_for_hand_round=0, hand_for_hand_hand=0, hand_for_hand_ended=fact.round)


def director_changed(tournament: Tournament, fact: DirectorChanged, _: datetime) -> Tournament:
    """Another process directs."""
    return replace(tournament, director_id=fact.director_id)
