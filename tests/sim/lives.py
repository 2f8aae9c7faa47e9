"""The whole life of a world, whatever its plan is."""

from tests.sim.banking import bank
from tests.sim.courses import play
from tests.sim.doubt import hesitate
from tests.sim.world import World


async def whole(world: World) -> None:
    """From the first start to the reckoning."""
    traits = world.plan.traits
    await (bank(world) if traits.banking else hesitate(world) if traits.purchases else play(world))
