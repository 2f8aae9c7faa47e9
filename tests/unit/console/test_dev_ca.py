"""The development authority and its tokens, by the command line."""

import stat
from pathlib import Path

import jwt
import pytest

from services.console.__main__ import run
from services.console.adapters.dev_pki import KEYS_KEPT, Pki
from services.console.domain.suite_plan import SERVICES
from shared.rpc.certificates import load_certificates
from shared.rpc.tokens import TokenRules, believe, read_key_set


def dev_ca(folder: Path, *arguments: str) -> Pki:
    assert run(["dev-ca", "--pki", str(folder), *arguments], {}) == 0
    return Pki(folder)


def test_one_command_makes_a_pair_for_every_service_and_caller(tmp_path: Path) -> None:
    pki = dev_ca(tmp_path, "--caller", "lobby", "--caller", "wallet")
    pairs = [*map(pki.service, SERVICES), *map(pki.caller, ("console", "lobby", "wallet"))]
    assert len({load_certificates(pair).thumbprint for pair in pairs}) == 8


def test_secrets_are_for_their_owner_alone(tmp_path: Path) -> None:
    pki = dev_ca(tmp_path)
    secrets = [*tmp_path.rglob("*.key")]
    assert len(secrets) == 8
    assert {stat.S_IMODE(path.stat().st_mode) for path in secrets} == {0o600}
    assert b"PRIVATE" not in pki.token_keys.read_bytes() + pki.authority.read_bytes()


def test_run_again_it_renews_every_pair_under_the_same_authority(tmp_path: Path) -> None:
    pki = dev_ca(tmp_path, "--caller", "lobby")
    authority, before = pki.authority.read_bytes(), load_certificates(pki.caller("lobby")).thumbprint
    dev_ca(tmp_path)
    assert pki.authority.read_bytes() == authority
    assert load_certificates(pki.caller("lobby")).thumbprint != before


def test_former_token_keys_stay_known_for_a_while(tmp_path: Path) -> None:
    pki = dev_ca(tmp_path)
    first = set(read_key_set(pki.token_keys.read_bytes()))
    dev_ca(tmp_path)
    assert set(read_key_set(pki.token_keys.read_bytes())) == first
    dev_ca(tmp_path, "--new-token-key")
    assert len(read_key_set(pki.token_keys.read_bytes())) == 2
    for _ in range(KEYS_KEPT):
        dev_ca(tmp_path, "--new-token-key")
    assert len(read_key_set(pki.token_keys.read_bytes())) == KEYS_KEPT
    assert not first & set(read_key_set(pki.token_keys.read_bytes()))


def test_a_signed_token_is_believed_for_the_certificate_it_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pki = dev_ca(tmp_path, "--caller", "lobby")
    capsys.readouterr()
    who = ["--caller", "lobby", "--role", "backend", "--id", "lobby", "--players", "l-"]
    assert run(["token", "--pki", str(tmp_path), *who], {}) == 0
    token = capsys.readouterr().out.strip()
    said = believe(token, read_key_set(pki.token_keys.read_bytes()), TokenRules("sevenstud-dev", "sevenstud", 900))
    assert (said.caller.role, said.caller.id, said.caller.player_prefix) == ("backend", "lobby", "l-")
    assert said.thumbprint == load_certificates(pki.caller("lobby")).thumbprint
    assert jwt.get_unverified_header(token)["alg"] == "EdDSA"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--role", "player", "--id", "a b"], "no id"),
        (["--role", "player", "--id", "ann", "--players", "l-"], "for back ends"),
        (["--role", "player", "--id", "ann", "--caller", "nobody"], "sevenstud dev-ca --pki"),
    ],
)
def test_a_token_that_cannot_be_signed_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    dev_ca(tmp_path)
    assert run(["token", "--pki", str(tmp_path), *arguments], {}) == 1
    assert said in capsys.readouterr().err


def test_nobody_signs_tokens_of_services(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as wrong:
        run(["token", "--pki", str(tmp_path), "--role", "service", "--id", "orchestrator"], {})
    assert wrong.value.code == 2


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ca.pem").write_text("mine")
    assert run(["dev-ca", "--pki", str(tmp_path)], {}) == 1
    assert "give another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["ca.pem"]


def test_faulty_settings_of_the_console_end_with_their_own_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version"], {"SEVENSTUD_CONSOLE_CERTIFICATE": "/nowhere.pem"}) == 2
    assert "settings: SEVENSTUD_CONSOLE_PRIVATE_KEY is required" in capsys.readouterr().err
