"""Opening the database that a setting names, whatever engine it needs."""

from pathlib import Path
from types import ModuleType

from prometheus_client import CollectorRegistry

from shared.config.location import Location
from shared.observability.tracing import current_tracer
from shared.storage.database import Store
from shared.storage.metered import MeteredStore
from shared.storage.sqlite import open_store


async def open_database(location: Location, service: str, migrations: ModuleType | None = None) -> Store:
    """The database of a service, brought to the newest schema; StoreRefused says why not.

    The folder of a file is made where it is missing. The driver of PostgreSQL is loaded only where one is named.
    """
    if isinstance(location, Path):
        location.parent.mkdir(parents=True, exist_ok=True)
        return await open_store(str(location), service, migrations)
    from shared.storage.postgres import open_postgres

    return await open_postgres(location, service, migrations)


def watched(store: Store, registry: CollectorRegistry) -> Store:
    """The store with its work counted, and seen in traces where they are on."""
    tracer = current_tracer()
    if tracer is None:
        return MeteredStore(store, registry)
    from shared.storage.traced import TracedStore

    return TracedStore(store, registry, tracer)
