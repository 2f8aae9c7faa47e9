"""Settings of the ledger, from SEVENSTUD_TOURNAMENT_LEDGER_... variables; read once, all faults at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from services.tournament_ledger.application.quotas import Quotas
from shared.config.env import Env
from shared.config.location import Location
from shared.rpc.server_settings import ServerSettings

PORT = 7104
METRICS_PORT = 7204


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the ledger runs; the names of the variables stand in brackets."""

    server: ServerSettings
    database: Location
    """A SQLite file for this process alone, or a PostgreSQL database that replicas share (DATABASE)."""
    watchers_max: int
    """Streams of facts at a time, beside those of our services (WATCHERS_MAX)."""
    quotas: Quotas
    """How much one player or organiser may fill, and whether ids may look alike (WALLETS_PER_PLAYER_MAX,
    HOLDS_PER_WALLET_MAX, TOURNAMENTS_OPEN_MAX, LOOK_ALIKE_IDS=refused or allowed)."""
    chores_seconds: float
    """How often holds and decision windows are looked after (CHORES_SECONDS)."""
    answers_kept: timedelta
    """How long the answer to a request id is remembered, in days (ANSWERS_KEPT_DAYS)."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the variables; SettingsFault names every one that is wrong."""
        env = Env("tournament_ledger", environ)
        settings = cls(
            server=ServerSettings.from_env(env, port=PORT, metrics_port=METRICS_PORT),
            database=env.database("DATABASE", "var/tournament_ledger.sqlite"),
            watchers_max=env.integer("WATCHERS_MAX", 500, 1, 100_000),
            chores_seconds=env.seconds("CHORES_SECONDS", 1.0, 0.01, 3600.0),
            quotas=Quotas(
                wallets_per_player_max=env.integer("WALLETS_PER_PLAYER_MAX", 20, 1, 200),
                holds_per_wallet_max=env.integer("HOLDS_PER_WALLET_MAX", 10_000, 1, 10_000_000),
                tournaments_open_max=env.integer("TOURNAMENTS_OPEN_MAX", 10_000, 1, 10_000_000),
                look_alikes_refused=env.choice("LOOK_ALIKE_IDS", ("refused", "allowed"), "refused") == "refused",
            ),
            answers_kept=timedelta(days=env.integer("ANSWERS_KEPT_DAYS", 90, 1, 36_500)),
        )
        env.check()
        return settings
