"""What can be set from outside: SEVENSTUD_BETTING_..."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.config.env import Env
from shared.rpc.server_settings import ServerSettings

PORT = 7102
METRICS_PORT = 7202


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of betting: it keeps nothing, so where it listens is all there is."""

    server: ServerSettings
    """Where it listens and how it stops."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read them; SettingsFault names every fault at once."""
        env = Env("betting", environ)
        settings = cls(server=ServerSettings.from_env(env, port=PORT, metrics_port=METRICS_PORT))
        env.check()
        return settings
