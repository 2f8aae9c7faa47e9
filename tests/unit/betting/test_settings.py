"""Where betting listens is all that can be set."""

import pytest

from services.betting.settings import Settings
from shared.config.env import SettingsFault


def test_it_listens_on_loopback_unless_told_otherwise() -> None:
    server = Settings.from_env({}).server
    assert (server.listen, server.metrics_listen) == ("127.0.0.1:7102", "127.0.0.1:7202")


def test_a_misspelt_variable_is_a_fault() -> None:
    with pytest.raises(SettingsFault, match="SEVENSTUD_BETTING_LISTENS is not a setting"):
        Settings.from_env({"SEVENSTUD_BETTING_LISTENS": "127.0.0.1:1"})
