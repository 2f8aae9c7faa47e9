"""Settings of the orchestrator: environment variables SEVENSTUD_ORCHESTRATOR_..., read once, all faults together."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from shared.config.env import Env
from shared.config.location import Location
from shared.rpc.server_settings import ServerSettings

_PORT = 7100
_METRICS_PORT = 7200


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set; the names of the variables stand in brackets."""

    server: ServerSettings
    """Where it listens and how it stops."""
    database: Location
    """A SQLite file for this process alone, or a PostgreSQL database that replicas share (DATABASE)."""
    dealer_target: str
    """Where the dealer is (DEALER_TARGET)."""
    betting_target: str
    """Where the betting service is (BETTING_TARGET)."""
    evaluator_target: str
    """Where the evaluator is (EVALUATOR_TARGET)."""
    ledger_target: str
    """Where the tournament ledger is (TOURNAMENT_LEDGER_TARGET)."""
    call_seconds: float
    """Longest time of one call to another service (CALL_SECONDS)."""
    scripted_tables: bool
    """Tables with cards chosen beforehand are allowed, and so is a dealer that deals them (SCRIPTED_TABLES)."""
    compare_histories: bool
    """Tables whose dealer or ledger has older or other data keep it from starting (HISTORIES=compared or ignored)."""
    answers_kept: timedelta
    """How long the same request id gets its first answer again (ANSWERS_KEPT_DAYS)."""
    tables_max: int
    """Most open tables; cash tables beyond it are refused (TABLES_MAX)."""
    watchers_max: int
    """Most streams of watchers at a time (WATCHERS_MAX)."""
    changes_per_hand_max: int
    """Most times a player may sit out, come back, switch the ante or set a key in one hand (CHANGES_PER_HAND_MAX)."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the settings; SettingsFault names every one that is wrong."""
        env = Env("orchestrator", environ)
        settings = cls(
            server=ServerSettings.from_env(env, port=_PORT, metrics_port=_METRICS_PORT),
            database=env.database("DATABASE", "var/orchestrator.sqlite"),
            dealer_target=env.target("DEALER_TARGET", "127.0.0.1:7101"),
            betting_target=env.target("BETTING_TARGET", "127.0.0.1:7102"),
            evaluator_target=env.target("EVALUATOR_TARGET", "127.0.0.1:7103"),
            ledger_target=env.target("TOURNAMENT_LEDGER_TARGET", "127.0.0.1:7104"),
            call_seconds=env.seconds("CALL_SECONDS", 5.0, 0.1, 60.0),
            scripted_tables=env.choice("SCRIPTED_TABLES", ("refused", "allowed"), "refused") == "allowed",
            compare_histories=env.choice("HISTORIES", ("compared", "ignored"), "compared") == "compared",
            answers_kept=timedelta(days=env.integer("ANSWERS_KEPT_DAYS", 90, 1, 36_500)),
            tables_max=env.integer("TABLES_MAX", 10_000, 1, 1_000_000),
            watchers_max=env.integer("WATCHERS_MAX", 10_000, 1, 1_000_000),
            changes_per_hand_max=env.integer("CHANGES_PER_HAND_MAX", 20, 1, 10_000),
        )
        env.check()
        return settings
