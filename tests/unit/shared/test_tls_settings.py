"""Settings of TLS and tokens: all faults at once, and nothing beyond loopback without them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.console.adapters.authority import Authority, Subject
from services.console.adapters.dev_pki import CONSOLE, Pki, make_pki
from services.console.settings import credentials_from_env
from shared.config.env import Env, SettingsFault
from shared.rpc.server_settings import ServerSettings

LISTEN_ANYWHERE = {"LISTEN": "0.0.0.0:7101"}


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return make_pki(tmp_path_factory.mktemp("pki"))


def read(settings: dict[str, str]) -> ServerSettings:
    env = Env("dealer", {f"SEVENSTUD_DEALER_{name}": value for name, value in settings.items()})
    found = ServerSettings.from_env(env, port=7101, metrics_port=7201)
    env.check()
    return found


def faults(settings: dict[str, str]) -> dict[str, str]:
    with pytest.raises(SettingsFault) as fault:
        read(settings)
    lines = (line.removeprefix("SEVENSTUD_DEALER_") for line in fault.value.faults)
    return {name: problem for name, _, problem in (line.partition(" ") for line in lines)}


def test_with_certificates_and_token_keys_a_service_may_listen_anywhere(pki: Pki) -> None:
    found = read({**LISTEN_ANYWHERE, **pki.settings("dealer")})
    assert found.tls is not None
    assert found.tls.server_ca == found.tls.client_ca == pki.authority


def test_without_anything_a_service_is_on_loopback_and_takes_callers_at_their_word() -> None:
    assert read({}).tls is None


@pytest.mark.parametrize("missing", ["CERTIFICATE", "PRIVATE_KEY", "CLIENT_CA"])
def test_tls_is_set_whole_or_not_at_all(pki: Pki, missing: str) -> None:
    settings = {name: value for name, value in pki.settings("dealer").items() if name != missing}
    assert faults(settings).keys() == {missing}


def test_beyond_loopback_certificates_alone_are_not_enough(pki: Pki) -> None:
    settings = pki.settings("dealer")
    del settings["TOKEN_KEYS"], settings["TOKEN_ISSUER"]
    assert "TOKEN_KEYS" in faults({**LISTEN_ANYWHERE, **settings})["LISTEN"]
    assert read(settings).tls is not None


def test_tokens_need_tls_and_an_issuer(pki: Pki) -> None:
    assert faults({"TOKEN_KEYS": str(pki.token_keys)}).keys() == {
        "CERTIFICATE",
        "PRIVATE_KEY",
        "CLIENT_CA",
        "TOKEN_ISSUER",
    }


def test_figures_beyond_loopback_are_wanted_explicitly(pki: Pki) -> None:
    anywhere = {"METRICS_LISTEN": "0.0.0.0:7201", **pki.settings("dealer")}
    assert "METRICS_OPEN=true" in faults(anywhere)["METRICS_LISTEN"]
    assert read({**anywhere, "METRICS_OPEN": "true"}).metrics_open


def test_everything_that_is_wrong_with_the_files_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "noise").write_text("noise")
    wrong = {
        "CERTIFICATE": str(tmp_path / "nowhere.pem"),
        "PRIVATE_KEY": str(tmp_path / "noise"),
        "CLIENT_CA": str(tmp_path / "noise"),
        "TOKEN_KEYS": str(tmp_path / "noise"),
        "TRUST_DOMAIN": "No Domain",
        "TOKEN_SECONDS_MAX": "0",
    }
    assert faults(wrong).keys() == wrong.keys() | {"TOKEN_ISSUER"}


def test_a_key_of_another_certificate_and_one_that_has_expired_are_refused(pki: Pki, tmp_path: Path) -> None:
    settings = pki.settings("dealer")
    settings["PRIVATE_KEY"] = str(pki.service("betting").private_key)
    assert faults(settings) == {"PRIVATE_KEY": "does not belong to the certificate"}
    authority = Authority.read(pki.authority, pki.folder / "ca.key")
    certificate, key = tmp_path / "old.pem", tmp_path / "old.key"
    begins = datetime.now(UTC) - timedelta(days=2)
    authority.issue(Subject(name="dealer", begins=begins, lasts=timedelta(days=1))).write(certificate, key)
    lapsed = {**settings, "CERTIFICATE": str(certificate), "PRIVATE_KEY": str(key)}
    assert faults(lapsed)["CERTIFICATE"].startswith("has expired on")


def test_no_fault_repeats_what_is_in_a_file_or_a_key(pki: Pki) -> None:
    settings = {**pki.settings("dealer"), "TOKEN_KEYS": str(pki.service("dealer").private_key)}
    secret = pki.service("dealer").private_key.read_text().splitlines()[1]
    assert secret not in str(faults(settings))


def test_a_console_needs_its_pair_and_one_source_of_tokens(pki: Pki) -> None:
    whole = pki.console_settings()
    assert credentials_from_env({}) is None
    found = credentials_from_env(whole)
    assert found is not None
    assert found.paths == pki.caller(CONSOLE)
    prefix = "SEVENSTUD_CONSOLE_"
    for changes, wrong in (
        ({"PRIVATE_KEY": ""}, "PRIVATE_KEY"),
        ({"TOKEN_SIGNING_KEY": ""}, "TOKEN_FILE"),
        ({"TOKEN_FILE": "token"}, "TOKEN_FILE"),
        ({"TOKEN_SIGNING_KEY": str(pki.authority)}, "TOKEN_SIGNING_KEY"),
        ({"SERVER_CA": str(pki.signing_key)}, "SERVER_CA"),
        ({"CERTIFICAT": "x"}, "CERTIFICAT"),
    ):
        changed = {prefix + name: value for name, value in changes.items()}
        with pytest.raises(SettingsFault, match=f"{prefix}{wrong} "):
            credentials_from_env({**whole, **changed})
