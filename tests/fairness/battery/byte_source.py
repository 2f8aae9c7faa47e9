"""F9: the raw stream that shuffles take their bytes from, before the batteries that laboratories know.

They judge the cipher, which is a standard one; the card tests judge our code. Without the tools the rows are skipped.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

from services.dealer.domain.stream import BLOCK_SIZE
from tests.fairness.battery.portions import in_portions
from tests.fairness.battery.rows import Row, Sizes, row, skipped

BLOCKS = 25_000
BLOCK_BYTES = 2_500
FAILED_SHARE_MOST = 0.002
FAILED_LEAST = 15
"""So many may fail in any sample: of a good stream one block in 2,000 does, and a small sample may have bad luck."""
DIEHARDER: dict[int, tuple[str, ...]] = dict.fromkeys((0, 1, 2, 8, 15, 100, 101, 102, 202), ()) | {200: ("-n", "8")}
"""With options: without diehard_sums and those that its author marks as suspect."""
SECONDS_MOST = 1800.0
ENDLESS = 10**12
P_FAILED = 1e-6


def piped(decks: int, command: list[str]) -> str:
    """What a tool says about the raw stream on its standard input; nothing where it takes too long."""
    collect = [sys.executable, "-m", "services.dealer", "collect", "--raw", "--decks", str(decks)]
    with subprocess.Popen(collect, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as source:
        try:
            done = subprocess.run(
                command, stdin=source.stdout, capture_output=True, text=True, timeout=SECONDS_MOST, check=False
            )
        except subprocess.TimeoutExpired:
            return ""
        finally:
            source.kill()
    return done.stdout + done.stderr


def rngtest_row(sizes: Sizes) -> Row:
    """FIPS 140-2: a good stream fails few blocks and is never without one."""
    blocks = sizes.of(BLOCKS, least=2_000)
    most = max(round(FAILED_SHARE_MOST * blocks), FAILED_LEAST)
    what, demanded = f"rngtest, FIPS 140-2, {blocks:,} blocks", f"at most {most} fail"
    if shutil.which("rngtest") is None:
        return skipped("F9", what, demanded, "no rngtest: apt-get install rng-tools5")
    decks = blocks * BLOCK_BYTES // BLOCK_SIZE + 100
    said = piped(decks, ["rngtest", "-c", str(blocks)])
    passed, failed = (
        sum(map(int, re.findall(rf"FIPS 140-2 {name}: (\d+)", said))) for name in ("successes", "failures")
    )
    holds = failed <= most and passed + failed == blocks
    return row("F9", what, demanded, f"{failed} of {passed + failed:,}", holds=holds)


def assessed(test: int) -> list[float]:
    """The p-values of one dieharder test."""
    said = piped(ENDLESS, ["dieharder", "-g", "200", "-d", str(test), *DIEHARDER[test]])
    return [float(each) for each in re.findall(r"\|\s*(\d\.\d+)\|\s*(?:PASSED|WEAK|FAILED)", said)]


def _dieharder(first: int, count: int) -> list[tuple[int, list[float]]]:
    return [(test, assessed(test)) for test in list(DIEHARDER)[first : first + count]]


def dieharder_row(sizes: Sizes) -> Row:
    """No test fails; one that does is run once more."""
    what, demanded = f"dieharder, {len(DIEHARDER)} tests on the raw stream", "0 failed after one more run"
    if shutil.which("dieharder") is None:
        return skipped("F9", what, demanded, "no dieharder: apt-get install dieharder")
    if sizes.share < 1:
        return skipped("F9", what, demanded, "minutes of running: at full size only")
    found = [each for part in in_portions("F9, dieharder", _dieharder, len(DIEHARDER), 1) for each in part]
    silent = [test for test, values in found if not values]
    failed = [test for test, values in found if values and min(values) < P_FAILED and min(assessed(test)) < P_FAILED]
    count = sum(len(values) for _, values in found)
    text = f"{len(failed)} of {count} figures" + (f", no answer from {silent}" if silent else "")
    return row("F9", what, demanded, text, holds=not failed and not silent)


def rows(sizes: Sizes) -> Iterator[Row]:
    """A row for each tool."""
    yield rngtest_row(sizes)
    yield dieharder_row(sizes)
