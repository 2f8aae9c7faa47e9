"""The evaluator's settings: defaults that work, all faults at once."""

import pytest

from services.evaluator.settings import Settings
from shared.config.env import SettingsFault


def test_without_any_setting_it_listens_on_its_loopback_ports() -> None:
    settings = Settings.from_env({})
    assert settings.server.listen == "127.0.0.1:7103"
    assert settings.server.metrics_listen == "127.0.0.1:7203"
    assert (settings.batches_max, settings.equity_streams_max) == (8, 16)


def test_every_fault_is_reported_at_once() -> None:
    environ = {
        "SEVENSTUD_EVALUATOR_LISTEN": "nowhere",
        "SEVENSTUD_EVALUATOR_BATCHES_MAX": "0",
        "SEVENSTUD_EVALUATOR_EQUITY_STREAMS_MAX": "many",
        "SEVENSTUD_EVALUATOR_BATCH_MAX": "3",
    }
    with pytest.raises(SettingsFault) as fault:
        Settings.from_env(environ)
    assert len(fault.value.faults) == 4
    for name in environ:
        assert any(name in line for line in fault.value.faults)
