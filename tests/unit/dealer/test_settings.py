"""Settings of the dealer."""

from pathlib import Path

import pytest

from services.dealer.settings import Settings
from shared.config.env import SettingsFault


def test_without_settings_the_dealer_listens_on_loopback_and_refuses_scripts() -> None:
    settings = Settings.from_env({})
    assert settings.server.listen == "127.0.0.1:7101"
    assert settings.server.metrics_listen == "127.0.0.1:7201"
    assert not settings.scripted_decks
    assert settings.keys is None
    assert settings.database == Path("var/dealer.sqlite")
    assert settings.key_file == Path("var/dealer.keys")


def test_dealers_that_share_a_database_must_be_told_their_keys() -> None:
    environ = {"SEVENSTUD_DEALER_DATABASE": "postgresql://ann:hunter2@db/decks"}
    with pytest.raises(SettingsFault, match="KEY_FILE or KEYS must be given with PostgreSQL") as fault:
        Settings.from_env(environ)
    assert "hunter2" not in str(fault.value)
    for given in ({"SEVENSTUD_DEALER_KEYS": "b:" + "22" * 32}, {"SEVENSTUD_DEALER_KEY_FILE": "secrets/keys"}):
        settings = Settings.from_env(environ | given)
        assert "hunter2" not in repr(settings)
        assert str(settings.database) == "PostgreSQL db/decks"


def test_keys_and_scripts_are_read() -> None:
    environ = {
        "SEVENSTUD_DEALER_KEYS": "b:" + "22" * 32 + ",a:" + "11" * 32,
        "SEVENSTUD_DEALER_SCRIPTED_DECKS": "allowed",
    }
    settings = Settings.from_env(environ)
    assert settings.scripted_decks
    assert settings.keys is not None
    assert settings.keys.current_id == "b"


def test_all_faults_are_reported_at_once_and_no_key_is_shown() -> None:
    environ = {
        "SEVENSTUD_DEALER_KEYS": "a:1234",
        "SEVENSTUD_DEALER_SCRIPTED_DECKS": "yes",
        "SEVENSTUD_DEALER_LISTEN": "x",
    }
    with pytest.raises(SettingsFault) as fault:
        Settings.from_env(environ)
    assert len(fault.value.faults) == 3
    assert "1234" not in str(fault.value)
