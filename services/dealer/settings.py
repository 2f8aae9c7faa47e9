"""Settings of the dealer, from SEVENSTUD_DEALER_... variables; read once, all faults at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from services.dealer.domain.sealing_keys import SealingKeys, parse_keys
from shared.config.env import Env
from shared.config.location import Location
from shared.rpc.server_settings import ServerSettings

PORT = 7101
METRICS_PORT = 7201
KEY_FILE_NAME = "dealer.keys"
STREET_SILENCE_SECONDS = 1800.0
"""Longer than eight players with their clocks and banks take over the longest street."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the dealer runs; the names of the variables stand in brackets."""

    server: ServerSettings
    database: Location
    """A SQLite file for this process alone, or a PostgreSQL database that replicas share (DATABASE)."""
    keys: SealingKeys | None
    """Keys that hands are sealed under, id:hex64 each, the current one first (KEYS); None: the key file."""
    key_file: Path
    """Where the keys are kept without KEYS; made at the first start, beside a database that is a file (KEY_FILE)."""
    scripted_decks: bool
    """Cards may be chosen beforehand, for replays and tests; no real table trusts such a dealer (SCRIPTED_DECKS)."""
    street_silence_seconds: float
    """How long nothing may follow a street that was dealt before there is an alarm (STREET_SILENCE_SECONDS)."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the variables; SettingsFault names every one that is wrong."""
        env = Env("dealer", environ)
        server = ServerSettings.from_env(env, port=PORT, metrics_port=METRICS_PORT)
        database = env.database("DATABASE", "var/dealer.sqlite")
        keys = _keys(env)
        settings = cls(
            server=server,
            database=database,
            keys=keys,
            key_file=_key_file(env, database, needed=keys is None),
            scripted_decks=env.choice("SCRIPTED_DECKS", ("allowed", "refused"), "refused") == "allowed",
            street_silence_seconds=env.seconds("STREET_SILENCE_SECONDS", STREET_SILENCE_SECONDS, 1.0, 86_400.0),
        )
        env.check()
        return settings


def _key_file(env: Env, database: Location, *, needed: bool) -> Path:
    """Beside a file; with PostgreSQL it must be named, since all dealers of a database need the same keys."""
    if isinstance(database, Path):
        return env.path("KEY_FILE", str(database.with_name(KEY_FILE_NAME)))
    named = env.optional_path("KEY_FILE")
    if named is None and needed:
        env.fault("KEY_FILE", "or KEYS must be given with PostgreSQL: the same keys for every dealer of the database")
    return named or Path(KEY_FILE_NAME)


def _keys(env: Env) -> SealingKeys | None:
    secret = env.secret("KEYS", "")
    if not secret:
        return None
    try:
        return parse_keys(secret.reveal())
    except ValueError as fault:
        env.fault("KEYS", f"cannot be read: {fault}")
        return None
