"""The contracts say of every RPC who may call it, and the tables of rights say the same."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from services.orchestrator.rpc.table_rights import TABLE_RIGHTS
from shared.kernel.caller import Role
from shared.rpc.rights import OPEN_RPCS, Rights
from tests.support.rights_tables import RIGHTS

PROTOS = Path(__file__).resolve().parents[2] / "protos/sevenstud"
_SERVICE = re.compile(r"^service (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_RPC = re.compile(r"((?:^  //.*\n)*)^  rpc (\w+)\(", re.MULTILINE)
_CALLERS = re.compile(r"Callers: [^.]*\.")


def sentence(rights: Rights, name: str) -> str:
    """What the comment of an RPC has to say about its callers."""
    if name in OPEN_RPCS:
        return "Callers: anybody."
    return f"Callers: {', '.join(role for role in Role if role in rights[name])}."


def faults(contract: str, rights: Mapping[str, Rights]) -> Iterator[str]:
    """Every RPC whose comment says of its callers something else than its table, or nothing."""
    for service, body in _SERVICE.findall(contract):
        for comment, name in _RPC.findall(body):
            said = _CALLERS.findall(re.sub(r"\n\s*// ?", " ", comment))
            wanted = sentence(rights[service], name)
            if said != [wanted]:
                yield f"{service}.{name}: write `{wanted}`; it says {said or 'nothing'}"


CONTRACTS = [path.read_text(encoding="utf-8") for path in sorted(PROTOS.glob("*/v1/*.proto"))]


def test_every_table_of_rights_belongs_to_a_contract() -> None:
    assert {service for contract in CONTRACTS for service, _ in _SERVICE.findall(contract)} == set(RIGHTS)


def test_every_rpc_says_who_may_call_it() -> None:
    assert not [fault for contract in CONTRACTS for fault in faults(contract, RIGHTS)]


def test_every_rpc_is_read() -> None:
    read = {name for contract in CONTRACTS for _, body in _SERVICE.findall(contract) for _, name in _RPC.findall(body)}
    assert read == {name for rights in RIGHTS.values() for name in rights} | OPEN_RPCS


@pytest.mark.parametrize(
    "comment",
    ["", "// Gives it.", "// Callers: player.", "// Callers: backend, operator, player.", "// Callers: anybody."],
)
def test_a_comment_that_is_not_true_is_found_out(comment: str) -> None:
    line = f"  {comment}\n" if comment else ""
    contract = "service TableService {\n%s  rpc OpenTable(OpenTableRequest) returns (OpenTableResponse);\n}\n"
    wanted = f"  // {sentence(TABLE_RIGHTS, 'OpenTable')}\n"
    assert not list(faults(contract % wanted, RIGHTS))
    assert list(faults(contract % line, RIGHTS))
