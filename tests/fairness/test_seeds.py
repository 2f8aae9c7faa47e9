"""No two streams alike (F11): seeds of many workers, also forked ones, never come twice."""

import multiprocessing

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.commitment import SEED_SIZE, seed_commitment

WORKERS, SEEDS = 8, 2_000


def commitments_of_one_worker(_: int) -> list[bytes]:
    """All for one hand id, so that only the seed can make them differ."""
    entropy = SystemEntropy()
    return [seed_commitment("hand", entropy.seed()) for _ in range(SEEDS)]


def test_forked_workers_never_draw_the_same_seed() -> None:
    with multiprocessing.get_context("forkserver").Pool(WORKERS) as pool:
        drawn = [each for worker in pool.map(commitments_of_one_worker, range(WORKERS)) for each in worker]
    assert len(drawn) == len(set(drawn)) == WORKERS * SEEDS


def test_a_seed_has_256_bits() -> None:
    assert {len(SystemEntropy().seed()) for _ in range(10)} == {SEED_SIZE} == {32}
