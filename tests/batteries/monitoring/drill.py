"""The drill of the live watch on fairness: decks with a moved ace until a real Prometheus pages somebody."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

from shared.observability.http import StatusServer
from tests.batteries.monitoring.evening import free_port, start_prometheus
from tests.batteries.monitoring.queries import Prometheus
from tests.fairness.battery.faulty_shuffles import STRONG
from tests.fairness.battery.live_watch import Drill, fair_deck, moved_ace
from tests.fairness.battery.sealing import a_store

FAIR_HANDS, BENT_HANDS_MAX = 2_000, 50_000
SCRAPED_SECONDS = 5.0
PAGE_SECONDS_MAX = 60.0
ALERT = "SevenstudCardsNoChance"


def drilled(folder: Path) -> Iterator[str]:
    """What went wrong: a page for fair decks, or none for bent ones."""
    return iter(asyncio.run(_drilled(folder)))


async def _drilled(folder: Path) -> list[str]:
    async with a_store() as store:
        drill = Drill(store)
        status = StatusServer(drill.registry, lambda: True)
        target = f"127.0.0.1:{await status.start('127.0.0.1', 0)}"
        (folder / "dealer.json").write_text(json.dumps([{"targets": [target]}]), encoding="utf-8")
        address = f"127.0.0.1:{free_port()}"
        server = await asyncio.to_thread(start_prometheus, folder, address)
        try:
            return await _faults(drill, Prometheus(address, None))
        finally:
            server.terminate()
            await asyncio.to_thread(server.wait, 30)
            await status.stop()


async def _faults(drill: Drill, prometheus: Prometheus) -> list[str]:
    await drill.run("fair decks", FAIR_HANDS, fair_deck)
    await asyncio.sleep(SCRAPED_SECONDS)
    if not await _asked(prometheus, "sevenstud_dealer_watch_hands > 0"):
        return ["Prometheus did not read the watch"]
    if await _asked(prometheus, f'ALERTS{{alertname="{ALERT}"}}'):
        return [f"{ALERT} fires over fair decks"]
    bent = await drill.run("bent decks", BENT_HANDS_MAX, moved_ace(STRONG))
    if not drill.alarms:
        return [f"the watch is silent after {bent} bent decks"]
    for _ in range(round(PAGE_SECONDS_MAX)):
        found = await _asked(prometheus, f'ALERTS{{alertname="{ALERT}",alertstate="firing"}}')
        if found:
            figures = ", ".join(sorted(each["metric"]["figure"] for each in found))
            print(f"       {ALERT} ({figures}) after {bent} bent decks", flush=True)
            return []
        await asyncio.sleep(1.0)
    return [f"the watch said alarm, and {ALERT} did not fire within {PAGE_SECONDS_MAX:.0f} s"]


async def _asked(prometheus: Prometheus, expression: str) -> list[dict[str, dict[str, str]]]:
    return await asyncio.to_thread(prometheus.query, expression)
