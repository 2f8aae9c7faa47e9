"""Hand for hand near the prizes: all tables play one hand at a time, and it counts as one (rules 185, 186, C43)."""

from services.tournament_ledger.domain.closing import settle
from services.tournament_ledger.domain.facts_rounds import HandForHandRoundEnded
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Tournament, TournamentState
from shared.kernel.errors import out_of_step
from shared.kernel.rules import Formula, HandForHandAcrossTables


def round_of(tournament: Tournament, number: int) -> int | None:
    """The round that a hand belongs to; None: to none.

    While a round is open every hand is part of it: also the one that was running when it was announced, and says 0.
    """
    opened = tournament.hand_for_hand_round
    if opened and number not in {0, opened}:
        raise out_of_step(f"a hand of round {number}", f"round {opened} of hand for hand, which is open")
    if number and not opened:
        _check_played(tournament)
        if number <= tournament.hand_for_hand_ended:
            raise out_of_step(f"round {number}", f"round {tournament.hand_for_hand_ended + 1} of hand for hand")
    return opened or number or None


def end_round(steps: Steps, number: int) -> None:
    """Rank the exclusions of the round as those of one hand; a round that is over stays as it is."""
    tournament = steps.tournament
    if number == tournament.hand_for_hand_ended:
        return
    tournament.need(TournamentState.RUNNING)
    opened = tournament.hand_for_hand_round or tournament.hand_for_hand_ended + 1
    if number != opened:
        raise out_of_step(f"the end of round {number}", f"the end of round {opened}")
    steps.add(EntryKind.HAND_FOR_HAND_ROUND_ENDED, (HandForHandRoundEnded(number),))
    settle(steps)


def _check_played(tournament: Tournament) -> None:
    rules = tournament.rules.tournament
    if rules.formula is not Formula.MULTI_TABLE or rules.hand_for_hand_across_tables is HandForHandAcrossTables.OFF:
        raise out_of_step("a round of hand for hand", "none: these rules do not play hand for hand")
