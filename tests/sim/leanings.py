"""What is special about a world, and how likely each of it is."""

from dataclasses import dataclass, fields
from random import Random
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaning:
    """The share of worlds that have each trait; who looks for a fault draws more of those in which it can show."""

    tournament: float = 0.2
    purchases: float = 0.06
    """Nothing but purchases, leaving and coming back; no hand."""
    restless: float = 0.3
    """Players who buy, leave and come back all the time between their hands."""
    closed_early: float = 0.2
    """The house closes the table in the middle of the evening."""
    hasty: float = 0.04
    """Most calls of players hang up while the handler is at work."""
    deaf: float = 0.25
    """The orchestrator does not hear for seconds what the ledger or the dealer has just done for it."""
    deaf_rates: tuple[float, ...] = (0.02, 0.1)
    """How often then; one of these."""
    sick: float = 0.12
    """For seconds a service's answers arrive garbled, or it refuses calls because it has too many."""
    entropy: float = 0.15
    """The players are asked for entropy, and some give it at the last moment."""
    late: float = 0.4
    """Of tournaments: some register when play has begun, and who is out may enter again."""
    ledgers: float = 0.1
    """Two ledgers serve one database."""
    orchestrators: float = 0.08
    """Two orchestrators do."""
    adds: float = 0.5
    """Of cash tables: who has chips may buy more, up to the largest buy-in."""
    extras: float = 0.4
    """Of tournaments: add-ons, double chances, rebuys of who has chips left, breaks."""
    paused: float = 0.15
    """The house stops the game now and then; in a tournament a split of the prizes may be agreed meanwhile."""
    fussy: float = 0.2
    """Players who change their seat keys and the automatic ante, and ask to see hands."""
    cancelled: float = 0.06
    """Of tournaments: the house calls them off in the middle."""
    dealers: float = 0.06
    """Two dealers serve one database."""
    rounds: float = 0.25
    """Of tournaments in which nothing is bought: matches, of which the best reach the next round."""
    satellite: float = 0.12
    """Of tournaments: several win a seat of the same worth."""
    scheduled: float = 0.12
    """Of tournaments: play begins at a moment that was announced, or is called off where too few came."""
    entering: float = 0.15
    """Of tournaments: players withdraw, come back, choose seats and lose the line before play begins."""
    banking: float = 0.03
    """Nothing but deposits, withdrawals and holds; no table."""
    apart: float = 0.06
    """The clocks of ledger and dealer are others than the orchestrator's."""
    unclear: float = 0.5
    """Of databases that several serve: each of those is cut off from it now and then, also while it commits."""
    trouble: tuple[float, ...] = (0.0, 0.3, 1.0, 1.0)
    """How bad everything else is; one of these."""


USUAL: Final = Leaning()


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Of one world."""

    purchases: bool = False
    restless_rate: float = 0.0
    """Share of their looks at the table at which players do something that is not called for."""
    closed_early: bool = False
    deaf_rate: float = 0.0
    """Share of writes of ledger and dealer after which they are not heard."""
    sick_mean_seconds: float = 0.0
    """Seconds between two spells; 0 = none."""
    hasty: bool = False
    entropy_seconds: int = 0
    late: bool = False
    ledgers: int = 1
    orchestrators: int = 1
    adds: bool = False
    extras: bool = False
    paused: bool = False
    fussy: bool = False
    dealers: int = 1
    unclear: bool = False
    cancelled: bool = False
    rounds: bool = False
    satellite: bool = False
    scheduled_seconds: int = 0
    """When play begins, after the beginning of the world; 0 = on command, or once all are there."""
    entering: bool = False
    banking: bool = False
    ahead_seconds: tuple[float, float] = (0.0, 0.0)
    """By how much the clocks of ledger and dealer are ahead of the orchestrator's, or behind."""

    @property
    def names(self) -> tuple[str, ...]:
        """Those that this world has, for who counts worlds."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name) != each.default)


NOTHING_SPECIAL: Final = Traits()


def traits_of(seed: int, leaning: Leaning, *, tournament: bool) -> Traits:
    """Of the world of a seed."""
    rng = Random(f"traits {seed}")
    purchases, restless = rng.random() < leaning.purchases, rng.random() < leaning.restless
    closed_early, hasty = rng.random() < leaning.closed_early, rng.random() < leaning.hasty
    deaf, sick = rng.random() < leaning.deaf, rng.random() < leaning.sick
    entropy, late = rng.random() < leaning.entropy, rng.random() < leaning.late
    ledgers = 2 if rng.random() < leaning.ledgers else 1
    orchestrators = 2 if rng.random() < leaning.orchestrators else 1
    adds = Random(f"adds {seed}").random() < leaning.adds and not tournament
    extras = Random(f"extras {seed}").random() < leaning.extras and tournament
    paused = Random(f"paused {seed}").random() < leaning.paused
    fussy = Random(f"fussy {seed}").random() < leaning.fussy
    dealers = 2 if Random(f"dealers {seed}").random() < leaning.dealers else 1
    unclear = max(ledgers, orchestrators, dealers) > 1 and Random(f"unclear {seed}").random() < leaning.unclear
    if Random(f"banking {seed}").random() < leaning.banking and not tournament and not purchases:
        return Traits(banking=True, hasty=hasty, ledgers=ledgers, unclear=unclear and ledgers > 1)
    if purchases and not tournament:
        deaf_rate = rng.choice(leaning.deaf_rates) if deaf else 0.0
        return Traits(purchases=True, deaf_rate=deaf_rate, ledgers=ledgers, orchestrators=orchestrators, adds=adds)
    return Traits(
        restless_rate=rng.choice((0.3, 0.8)) if restless and not tournament else 0.0,
        closed_early=closed_early and not tournament,
        deaf_rate=rng.choice(leaning.deaf_rates) if deaf else 0.0,
        sick_mean_seconds=rng.choice((20.0, 60.0)) if sick else 0.0,
        hasty=hasty,
        entropy_seconds=rng.choice((2, 5)) if entropy else 0,
        late=late and tournament,
        ledgers=ledgers,
        orchestrators=orchestrators,
        adds=adds,
        extras=extras,
        paused=paused,
        fussy=fussy,
        dealers=dealers,
        unclear=unclear,
        ahead_seconds=_apart(Random(f"apart {seed}"), leaning),
        cancelled=Random(f"cancelled {seed}").random() < leaning.cancelled and tournament,
        **(_of_event(seed, leaning, bought=late or extras) if tournament else {}),
    )


def _apart(rng: Random, leaning: Leaning) -> tuple[float, float]:
    """How far clocks are apart: the ledger's by anything, the dealer's by less than the verifiers wonder at."""
    if rng.random() >= leaning.apart:
        return 0.0, 0.0
    return rng.choice((3.0, 40.0, 400.0, 7200.0)) * rng.choice((1, -1)), rng.choice((0.0, 1.5, -1.5))


def _of_event(seed: int, leaning: Leaning, *, bought: bool) -> dict[str, Any]:
    """What kind of tournament it is; matches are played with the stacks that they began with."""
    scheduled = Random(f"scheduled {seed}")
    rounds = Random(f"rounds {seed}").random() < leaning.rounds and not bought
    return {
        "rounds": rounds,
        "satellite": Random(f"satellite {seed}").random() < leaning.satellite and not rounds,
        "scheduled_seconds": scheduled.choice((5, 20, 90)) if scheduled.random() < leaning.scheduled else 0,
        "entering": Random(f"entering {seed}").random() < leaning.entering,
    }
