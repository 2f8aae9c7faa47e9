"""One table of every RPC by role and subject: whole, readable, and the same as the code."""

import pytest

from services.orchestrator.rpc.table_rights import TABLE_RIGHTS
from shared.kernel.caller import Role
from shared.rpc.rights import OPEN_RPCS, About, anybody, methods_of
from tests.support.rights_tables import PAGE, RIGHTS, cells_of_the_page, contracts, methods, page

TABLES = next(service for service in contracts() if service.name == "TableService")


def test_every_rpc_of_the_contract_has_a_rule() -> None:
    assert {service.name for service in contracts()} == set(RIGHTS)
    assert all(method.rule is not None or method.name in OPEN_RPCS for each in contracts() for method in methods(each))


def test_the_page_says_what_the_code_does() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: .venv/bin/python -m tests.support.rights_tables"


def test_every_cell_of_the_page_is_read() -> None:
    rpcs = sum(len(each.methods) for each in contracts()) - sum(
        name in each.methods_by_name for each in contracts() for name in OPEN_RPCS
    )
    assert len(list(cells_of_the_page())) == rpcs * len(Role)


def test_an_rpc_without_a_rule_is_found_before_anything_is_served() -> None:
    rights = {name: rule for name, rule in TABLE_RIGHTS.items() if name != "Act"}
    with pytest.raises(ValueError, match="TableService/Act has no rule"):
        methods_of((TABLES,), rights)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("Act", anybody(Role.PLAYER)),
        ("Act", {Role.PLAYER: About.SPECTATOR}),
        ("Act", anybody(Role.BACKEND)),
        ("GetTable", {Role.OPERATOR: About.OWN_EYES}),
        ("ListTables", {Role.PLAYER: About.ITSELF}),
    ],
)
def test_a_rule_that_does_not_fit_its_request_is_found_before_anything_is_served(
    name: str, rule: dict[Role, About]
) -> None:
    with pytest.raises(ValueError, match=f"{name}: the rule of .* does not fit"):
        methods_of((TABLES,), {**TABLE_RIGHTS, name: rule})
