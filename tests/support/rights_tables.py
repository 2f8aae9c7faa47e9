"""Every table of rights, every RPC of the contract, and the readable page of both.

The page is written by ``.venv/bin/python -m tests.support.rights_tables``.
"""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor import FileDescriptor, MethodDescriptor, ServiceDescriptor

from services.betting.rpc.rights import RIGHTS as BETTING
from services.dealer.rpc.rights import RIGHTS as DEALER
from services.evaluator.rpc.rights import RIGHTS as EVALUATOR
from services.orchestrator.rpc.table_rights import TABLE_RIGHTS
from services.orchestrator.rpc.tournament_rights import TOURNAMENT_RIGHTS
from services.tournament_ledger.rpc.rights import RIGHTS as LEDGER
from shared.kernel.caller import Role
from shared.rpc.rights import OPEN_RPCS, SUBJECT, About, Method, Rights, methods_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "services/rights.md"
RIGHTS: Mapping[str, Rights] = {
    "BettingService": BETTING,
    "DealerService": DEALER,
    "EvaluatorService": EVALUATOR,
    "TableService": TABLE_RIGHTS,
    "TournamentService": TOURNAMENT_RIGHTS,
    "TournamentLedgerService": LEDGER,
}
NEVER, ALWAYS = "-", "yes"
_HEAD = f"""# Who may do what

Every RPC by role, and by the player whom the call is about, where its request names one (`{SUBJECT}`). What is not here
is refused: a service with an RPC without a rule does not start. Written from the tables of rights
(`services/*/rpc/*rights.py`) by `.venv/bin/python -m tests.support.rights_tables`; tests hold it to them, and to what
the services answer over gRPC, cell by cell. How callers prove who they are: [shared/](../shared/README.md#who-calls).

| cell | meaning |
| --- | --- |
| {NEVER} | refused with PERMISSION_DENIED |
| {ALWAYS} | allowed; the request is about no player |
| {About.ANYBODY} | allowed, whoever the player is |
| {About.ITSELF} | a player for itself alone |
| {About.OWN_EYES} | a player looks: its own cards, or none |
| {About.ITS_PLAYERS} | a back end for its players: ids that begin with the prefix in its token; or about none |
| {About.SPECTATOR} | looks as a spectator: names no player |

`GetServiceInfo` of every service, health and reflection are open to whoever can connect. The role `service` is the
orchestrator alone where TLS is on; the certificate of another service opens nothing. Who cannot prove who they are is
refused with UNAUTHENTICATED.
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one role may do with one RPC."""

    method: MethodDescriptor
    role: Role
    word: str


def contracts() -> Iterator[ServiceDescriptor]:
    """Every gRPC service of the contract, found in the contract's own files."""
    for path in sorted((ROOT / "protos/sevenstud").glob("*/v1/*_service.proto")):
        name = f"sevenstud.{path.parent.parent.name}.v1.{path.stem}_pb2"
        file: FileDescriptor = importlib.import_module(name).DESCRIPTOR
        yield from file.services_by_name.values()


def methods(service: ServiceDescriptor) -> list[Method]:
    """The RPCs of a service with their rules; KeyError or ValueError where one has none."""
    return list(methods_of((service,), RIGHTS[service.name]).values())


def word(method: Method, role: Role) -> str:
    """What the page says of a role and an RPC."""
    about = method.rule.get(role) if method.rule is not None else About.ANYBODY
    if about is None:
        return NEVER
    return about.value if SUBJECT in method.descriptor.input_type.fields_by_name else ALWAYS


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_section(service) for service in contracts())


def _section(service: ServiceDescriptor) -> str:
    rows = [[f"`{method.name}`", *(word(method, role) for role in Role)] for method in methods(service)]
    lines = [["RPC", *Role], ["---"] * (len(Role) + 1), *rows]
    return f"\n## {service.full_name}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cells_of_the_page() -> Iterator[Cell]:
    """Every cell, as the page says it: the page that people read is what the services are held to."""
    known = {service.full_name: service for service in contracts()}
    service: ServiceDescriptor | None = None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            service = known.pop(line[3:])
        elif service is not None and line.startswith("| `"):
            name, *words = (cell.strip(" `") for cell in line.strip("|").split("|"))
            method = service.methods_by_name[name]
            if method.name not in OPEN_RPCS:
                yield from (Cell(method, role, said) for role, said in zip(Role, words, strict=True))
    if known:
        raise AssertionError(f"the page says nothing of {', '.join(known)}")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
