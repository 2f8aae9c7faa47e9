"""Which services make the suite, where they listen, and with which settings each one is started."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

BASE_PORT = 7100
METRICS_OFFSET = 100
ORCHESTRATOR = "orchestrator"
LEDGER = "tournament_ledger"
SUPPLIERS = ("dealer", "betting", "evaluator", LEDGER)
"""The services that the orchestrator asks; they start first and stop last."""
SERVICES = (*SUPPLIERS, ORCHESTRATOR)
STARTING = "starting dealer, betting, evaluator, tournament ledger and orchestrator ..."

_OFFSETS = {ORCHESTRATOR: 0, "dealer": 1, "betting": 2, "evaluator": 3, LEDGER: 4}
_STORING = frozenset({"dealer", LEDGER, ORCHESTRATOR})
_SCRIPTED = {"dealer": "SCRIPTED_DECKS", ORCHESTRATOR: "SCRIPTED_TABLES"}
_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a service listens: host:port of its calls and of its metrics."""

    listen: str
    metrics_listen: str


def wanted(service: str, base_port: int) -> Bound:
    """The addresses of a service in a suite on this base port; 0 lets the system choose."""
    if base_port == 0:
        return Bound(f"{_HOST}:0", f"{_HOST}:0")
    port = base_port + _OFFSETS[service]
    return Bound(f"{_HOST}:{port}", f"{_HOST}:{port + METRICS_OFFSET}")


def settings_of(
    service: str,
    folder: PurePath,
    bound: Bound,
    suppliers: Mapping[str, Bound],
    *,
    scripted: bool,
    secured: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The environment variables that a service of the suite is started with; ``secured``: its settings of TLS."""
    settings = {
        "LISTEN": bound.listen,
        "METRICS_LISTEN": bound.metrics_listen,
        "READY_FILE": str(ready_file(service, folder)),
    }
    if service in _STORING:
        settings["DATABASE"] = str(folder / f"{service}.sqlite")
    if service == ORCHESTRATOR:
        settings |= {f"{supplier.upper()}_TARGET": suppliers[supplier].listen for supplier in SUPPLIERS}
    if scripted and service in _SCRIPTED:
        settings[_SCRIPTED[service]] = "allowed"
    settings |= secured or {}
    prefix = f"SEVENSTUD_{service.upper()}_"
    return {prefix + name: value for name, value in settings.items()}


def ready_file(service: str, folder: PurePath) -> PurePath:
    """Where a service says that it serves."""
    return folder / "run" / f"{service}.json"


def log_file(service: str, folder: PurePath) -> PurePath:
    """Where a service writes its log lines."""
    return folder / "logs" / f"{service}.log"


def first_secured_call(orchestrator: str, pki: PurePath) -> str:
    """A call with certificate and token that shows that the suite answers."""
    tls = f"-cacert {pki}/ca.pem -cert {pki}/callers/console.pem -key {pki}/callers/console.key"
    identity = f'-H "authorization: Bearer $(.venv/bin/sevenstud token --pki {pki} --role operator --id me)"'
    return f"grpcurl {tls} {identity} {orchestrator} sevenstud.orchestrator.v1.TableService/ListPresets"


def first_call(orchestrator: str) -> tuple[str, str]:
    """A call that shows that the suite answers: with grpcurl, and with the project's own Python."""
    method = "sevenstud.orchestrator.v1.TableService"
    identity = "-H 'authorization: Bearer dev:operator:me'"
    grpcurl = f"grpcurl -plaintext {identity} {orchestrator} {method}/ListPresets"
    python = (
        '.venv/bin/python -c "import grpc; '
        "from sevenstud.orchestrator.v1 import table_service_pb2 as m, table_service_pb2_grpc as s; "
        f"print(s.TableServiceStub(grpc.insecure_channel('{orchestrator}')).GetServiceInfo(m.GetServiceInfoRequest()))\""
    )
    return grpcurl, python
