"""Matches and rounds: who reaches the next one, lots among equal players, the next round (rules 155-158, 205)."""

from collections.abc import Iterable, Sequence

from services.tournament_ledger.domain.accounts import chips_issued, player_chips
from services.tournament_ledger.domain.amounts import invalid
from services.tournament_ledger.domain.closing import busted_of, settle
from services.tournament_ledger.domain.facts_rounds import MatchEnded, QualifiersDrawn, RoundStarted, SeatAssignment
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.places import qualifiers
from services.tournament_ledger.domain.posting import Posting, moving
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, TablePlay, Tournament, TournamentState
from shared.kernel.errors import not_found, out_of_step
from shared.kernel.rules import Formula, RoundStack, SameHandRank


def end_match(steps: Steps, table_id: str) -> None:
    """After a hand: where no more players are left at the table than reach the next round, its match is over.

    If its last hand took too many out, the best of those who fell in it go on as well (rule 156); where stacks are
    carried on they have nothing to carry, and only those with chips go on.
    """
    tournament = steps.tournament
    if len(tournament.matches()) < 2:  # noqa: PLR2004 - a single table is the final: it ends with the event
        return
    sitting = tournament.at_table(table_id)
    alive = tuple(each for each in sitting if each.stack_chips)
    wanted = tournament.rules.tournament.qualifiers
    if len(alive) > wanted:
        return
    groups = _groups(tournament, alive, [each for each in sitting if each.state is EntrantState.DECIDING], wanted)
    sure = groups if sum(map(len, groups)) <= wanted else groups[:-1]
    qualified = tuple(player_id for group in sure for player_id in group)
    tied = groups[-1] if len(sure) < len(groups) else ()
    steps.amend(MatchEnded(table_id, qualified, tied, wanted - len(qualified) if tied else 0))


def _groups(
    tournament: Tournament, alive: Sequence[Entrant], busted: Sequence[Entrant], wanted: int
) -> tuple[tuple[str, ...], ...]:
    rules = tournament.rules.tournament
    survivors = tuple(each.player_id for each in alive)
    if rules.round_stack is RoundStack.CARRY:
        return (survivors,)
    shared = rules.same_hand_rank is SameHandRank.SHARE
    return qualifiers(survivors, [busted_of(each, flat=shared) for each in busted], wanted)


def record_lots(steps: Steps, table_id: str, drawn: Sequence[str], draw_id: str) -> None:
    """Let the first ones drawn reach the next round; the others have their place."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    table = _match(tournament, table_id)
    if not table.lots_player_ids:
        raise out_of_step(f"lots of table {table_id}", "none: nobody is tied for the next round there")
    if sorted(drawn) != sorted(table.lots_player_ids):
        raise invalid("player_ids", f"exactly those who are tied: {', '.join(table.lots_player_ids)}")
    fact = QualifiersDrawn(table_id, tuple(drawn[: table.lots_count]), draw_id)
    steps.add(EntryKind.QUALIFIERS_DRAWN, (fact,))
    settle(steps)


def _match(tournament: Tournament, table_id: str) -> TablePlay:
    found = tournament.tables.get(table_id)
    if found is None:
        raise not_found("table", table_id)
    return found


def end_byes(steps: Steps) -> None:
    """A table of a round with no more players than reach the next one has nothing to play for."""
    for table in steps.tournament.matches():
        end_match(steps, table.table_id)


def start_round(steps: Steps, number: int, seats: Sequence[SeatAssignment], draw_id: str) -> None:
    """Begin the next round: equal stacks begin with the first level again, carried ones go on with the level."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    _check_over(tournament, number)
    _check_seats(tournament, seats)
    rules = tournament.rules.tournament
    carried = rules.round_stack is RoundStack.CARRY
    stack = 0 if carried else rules.starting_stack_chips
    postings = () if carried else tuple(_equalled(tournament, seats, stack))
    fact = RoundStarted(number, tuple(seats), draw_id, stack, tournament.level if carried else 1)
    steps.add(EntryKind.ROUND_STARTED, (fact,), postings)
    end_byes(steps)


def _check_over(tournament: Tournament, number: int) -> None:
    if tournament.rules.tournament.formula is not Formula.ROUNDS:
        raise out_of_step(f"round {number}", "none: the formula of this tournament has no rounds")
    if number != tournament.round + 1:
        raise out_of_step(f"round {number}", f"round {tournament.round + 1}")
    open_tables = [each.table_id for each in tournament.matches() if not each.match_over or each.lots_player_ids]
    if open_tables:
        raise out_of_step(f"round {number}", f"the end of the matches at {', '.join(open_tables)}")


def _check_seats(tournament: Tournament, seats: Sequence[SeatAssignment]) -> None:
    """Everybody who reached the round sits in one seat of their own at a new table, and nobody else does."""
    seated = sorted(each.player_id for each in seats)
    if seated != sorted(each.player_id for each in tournament.remaining()):
        raise invalid("seats", f"exactly the {len(tournament.remaining())} players who reached the round, once each")
    if len({(each.table_id, each.seat) for each in seats}) < len(seats):
        raise invalid("seats", "each seat once")
    if any(each.table_id in tournament.tables for each in seats):
        raise invalid("seats.table_id", "tables that were not used in an earlier round")
    most = tournament.announcement.seats_per_table
    if any(not 1 <= each.seat <= most for each in seats):
        raise invalid("seats.seat", f"1 to {most}, the seats of a table of this tournament")


def _equalled(tournament: Tournament, seats: Iterable[SeatAssignment], stack: int) -> Iterable[Posting]:
    """What leads from the stacks of the last round to equal ones."""
    issued = chips_issued(tournament.tournament_id)
    for each in seats:
        chips = tournament.entrants[each.player_id].stack_chips
        own = player_chips(tournament.tournament_id, each.player_id)
        yield from moving(own, issued, max(chips - stack, 0))
        yield from moving(issued, own, max(stack - chips, 0))
