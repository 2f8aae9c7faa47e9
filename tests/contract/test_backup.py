"""Backups of a database that is written to all the time, and what a restore does with the database that was there."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from services.console.__main__ import run
from shared.config.location import PostgresUrl
from shared.storage import backup as backup_module
from shared.storage.backup import Backup, back_up, restore
from shared.storage.database import StoreRefused
from shared.storage.event_log import EventLog, NewEvent
from shared.storage.moving import move
from shared.storage.opening import open_database
from shared.storage.sqlite import open_store
from tests.support.engines import migrations_of
from tests.support.postgres_server import PostgresServer


async def test_a_backup_made_while_the_service_writes_is_the_database_of_one_moment(tmp_path: Path) -> None:
    database = tmp_path / "test.db"
    store = await open_store(str(database), "test", migrations_of(tmp_path, "CREATE TABLE a (x TEXT);"))
    log, versions = EventLog(store), dict.fromkeys(("a", "b"), 0)
    stop = asyncio.Event()

    async def write() -> None:  # both streams in every write: a backup that tore one apart would show
        while not stop.is_set():
            appends = [log.append(name, versions[name], [NewEvent("fact", b"x" * 999)], 1) for name in versions]
            await store.write([*appends[0], *appends[1]])
            versions.update({name: version + 1 for name, version in versions.items()})

    async def written_since(version: int) -> None:
        async with asyncio.timeout(30):
            while versions["a"] == version:  # noqa: ASYNC110  # the writer has no bell
                await asyncio.sleep(0)

    writing = asyncio.create_task(write())
    made = []
    for number in range(5):
        await written_since(before := versions["a"])
        found = await asyncio.to_thread(back_up, database, tmp_path / f"{number}.backup")
        assert (found.service, found.schema_version, found.streams_count) == ("test", 1, 2)
        assert found.events_count >= 2 * before
        made.append(found.events_count)
    stop.set()
    await writing
    await store.close()
    assert made == sorted(made)
    for number, events in enumerate(made):
        copy = await open_store(str(tmp_path / f"{number}.backup"), "test", migrations_of(tmp_path))
        streams = dict(await EventLog(copy).streams(""))
        assert streams == {"a": events / 2, "b": events / 2}
        assert len(await EventLog(copy).read_all("a")) == streams["a"]
        await copy.close()


async def test_two_backups_to_one_name_at_once_make_one_whole_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where one job has not ended when the next one begins: the first one kept what the second had begun."""
    database, target = tmp_path / "test.db", tmp_path / "evening.backup"
    store = await open_store(str(database), "test")
    await store.write(EventLog(store).append("t", 0, [NewEvent("first", b"")], 1))
    looked_at = backup_module.looked_at

    def second_meanwhile(path: Path) -> Backup:
        found = looked_at(path)
        monkeypatch.setattr(backup_module, "_copy", lambda *_: None)  # it has begun, and copied nothing yet
        with pytest.raises(StoreRefused, match="another backup"):
            back_up(database, target)
        return found

    monkeypatch.setattr(backup_module, "looked_at", second_meanwhile)
    assert back_up(database, target).events_count == 1
    assert looked_at(target).events_count == 1
    with pytest.raises(StoreRefused, match="exists already"):
        back_up(database, target)
    await store.close()
    assert not target.with_name(f"{target.name}.unfinished").exists()  # nobody waits for the test


async def test_what_a_backup_that_was_killed_left_is_in_no_other(tmp_path: Path) -> None:
    database, target = tmp_path / "test.db", tmp_path / "evening.backup"
    store = await open_store(str(database), "test")
    await store.write(EventLog(store).append("t", 0, [NewEvent("first", b"")], 1))
    for part in ("unfinished", "unfinished-journal"):
        target.with_name(f"{target.name}.{part}").write_bytes(b"half of something" * 10_000)
    assert back_up(database, target).events_count == 1
    await store.close()


async def test_a_restore_keeps_the_former_database_with_its_journals(tmp_path: Path) -> None:
    database, backup = tmp_path / "test.db", tmp_path / "first.backup"
    store = await open_store(str(database), "test")
    log = EventLog(store)
    await store.write(log.append("t", 0, [NewEvent("first", b"")], 1))
    back_up(database, backup)
    await store.write(log.append("t", 1, [NewEvent("second", b"")], 1))
    with pytest.raises(StoreRefused, match="in use by another process"):
        restore(backup, database)
    await store.close()
    for journal in ("-wal", "-shm"):
        database.with_name(database.name + journal).write_bytes(b"of the former database")
    former = restore(backup, database)
    assert former is not None
    assert former.name == "test.db.before-restore-1"
    assert former.with_name(former.name + "-wal").read_bytes() == b"of the former database"
    restored = await open_store(str(database), "test")
    assert await EventLog(restored).version("t") == 1
    await restored.close()


async def test_a_restore_through_a_symbolic_link_is_one_of_the_file_that_services_open(tmp_path: Path) -> None:
    """The link alone was set aside: the backup came to lie beside it, on another disk than the data."""
    database, link = tmp_path / "data" / "test.db", tmp_path / "link.db"
    link.symlink_to(database)
    database.parent.mkdir()
    store = await open_store(str(link), "test")
    log = EventLog(store)
    await store.write(log.append("t", 0, [NewEvent("fact", b"x")], 1))
    back_up(link, tmp_path / "backup")
    await store.write(log.append("t", 1, [NewEvent("fact", b"x")], 1))
    await store.close()
    former = restore(tmp_path / "backup", link)
    assert link.is_symlink()
    assert former is not None
    assert former.parent == database.parent
    assert await events_in(former) == 2
    assert await events_in(database) == await events_in(link) == 1


class Killed(BaseException):
    """At this moment; nothing of the process runs any more."""


@pytest.mark.parametrize("renames", range(5))
async def test_a_restore_that_is_killed_between_two_names_is_finished_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    """The journal that stayed behind was played into the backup, or deleted by a service that began an empty one."""
    database, backup = tmp_path / "test.db", tmp_path / "first.backup"
    store = await open_store(str(tmp_path / "live.db"), "test")
    await store.write(EventLog(store).append("t", 0, [NewEvent("first", b"")], 1))
    back_up(tmp_path / "live.db", backup)
    await store.write(EventLog(store).append("t", 1, [NewEvent("second", b"")], 1))
    for ending in ("", "-wal", "-shm"):  # as a kill leaves them
        (tmp_path / f"test.db{ending}").write_bytes((tmp_path / f"live.db{ending}").read_bytes())
    await store.close()
    rename, left = Path.rename, iter(range(renames))

    def one_of_a_few(path: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise Killed
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", one_of_a_few)
        if renames < 4:
            with pytest.raises(Killed):
                restore(backup, database)
        else:
            restore(backup, database)
    if 0 < renames < 4:
        with pytest.raises(StoreRefused, match="restore it again"):
            await open_store(str(database), "test")
    restore(backup, database)
    assert await events_in(database) == 1
    assert await events_in(tmp_path / "test.db.before-restore-1") == 2


async def events_in(database: Path) -> int:
    store = await open_store(str(database), "test")
    try:
        return await EventLog(store).version("t")
    finally:
        await store.close()


async def test_a_restore_that_cannot_be_finished_leaves_the_database_where_it_was(tmp_path: Path) -> None:
    """Else the service would start with an empty one, beside others that go on."""
    database, backup = tmp_path / "test.db", tmp_path / "first.backup"
    store = await open_store(str(database), "test")
    await store.write(EventLog(store).append("a", 0, [NewEvent("fact", b"x")], 1))
    await store.close()
    back_up(database, backup)
    (tmp_path / "test.db.unfinished").mkdir()  # as where the disk is full: the copy cannot be made
    with pytest.raises(StoreRefused, match="the former database is kept"):
        restore(backup, database)
    assert database.is_file()
    assert not (tmp_path / "test.db.before-restore-1").exists()
    store = await open_store(str(database), "test")
    assert len(await EventLog(store).read_all("a")) == 1
    await store.close()


async def test_a_database_of_a_service_that_does_not_run_is_backed_up_with_what_its_journal_holds(
    tmp_path: Path,
) -> None:
    database = tmp_path / "test.db"
    store = await open_store(str(database), "test")
    await store.write(EventLog(store).append("t", 0, [NewEvent("first", b"")], 1))
    for part in ("test.db", "test.db-wal"):  # as a kill leaves them
        (tmp_path / f"killed-{part}").write_bytes((tmp_path / part).read_bytes())
    await store.close()
    assert back_up(tmp_path / "killed-test.db", tmp_path / "backup").events_count == 1


async def test_a_journal_beside_an_empty_file_is_refused_and_stays(tmp_path: Path, postgres: PostgresServer) -> None:
    """As a copy leaves it that was broken off: SQLite takes the file for a new database and deletes all there was."""
    database = tmp_path / "emptied.db"
    journal = database.with_name("emptied.db-wal")
    store = await open_store(str(tmp_path / "live.db"), "test")
    await store.write(EventLog(store).append("t", 0, [NewEvent("first", b"")], 1))
    whole, left = ((tmp_path / f"live.db{ending}").read_bytes() for ending in ("", "-wal"))
    await store.close()
    database.touch()
    journal.write_bytes(left)
    url = PostgresUrl(await postgres.new_database())
    with pytest.raises(StoreRefused, match="missing or empty"):
        await open_store(str(database), "test")
    for other in (lambda: back_up(database, tmp_path / "backup"), lambda: restore(database, tmp_path / "other.db")):
        with pytest.raises(StoreRefused, match="missing or empty"):
            other()
    with pytest.raises(StoreRefused, match="missing or empty"):
        await move(database, "test", url)
    assert journal.read_bytes() == left
    database.write_bytes(whole)
    assert await events_in(database) == 1


async def test_a_database_is_not_backed_up_or_moved_under_a_second_name_that_lacks_its_journal(tmp_path: Path) -> None:
    database, second = tmp_path / "test.db", tmp_path / "elsewhere" / "test.db"
    store = await open_store(str(database), "test", migrations_of(tmp_path, "CREATE TABLE a (x TEXT);"))
    await store.close()  # all of it is in the file; what is written now is in the journal
    store = await open_store(str(database), "test", migrations_of(tmp_path))
    await store.write(EventLog(store).append("a", 0, [NewEvent("fact", b"x")], 1))
    second.parent.mkdir()
    second.hardlink_to(database)
    nowhere = PostgresUrl("postgresql://nobody@127.0.0.1:1/nothing")
    for name in (second, database):
        with pytest.raises(StoreRefused, match="2 names"):
            back_up(name, tmp_path / "made.backup")
        with pytest.raises(StoreRefused, match="2 names"):
            await move(name, "test", nowhere)
    second.unlink()
    assert back_up(database, tmp_path / "made.backup").events_count == 1
    await store.close()


def test_what_cannot_be_backed_up_or_restored_is_said_and_nothing_is_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign, damaged, taken = tmp_path / "foreign", tmp_path / "damaged", tmp_path / "taken"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    damaged.write_bytes(b"this is no database" * 1000)
    taken.write_bytes(b"kept")
    database = tmp_path / "database"
    for source in (foreign, damaged, tmp_path / "missing"):
        assert run(["restore", str(source), str(database)], {}) == 1
        assert run(["backup", str(source), str(tmp_path / "new")], {}) == 1
    assert run(["backup", str(foreign), str(taken)], {}) == 1
    errors = capsys.readouterr().err
    assert "no database of ours" in errors
    assert "damaged or no database" in errors
    assert "exists already" in errors
    assert taken.read_bytes() == b"kept"
    assert not {"database", "new", "new.unfinished"} & {path.name for path in tmp_path.iterdir()}


def test_a_database_in_postgresql_is_left_to_its_own_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["backup", "postgresql://ann:hunter2@db/books", str(tmp_path / "b")], {}) == 2
    assert run(["restore", str(tmp_path / "b"), "postgresql://ann:hunter2@db/books"], {}) == 2
    errors = capsys.readouterr().err
    assert "pg_dump --format=custom" in errors
    assert "pg_restore --exit-on-error" in errors
    assert "hunter2" not in errors


async def test_a_dump_of_postgresql_restores_to_a_database_that_opens(postgres: PostgresServer) -> None:
    url = await postgres.new_database()
    store = await open_database(PostgresUrl(url), "test")
    await store.write(EventLog(store).append("t", 0, [NewEvent("first", b"\x00")], 1))
    dump = await asyncio.to_thread(postgres.dump, url)
    await store.write(EventLog(store).append("t", 1, [NewEvent("second", b"")], 1))
    await store.close()
    again = await postgres.new_database()
    await asyncio.to_thread(postgres.restore, again, dump)
    restored = await open_database(PostgresUrl(again), "test")
    assert [event.payload for event in await EventLog(restored).read_all("t")] == [b"\x00"]
    await restored.close()
