"""What can be set from outside: SEVENSTUD_EVALUATOR_..."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.config.env import Env
from shared.rpc.server_settings import ServerSettings

PORT = 7103
METRICS_PORT = 7203
ENGINES = ("auto", "plain", "numpy", "compiled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the evaluator; names of the variables in brackets."""

    server: ServerSettings
    """Where it listens and how it stops."""
    batches_max: int
    """Batches worked on at once, three quarters of them for one caller; more are refused (BATCHES_MAX)."""
    engine: str
    """What values hands and plays out deals: plain, numpy, compiled, or auto: numpy if it is installed (ENGINE)."""
    equity_streams_max: int
    """Equity questions worked on at once, shared out alike; more are refused (EQUITY_STREAMS_MAX)."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read them; SettingsFault names every fault at once."""
        env = Env("evaluator", environ)
        settings = cls(
            server=ServerSettings.from_env(env, port=PORT, metrics_port=METRICS_PORT),
            batches_max=env.integer("BATCHES_MAX", 8, 1, 1_000),
            engine=env.choice("ENGINE", ENGINES, ENGINES[0]),
            equity_streams_max=env.integer("EQUITY_STREAMS_MAX", 16, 1, 1_000),
        )
        env.check()
        return settings
