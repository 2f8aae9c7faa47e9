"""A PostgreSQL database as it was a moment ago, under processes that go on: a standby took over that lacked some."""

import asyncpg

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


class Moment:
    """What a database held when it was kept."""

    def __init__(self, url: str, tables: list[str]) -> None:
        self._url = url
        self._tables = tables

    @classmethod
    async def of(cls, url: str) -> "Moment":
        """Keep what is there now, beside it."""
        connection = await asyncpg.connect(url)
        tables = [str(row[0]) for row in await connection.fetch(_TABLES)]
        await connection.execute("CREATE SCHEMA kept")
        async with connection.transaction(isolation="repeatable_read"):
            for table in tables:
                await connection.execute(f"CREATE TABLE kept.{table} AS SELECT * FROM public.{table}")  # noqa: S608  # names of our own schema
        await connection.close()
        return cls(url, tables)

    async def comes_back(self) -> None:
        """All that was written since is gone."""
        connection = await asyncpg.connect(self._url)
        async with connection.transaction():
            for table in self._tables:
                await connection.execute(f"DELETE FROM public.{table}")  # noqa: S608  # as above
                await connection.execute(f"INSERT INTO public.{table} SELECT * FROM kept.{table}")  # noqa: S608  # as above
        await connection.close()
