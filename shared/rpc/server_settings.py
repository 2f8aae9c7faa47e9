"""Where a service listens and how it stops: the settings that every service has."""

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from shared.config.env import Env
from shared.observability.tracing import TraceSettings, trace_fault
from shared.rpc.caller_limits import CallerLimits
from shared.rpc.tls_settings import TlsSettings

_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Read by ServerSettings.from_env; the names of the variables stand in brackets."""

    listen: str
    """Address of the gRPC port (LISTEN); port 0 lets the system choose."""
    metrics_listen: str
    """Address of the port for /metrics and /ready (METRICS_LISTEN)."""
    ready_file: Path | None = None
    """Written with both bound addresses as JSON once calls are served, removed at the stop (READY_FILE)."""
    tls: TlsSettings | None = None
    """Certificates and tokens (CERTIFICATE and so on); None on loopback only: callers are taken at their word."""
    insecure: bool = False
    """Listens beyond loopback without TLS and tokens: whoever reaches the port can be anybody (INSECURE)."""
    metrics_open: bool = False
    """Serves /metrics and /ready beyond loopback, in plain text, to whoever reaches them (METRICS_OPEN)."""
    reflection: bool = True
    """Lets tools such as grpcurl read the contract (REFLECTION)."""
    log_well_every: int = 1
    """One log line for so many unary calls that went well; all others are logged, but for refusals for pace or name
    beyond twenty a second (LOG_WELL_EVERY)."""
    log_level: str = "info"
    """debug, info, warning or error (LOG_LEVEL)."""
    traces: TraceSettings | None = None
    """Where traces go (TRACES_TO), and one in how many is begun here (TRACES_EVERY); None: there are none."""
    concurrent_calls_max: int = 2000
    """Calls and streams at a time; more are refused with RESOURCE_EXHAUSTED (CONCURRENT_CALLS_MAX)."""
    unary_calls_max: int = 500
    """Calls that are no streams at a time, those that wait to be handled among them; more are refused at once, with
    the time to come back (UNARY_CALLS_MAX)."""
    unary_seconds_max: float = 10.0
    """Longest time of a call that is no stream, also where the caller sets no deadline (UNARY_SECONDS_MAX)."""
    unread_seconds_max: float = 6.0
    """How long one message of a stream may wait to be read before the stream is cut off (UNREAD_SECONDS_MAX)."""
    limits: CallerLimits = field(default_factory=CallerLimits)
    """How much one caller may ask."""
    connection_seconds_max: float = 3600.0
    """Age at which a connection is ended, so that clients look for new replicas (CONNECTION_SECONDS_MAX)."""
    drain_notice_seconds: float = 0.2
    """Time between saying not ready and ending streams, for load balancers to notice (DRAIN_NOTICE_SECONDS)."""
    drain_seconds: float = 10.0
    """Time for calls in flight to finish when the service stops (DRAIN_SECONDS)."""

    @classmethod
    def from_env(cls, env: Env, *, port: int, metrics_port: int) -> "ServerSettings":
        """Read them; faults are collected by env, whose check() the caller makes."""
        settings = cls(
            listen=env.address("LISTEN", f"127.0.0.1:{port}"),
            metrics_listen=env.address("METRICS_LISTEN", f"127.0.0.1:{metrics_port}"),
            ready_file=env.optional_path("READY_FILE"),
            tls=TlsSettings.from_env(env),
            insecure=env.flag("INSECURE"),
            metrics_open=env.flag("METRICS_OPEN"),
            reflection=env.flag("REFLECTION", default=True),
            log_well_every=env.integer("LOG_WELL_EVERY", 1, 1, 1_000_000),
            log_level=env.choice("LOG_LEVEL", _LEVELS, "info"),
            traces=_traces(env),
            concurrent_calls_max=env.integer("CONCURRENT_CALLS_MAX", 2000, 1, 100_000),
            unary_calls_max=env.integer("UNARY_CALLS_MAX", 500, 1, 100_000),
            unary_seconds_max=env.seconds("UNARY_SECONDS_MAX", 10.0, 0.1, 600.0),
            unread_seconds_max=env.seconds("UNREAD_SECONDS_MAX", 6.0, 0.1, 3600.0),
            limits=CallerLimits.from_env(env),
            connection_seconds_max=env.seconds("CONNECTION_SECONDS_MAX", 3600.0, 1.0, 86_400.0),
            drain_notice_seconds=env.seconds("DRAIN_NOTICE_SECONDS", 0.2, 0.0, 60.0),
            drain_seconds=env.seconds("DRAIN_SECONDS", 10.0, 0.0, 600.0),
        )
        settings._check_reach(env)
        return settings

    def _check_reach(self, env: Env) -> None:
        """Beyond loopback nobody is taken at their word, unless that is what is wanted."""
        proven = self.tls is not None and self.tls.token_keys is not None
        if not (proven or self.insecure or is_loopback(self.listen)):
            needed = "CERTIFICATE, PRIVATE_KEY, CLIENT_CA, TOKEN_KEYS and TOKEN_ISSUER"
            risk = "or INSECURE=true, with which whoever reaches the port can be anybody"
            env.fault("LISTEN", f"is {self.listen}, not loopback: it needs {needed}, {risk}")
        if not (self.metrics_open or self.insecure or is_loopback(self.metrics_listen)):
            risk = (
                "METRICS_OPEN=true lets whoever reaches it read the figures, in plain text (INSECURE=true does as well)"
            )
            env.fault("METRICS_LISTEN", f"is {self.metrics_listen}, not loopback: {risk}")


def _traces(env: Env) -> TraceSettings | None:
    to, every = env.text("TRACES_TO", ""), env.integer("TRACES_EVERY", 1, 1, 1_000_000)
    if not to:
        return None
    fault = trace_fault(to)
    if fault is not None:
        env.fault("TRACES_TO", fault)
    return TraceSettings(to, every)


def split_address(address: str) -> tuple[str, int]:
    """Host and port of an address that was checked before."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach the address."""
    host = split_address(address)[0]
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
