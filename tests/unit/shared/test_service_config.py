"""What integrators are told about channels is what our own channels do."""

import json
from pathlib import Path

from shared.rpc import client

PUBLISHED = Path(__file__).resolve().parents[3] / "deploy" / "clients" / "service-config.json"


def test_the_published_service_config_is_the_one_in_use() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json.loads(client._SERVICE_CONFIG)


def test_only_unavailable_is_tried_again_and_no_deadline_hides_in_the_config() -> None:
    config = json.loads(client._SERVICE_CONFIG)
    for method in config["methodConfig"]:
        assert method["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE"]
        assert "timeout" not in method
    assert config["loadBalancingConfig"] == [{"round_robin": {}}]
    assert config["healthCheckConfig"] == {"serviceName": ""}
