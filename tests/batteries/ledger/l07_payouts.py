"""L7: every prize table adds up to the cent, every place is paid once, nobody pays more than the cap."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from services.tournament_ledger.domain.closing import cancel
from services.tournament_ledger.domain.facts import MoneyReturned
from services.tournament_ledger.domain.prizes import fund_share, prize_table
from services.tournament_ledger.domain.purchases import buy_add_on, rebuy
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import PrizeMode, PrizeRest, PrizeRow, SameHandRank, TournamentRules
from shared.kernel.rules.tournament import AddOnTerms, RebuyTerms
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_events import RICH, Event, rules_with

CAP = 25_000


def prize_rules(rng: Random) -> TournamentRules:
    """Falling weights for some sizes of the field."""
    rows: list[PrizeRow] = []
    for least in sorted({2, *rng.sample(range(3, 300), rng.randint(0, 3))}):
        weights = sorted(
            (rng.randint(1, rng.choice((5, 100, 10_000))) for _ in range(rng.randint(1, 40))), reverse=True
        )
        rows.append(PrizeRow(entrants_min=least, weights=tuple(weights[:least])))
    return rules_with(
        prize_rows=tuple(rows),
        prize_rest=rng.choice(list(PrizeRest)),
        prize_mode=rng.choice((PrizeMode.RANKING, PrizeMode.RANKING, PrizeMode.RANKING, PrizeMode.WINNER)),
    )


def table_fault(rng: Random) -> str:
    """A random prize table; what is wrong with it, or nothing."""
    rules, entrants = prize_rules(rng), rng.randint(2, 300)
    fee = 50 * rng.randint(0, 500)
    fund = rng.choice((rng.randint(1, 50), rng.randint(1, 10**9), entrants * fund_share(fee, 8_000) or 1))
    prizes = prize_table(fund, entrants, fee, rules)
    weights = max((row for row in rules.prize_rows if row.entrants_min <= entrants), key=lambda row: row.entrants_min)
    used = weights.weights[: len(prizes)] if rules.prize_mode is PrizeMode.RANKING else (1,)
    exact = [Fraction(fund * weight, sum(used)) for weight in used]
    told = f"fund {fund}, {entrants} entrants, fee {fee}, {rules.prize_rest}, weights {weights.weights}: {prizes}"
    if sum(prizes) != fund or list(prizes) != sorted(prizes, reverse=True):
        return f"not the fund, or not falling: {told}"
    near = rules.prize_rest is not PrizeRest.LARGEST_REMAINDER or all(
        abs(prize - wanted) < 1 for prize, wanted in zip(prizes, exact, strict=True)
    )
    if not near:
        return f"a cent or more off: {told}"
    if len(prizes) > 1 and prizes[0] <= fee:
        return f"top prize not above the fee: {told}"
    return ""


def knock_out_fault(rng: Random) -> str:
    """Two to seven players out in one hand; places and prizes against a calculation of its own."""
    out = rng.randint(2, 7)
    rules = prize_rules(rng)
    rules = replace(rules, same_hand_rank=rng.choice(list(SameHandRank)), prize_mode=PrizeMode.RANKING)
    names = [f"p{at}" for at in range(out + 1)]
    event = Event(rules, fee_minor=50 * rng.randint(1, 500)).begin(*names)
    stacks = {name: 100 * rng.randint(1, 3) for name in names}
    event.stacks(**stacks)
    event.hand(**dict.fromkeys(names[1:], 0), p0=sum(stacks.values()))
    wanted = _places(stacks, names, rules.same_hand_rank)
    if not event.is_over() or event.places() != wanted:
        return f"stacks {stacks}: places {event.places()} instead of {wanted}"
    fund, paid = event.state.fund_minor, event.prizes()
    if sum(paid.values()) != fund:
        return f"stacks {stacks}: {sum(paid.values())} paid of {fund}"
    table = [*event.state.prizes_minor, *([0] * len(names))]
    for name in names[1:]:
        tied = [each for each in names if wanted[each] == wanted[name]]
        share = sum(table[wanted[name] - 1 : wanted[name] - 1 + len(tied)]) // len(tied)
        if paid.get(name, 0) != share:
            return f"{name} in place {wanted[name]} got {paid.get(name, 0)} instead of {share}"
    return ""


def _places(stacks: dict[str, int], names: list[str], rank: SameHandRank) -> dict[str, int]:
    places = {names[0]: 1}
    for name in names[1:]:
        better = sum(stacks[each] > stacks[name] for each in names[1:]) if rank is not SameHandRank.SHARE else 0
        places[name] = 2 + better
    return places


def cancellation_fault(rng: Random) -> str:
    """Called off in play: half of what is left evenly, half by chips, and every house cent back."""
    names = [f"p{at}" for at in range(rng.randint(2, 8))]
    event = Event(rules_with(), fee_minor=50 * rng.randint(1, 500)).begin(*names)
    stacks = {name: rng.randint(1, 5_000) for name in names}
    event.stacks(**stacks)
    fund = event.state.fund_minor
    house = sum(each.house_minor for each in event.state.entrants.values())
    steps = event.steps()
    cancel(steps, "rain")
    back = {
        fact.player_id: fact.amount_minor
        for draft in steps.drafts
        for fact in draft.facts
        if isinstance(fact, MoneyReturned)
    }
    if sum(back.values()) != fund + house:
        return f"{sum(back.values())} came back of {fund + house}"
    for name in names:
        own = event.state.entrants[name].house_minor
        exact = Fraction(fund, 2 * len(names)) + Fraction(fund * stacks[name], 2 * sum(stacks.values())) + own
        if abs(back.get(name, 0) - exact) >= 3:
            return f"{name} with {stacks[name]} of {stacks} got {back.get(name, 0)}, exactly {float(exact):.2f}"
    return ""


def cap_fault(fee: int, add_on: int) -> str:
    """At this fee, with or without the add-on first: as many rebuys as the cap allows, not one more."""
    rules = rules_with(
        rebuy=RebuyTerms(max_count=600, last_level=4, window_seconds=30),
        add_on=AddOnTerms(offered=add_on > 0, price_max_minor=add_on, last_level=4),
        starting_stack_chips=3_000,
    )
    event = Event(rules, fee_minor=fee).begin("ann", "bob")
    if add_on:
        steps = event.steps()
        buy_add_on(steps, "ann", add_on, RICH)
        event.keep(steps)
    wanted, bought = (CAP - add_on) // fee - 1, 0
    while bought <= wanted:
        event.stacks(ann=1)
        event.state = replace(
            event.state,
            entrants={**event.state.entrants, "ann": replace(event.state.entrants["ann"], pending_chips=0)},
        )
        steps = event.steps()
        try:
            rebuy(steps, "ann", RICH)
        except DomainError as refusal:
            if refusal.reason is not Reason.SPEND_CAP_REACHED or steps.drafts:
                return f"fee {fee}: refused with {refusal.reason} and {len(steps.drafts)} entries"
            break
        event.keep(steps)
        bought += 1
    return "" if bought == wanted else f"fee {fee}, add-on {add_on}: {bought} rebuys instead of {wanted}"


def payouts(tables: int) -> Iterator[Row]:
    """Row L7."""
    seed = Random().getrandbits(32)
    rng, faults = Random(seed), list[str]()
    others = max(tables // 20, 50)
    fees = range(50, CAP + 50, 50 if tables >= 10_000 else 2_500)
    progress = Progress("L7 payouts", tables + 2 * others)
    for _ in range(tables):
        faults += filter(None, [table_fault(rng)])
        progress.add(1, f"faults: {len(faults)}")
    for _ in range(others):
        faults += filter(None, [knock_out_fault(rng), cancellation_fault(rng)])
        progress.add(2, f"faults: {len(faults)}")
    for fee in fees:
        whole = fee % 100 == 0 and 3_000 * (fee // 2) % fee == 0 and (fee // 2) % 50 == 0
        faults += filter(None, [cap_fault(fee, 0), cap_fault(fee, fee // 2) if whole and 1.5 * fee <= CAP else ""])
    progress.finish()
    for fault in faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L7",
        f"{tables:,} random prize tables to the cent; knock-outs of 2 to 7, ties, cancellation, cap of 250.00",
        f"{tables:,} tables, {others:,} knock-outs, {others:,} cancellations, {len(fees):,} fees at the cap: "
        f"{len(faults)} faults, seed {seed}",
        holds=not faults,
    )
