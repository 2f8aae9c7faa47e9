"""What the real processes show on their metrics ports is what the catalogue says."""

import re
import urllib.request
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from deploy.monitoring.catalogue import shown_by
from tests.support.servers import running

OF_THE_PROCESS = re.compile(r"(process|python)_")
FAMILY = re.compile(r"^# TYPE (\S+) (\S+)$", re.MULTILINE)


def _families(metrics_address: str) -> dict[str, str]:
    """Names and kinds on a page; the moments at which counters were made are left out."""
    with urllib.request.urlopen(f"http://{metrics_address}/metrics", timeout=20) as answer:
        page = answer.read().decode()
    return {
        name: kind
        for name, kind in FAMILY.findall(page)
        if not OF_THE_PROCESS.match(name) and not name.endswith("_created")
    }


@pytest.mark.process
async def test_each_service_shows_what_the_catalogue_says(tmp_path: Path) -> None:
    async with AsyncExitStack() as started:
        targets: dict[str, str] = {}
        for service in ("betting", "evaluator", "dealer", "tournament_ledger", "orchestrator"):
            own = targets if service == "orchestrator" else {}
            if service in {"dealer", "tournament_ledger", "orchestrator"}:
                own = {**own, "DATABASE": str(tmp_path / f"{service}.sqlite")}
            process = await started.enter_async_context(running(service, tmp_path, own))
            targets[f"{service.upper()}_TARGET"] = process.address
            shown = _families(process.metrics_address)
            assert shown == {each.name: each.kind for each in shown_by(service)}, service
