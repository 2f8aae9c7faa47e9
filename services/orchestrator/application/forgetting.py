"""Answers to requests are kept for as long as was promised, then forgotten."""

from datetime import timedelta

from services.orchestrator.application.world import World

EVERY = timedelta(hours=1)


async def forget_for_ever(world: World, answers_kept: timedelta) -> None:
    """Look every hour, not before the first is over; cancel it to stop. A disk that fails is the next hour's matter.

    Each look forgets some hours of the oldest answers at most, so that it takes a clock that is ahead for days, not one
    start with it, to forget what is promised to be kept.
    """
    while True:
        await world.clock.sleep_until(world.clock.now() + EVERY)
        try:
            await world.log.forget_answers(world.clock.now() - answers_kept)
        except Exception as fault:  # noqa: BLE001  # nothing depends on it
            world.witness.step_failed("Forget", "", fault)
