"""The whole life of a world, whatever its plan is."""

from tests.sim.courses import play
from tests.sim.doubt import hesitate
from tests.sim.world import World


async def whole(world: World) -> None:
    """From the first start to the reckoning."""
    await (hesitate(world) if world.plan.traits.purchases else play(world))
