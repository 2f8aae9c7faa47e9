"""Answers to requests are kept for as long as was promised, then forgotten."""

from datetime import timedelta

from services.orchestrator.application.world import World

EVERY = timedelta(hours=1)


async def forget_for_ever(world: World, answers_kept: timedelta) -> None:
    """Look every hour; cancel it to stop. A disk that fails is the next hour's matter."""
    while True:
        now = world.clock.now()
        try:
            await world.log.forget_answers(now - answers_kept)
        except Exception as fault:  # noqa: BLE001  # nothing depends on it
            world.witness.step_failed("Forget", "", fault)
        await world.clock.sleep_until(now + EVERY)
