"""What the demo prints before the first hand and after the last."""

from services.console.adapters.suite import Suite
from services.console.commands.audit import proof_lines
from services.console.commands.demo_evening import EveningResult
from services.console.domain.contest import Contest
from services.console.domain.narration import stakes_text
from services.console.domain.results import money_text
from services.console.domain.suite_plan import ORCHESTRATOR, SERVICES


def print_preamble(suite: Suite, contest: Contest) -> None:
    """Who serves where, and what will be played."""
    addresses = ", ".join(f"{service} {suite.address(service)}" for service in SERVICES)
    print(f"up: {addresses}")
    print(f"data: {suite.folder}")
    fee = money_text(contest.fee_minor, contest.currency)
    chips = f"{contest.starting_stack_chips:,} chips each"
    print(f"{contest.name}: fixed limit, preset {contest.preset}, {len(contest.players)} robots, fee {fee}, {chips},")
    print(f"levels of {contest.level_hands} hands, from {stakes_text(contest.levels[0])}")
    print(f"watch it from another terminal: sevenstud table --orchestrator {suite.address(ORCHESTRATOR)}")
    print(flush=True)


def print_report(result: EveningResult, contest: Contest, suite: Suite) -> None:
    """Standings with prizes, the ledger's proof, figures, and where everything is."""
    print("\nstandings")
    for line in result.standings:
        prize = money_text(line.prize_minor, contest.currency) if line.prize_minor else "-"
        print(f"  {line.place:>2}  {line.player_id:<10} {line.chips:>8,} chips  {prize:>12}")
    paid = sum(line.prize_minor for line in result.standings)
    fees = sum(line.spent_minor for line in result.standings)
    chips = sum(line.chips for line in result.standings)
    issued = f"{contest.chips_total:,} chips issued, {chips:,} at the end"
    print(f"  fees {money_text(fees, contest.currency)}, prizes {money_text(paid, contest.currency)}, {issued}\n")
    print("\n".join(proof_lines(result.check)))
    _print_figures(result)
    print(f"\ndata     {suite.folder}")
    print(f"logs     {suite.folder / 'logs'}")
    print(f"metrics  {suite.folder / 'metrics'} (as they were at the end; live while the suite was up)", flush=True)


def _print_figures(result: EveningResult) -> None:
    robots, seconds = result.robots, max(result.play_seconds, 0.001)
    hands, actions = result.hands_count / seconds, robots.actions_count / seconds
    voided = f" ({result.voided_count} void)" if result.voided_count else ""
    print(
        f"\nplayed {result.hands_count} hands{voided} and {robots.actions_count} actions in {seconds:.1f} s", end=": "
    )
    print(f"{hands:.1f} hands/s, {actions:.1f} actions/s")
    median, most = robots.act_median_seconds * 1_000, robots.act_p99_seconds * 1_000
    print(f"an action took {median:.1f} ms (median), {most:.1f} ms (99 of 100)", end="; ")
    print(
        f"{robots.refused_count} refused by the rules, {robots.late_count} too late, {robots.retries_count} asked again"
    )
