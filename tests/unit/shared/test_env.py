"""Settings from the environment: typed, all faults at once, secrets never shown."""

from pathlib import Path

import pytest

from shared.config.env import Env, Secret, SettingsFault
from shared.config.location import PostgresUrl
from shared.rpc.server_settings import ServerSettings


def test_every_kind_of_setting_is_read() -> None:
    environ = {
        "SEVENSTUD_DEALER_DATABASE": " /var/dealer.db ",
        "SEVENSTUD_DEALER_KEY": "hunter2",
        "SEVENSTUD_DEALER_LIMIT": "7",
        "SEVENSTUD_DEALER_WAIT": "0.5",
        "SEVENSTUD_DEALER_SCRIPTED": "Yes",
        "SEVENSTUD_DEALER_PEER": "[::1]:7101",
        "SEVENSTUD_DEALER_MODE": "fast",
        "SEVENSTUD_LEDGER_OTHER": "not ours",
    }
    env = Env("dealer", environ)
    assert env.path("DATABASE") == Path("/var/dealer.db")
    assert env.secret("KEY").reveal() == "hunter2"
    assert env.integer("LIMIT", 1, 0, 9) == 7
    assert env.seconds("WAIT", 1.0, 0.1, 2.0) == 0.5
    assert env.flag("SCRIPTED") is True
    assert env.address("PEER", "127.0.0.1:1") == "[::1]:7101"
    assert env.choice("MODE", ("fast", "slow"), "slow") == "fast"
    assert env.identifier("NAME", "dealer-1") == "dealer-1"
    assert env.optional_path("READY_FILE") is None
    env.check()


def test_all_faults_are_told_at_once_and_no_secret_with_them() -> None:
    environ = {
        "SEVENSTUD_DEALER_LIMIT": "10",
        "SEVENSTUD_DEALER_WAIT": "-1",
        "SEVENSTUD_DEALER_SCRIPTED": "maybe",
        "SEVENSTUD_DEALER_PEER": "nowhere",
        "SEVENSTUD_DEALER_MODE": "warp",
        "SEVENSTUD_DEALER_KEY": "hunter2",
        "SEVENSTUD_DEALER_DATABSE": "typo",
    }
    env = Env("dealer", environ)
    env.text("DATABASE")
    env.integer("LIMIT", 1, 0, 9)
    env.seconds("WAIT", 1.0, 0.1, 2.0)
    env.flag("SCRIPTED")
    env.address("PEER", "127.0.0.1:1")
    env.choice("MODE", ("fast", "slow"), "slow")
    env.secret("KEY")
    with pytest.raises(SettingsFault) as fault:
        env.check()
    assert [text.split(" ")[0].removeprefix("SEVENSTUD_DEALER_") for text in fault.value.faults] == [
        "DATABASE",
        "LIMIT",
        "WAIT",
        "SCRIPTED",
        "PEER",
        "MODE",
        "DATABSE",
    ]
    assert "hunter2" not in str(fault.value)


def test_a_secret_shows_itself_only_when_asked() -> None:
    secret = Secret("hunter2")
    assert "hunter2" not in f"{secret} {secret!r} {[secret]}"
    assert secret == Secret("hunter2")
    assert not Secret("")


@pytest.mark.parametrize(
    ("listen", "insecure", "allowed"),
    [
        ("127.0.0.1:0", False, True),
        ("localhost:7101", False, True),
        ("[::1]:7101", False, True),
        ("0.0.0.0:7101", False, False),
        ("10.0.0.1:7101", False, False),
        ("dealer.example:7101", False, False),
        ("0.0.0.0:7101", True, True),
    ],
)
def test_an_address_beyond_loopback_must_be_accepted_explicitly(listen: str, insecure: bool, allowed: bool) -> None:
    environ = {"SEVENSTUD_DEALER_LISTEN": listen, "SEVENSTUD_DEALER_INSECURE": str(insecure)}
    env = Env("dealer", environ)
    ServerSettings.from_env(env, port=7101, metrics_port=7201)
    if allowed:
        env.check()
    else:
        with pytest.raises(SettingsFault, match="INSECURE=true"):
            env.check()


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("var/dealer.sqlite", "var/dealer.sqlite"),
        ("/var/dealer.sqlite", "/var/dealer.sqlite"),
        ("sqlite:////var/dealer.sqlite", "/var/dealer.sqlite"),
        ("sqlite:///var/dealer.sqlite", "var/dealer.sqlite"),
        ("of:the:house.sqlite", "of:the:house.sqlite"),
    ],
)
def test_a_database_is_a_path_or_a_sqlite_location(location: str, path: str) -> None:
    env = Env("dealer", {"SEVENSTUD_DEALER_DATABASE": location})
    assert env.database("DATABASE", "other.sqlite") == Path(path)
    env.check()


@pytest.mark.parametrize(
    "location",
    [
        "postgresql://user:hunter2@db:5432/books",
        "postgres://user:hunter2@db/books?sslmode=require",
        "postgresql://user:hunter2@[::1]/books",
        "postgresql://user:hunter2@a:5432,b:5433/books",
        "postgresql:///books?host=/run/postgresql&password=hunter2",
    ],
)
def test_a_database_may_be_a_postgresql_address_that_is_never_shown_whole(location: str) -> None:
    env = Env("dealer", {"SEVENSTUD_DEALER_DATABASE": location})
    found = env.database("DATABASE", "other.sqlite")
    env.check()
    assert isinstance(found, PostgresUrl)
    assert found.reveal() == location
    assert "hunter2" not in f"{found} {found!r}"
    assert "/books" in str(found)


@pytest.mark.parametrize(
    ("location", "problem"),
    [
        ("postgresql://user:hunter2@db", "no address of a PostgreSQL database: write postgresql://"),
        ("postgres://user:hunter2@db:hunter2/books", "no address of a PostgreSQL database"),
        ("postgresql://user:hunter2@db:70000/books", "no address of a PostgreSQL database"),
        ("postgresql://[hunter2/books", "no address of a PostgreSQL database"),
        ("PostgreSQL+asyncpg://user:hunter2@db/books", "scheme postgresql+asyncpg"),
        ("mysql://user:hunter2@db/books", "scheme mysql"),
        ("file:/hunter2/books.sqlite", "scheme file"),
        ("sqlite://hunter2.sqlite", "is no sqlite:///"),
        ("sqlite:///postgresql://user:hunter2@db/books", "names a PostgreSQL database where a file is wanted"),
        ("user:hunter2@://db/books", "names no file"),
        ("sqlite:///", "names no file"),
        ("/", "names no file"),
    ],
)
def test_a_database_of_another_kind_is_a_fault_that_shows_no_password(location: str, problem: str) -> None:
    env = Env("dealer", {"SEVENSTUD_DEALER_DATABASE": location})
    assert env.database("DATABASE", "other.sqlite") == Path("other.sqlite")
    with pytest.raises(SettingsFault) as fault:
        env.check()
    assert len(fault.value.faults) == 1
    assert problem in str(fault.value)
    assert "hunter2" not in str(fault.value)


def test_the_known_settings_are_listed_once_however_many_are_misspelt() -> None:
    env = Env("dealer", {f"SEVENSTUD_DEALER_{name}": "x" for name in ("LIMTI", "LIMITT", "LIMMIT")})
    env.integer("LIMIT", 1, 0, 9)
    with pytest.raises(SettingsFault) as fault:
        env.check()
    assert fault.value.faults == (
        "SEVENSTUD_DEALER_LIMITT is not a setting",
        "SEVENSTUD_DEALER_LIMMIT is not a setting",
        "SEVENSTUD_DEALER_LIMTI is not a setting; known: SEVENSTUD_DEALER_LIMIT",
    )


@pytest.mark.parametrize("given", ["dealer:7101", "[::1]:7101", "10.0.0.1:7101", "10.0.0.1:7101,10.0.0.2:7102"])
def test_another_service_is_one_name_or_several_addresses(given: str) -> None:
    env = Env("orchestrator", {"SEVENSTUD_ORCHESTRATOR_DEALER_TARGET": given})
    assert env.target("DEALER_TARGET", "127.0.0.1:1") == given
    env.check()


@pytest.mark.parametrize(
    "given", ["dns:///dealer:7101", "dealer", "dealer:0", "a:1,b:2", "10.0.0.1:1,", "10.0.0.1:70000"]
)
def test_another_service_that_cannot_be_reached_so_is_a_fault(given: str) -> None:
    env = Env("orchestrator", {"SEVENSTUD_ORCHESTRATOR_DEALER_TARGET": given})
    assert env.target("DEALER_TARGET", "127.0.0.1:1") == "127.0.0.1:1"
    with pytest.raises(SettingsFault, match="host:port"):
        env.check()
