"""Which settings the services of a suite get."""

from pathlib import PurePosixPath

import pytest

from services.console.domain.suite_plan import BASE_PORT, SERVICES, Bound, first_call, settings_of, wanted

FOLDER = PurePosixPath("/data")
SUPPLIERS = {service: Bound(f"127.0.0.1:9{number}", "") for number, service in enumerate(SERVICES)}


def _settings(service: str, *, scripted: bool = False) -> dict[str, str]:
    return settings_of(service, FOLDER, wanted(service, BASE_PORT), SUPPLIERS, scripted=scripted)


def test_every_service_has_ports_of_its_own() -> None:
    bound = [wanted(service, BASE_PORT) for service in SERVICES]
    addresses = [address for each in bound for address in (each.listen, each.metrics_listen)]
    assert len(set(addresses)) == 2 * len(SERVICES)


def test_the_orchestrator_listens_on_the_base_port() -> None:
    assert wanted("orchestrator", 7100) == Bound("127.0.0.1:7100", "127.0.0.1:7200")


def test_with_no_base_port_the_system_chooses() -> None:
    assert {wanted(service, 0).listen for service in SERVICES} == {"127.0.0.1:0"}


def test_the_orchestrator_is_told_where_the_others_are() -> None:
    settings = _settings("orchestrator")
    for service in ("dealer", "betting", "evaluator", "tournament_ledger"):
        assert settings[f"SEVENSTUD_ORCHESTRATOR_{service.upper()}_TARGET"] == SUPPLIERS[service].listen


@pytest.mark.parametrize(
    ("service", "stores"),
    [("dealer", True), ("tournament_ledger", True), ("orchestrator", True), ("betting", False), ("evaluator", False)],
)
def test_only_services_with_a_memory_have_a_database(service: str, stores: bool) -> None:
    assert (f"SEVENSTUD_{service.upper()}_DATABASE" in _settings(service)) is stores


def test_scripted_cards_are_allowed_only_where_they_are_asked_for() -> None:
    assert "SEVENSTUD_DEALER_SCRIPTED_DECKS" not in _settings("dealer")
    assert _settings("dealer", scripted=True)["SEVENSTUD_DEALER_SCRIPTED_DECKS"] == "allowed"
    assert _settings("orchestrator", scripted=True)["SEVENSTUD_ORCHESTRATOR_SCRIPTED_TABLES"] == "allowed"
    assert not [name for name in _settings("betting", scripted=True) if "SCRIPTED" in name]


def test_the_first_call_names_the_orchestrator() -> None:
    assert all("127.0.0.1:7100" in call for call in first_call("127.0.0.1:7100"))
