"""A store whose work is seen in traces; made only where traces are on. No SQL and no value is in a span."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry

from shared.observability.spans import Tracer
from shared.storage.database import Row, SqlValue, Statement, Store
from shared.storage.event_log import APPEND_LABEL
from shared.storage.metered import MeteredStore


class TracedStore(MeteredStore):
    """See MeteredStore."""

    def __init__(self, store: Store, registry: CollectorRegistry, tracer: Tracer) -> None:
        """Count and trace the work of this store from now on."""
        super().__init__(store, registry)
        self._tracer = tracer

    async def write(self, statements: Sequence[Statement]) -> None:
        """See Store.write; an append to a log is named as such."""
        append = any(each.label == APPEND_LABEL for each in statements)
        with self._tracer.doing("store append" if append else "store write", statements=len(statements)):
            await super().write(statements)

    async def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[Row]:
        """See Store.read."""
        with self._tracer.doing("store read"):
            return await super().read(sql, params)
