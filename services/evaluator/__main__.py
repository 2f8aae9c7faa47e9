"""The evaluator as a process: ``python -m services.evaluator``."""

import os
import sys

from services.evaluator.adapters.engines import EngineMissing, choose_engine
from services.evaluator.adapters.kept_memory import keep_freed_memory
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.metrics import EvaluatorMetrics
from services.evaluator.rpc.assembly import SERVICE, evaluator_assembly
from services.evaluator.settings import Settings
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.rpc.drain import Drain
from shared.rpc.main import observe, run_service
from shared.rpc.server import StartFault, serve


async def main() -> None:
    """Read the settings, put the parts together, serve until asked to stop."""
    settings = Settings.from_env(os.environ)
    observe(SERVICE, settings.server)
    keep_freed_memory()
    registry = new_registry()
    metrics = EvaluatorMetrics(registry)
    try:
        engines = choose_engine(settings.engine)
    except EngineMissing as missing:
        raise StartFault(str(missing)) from missing
    get_log().info("engine", engine=engines.name)
    batch = ValueBatch(engines.batch, Slots("batches_max", settings.batches_max), metrics.batch_asked)
    slots = Slots("equity_streams_max", settings.equity_streams_max)
    equity = EstimateEquity(engines.equity, slots, metrics.equity_counted)
    drain = Drain()
    limits = {"batches_max": settings.batches_max, "equity_streams_max": settings.equity_streams_max}
    await serve(evaluator_assembly(batch, equity, drain, limits, registry), settings.server, drain)


if __name__ == "__main__":
    sys.exit(run_service(main))
