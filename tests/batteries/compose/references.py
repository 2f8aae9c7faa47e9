"""Every name in the compose file leads somewhere."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shared.config.env import SettingsFault
from tests.batteries.kubernetes.settings_read import READERS

Json = dict[str, Any]
Faults = Iterator[str]
MADE_UP = {
    "POSTGRES_PASSWORD": "word1",
    "SEVENSTUD_PASSWORD": "word2",
    "GRAFANA_PASSWORD": "word3",
    "DEALER_KEYS": f"one:{'ab' * 32}",
}
"""What .env holds; .env.example names the same."""
_VARIABLE = re.compile(r"\$\{(\w+)(?::[?-]([^}]*))?\}")


def filled(text: str) -> str:
    """A value with the variables of .env in it."""
    return _VARIABLE.sub(lambda found: MADE_UP.get(found[1], found[2] or ""), text)


def variables_are_named(compose: str, example: str) -> Faults:
    """What the file asks of .env stands in its example."""
    asked = {found[1] for found in _VARIABLE.finditer(compose)} - {"SEVENSTUD_TAG"}
    named = set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    if not asked == named == MADE_UP.keys():
        yield f".env.example names {sorted(named)}, asked for are {sorted(asked)}"


def settings_are_read(compose: Json) -> Faults:
    """The environment of each service is what it reads."""
    for name, reader in READERS.items():
        try:
            reader({key: filled(value) for key, value in compose["services"][name]["environment"].items()})
        except SettingsFault as fault:
            yield from (f"{name}: {each}" for each in fault.faults)


def names_lead_somewhere(compose: Json, folder: Path) -> Faults:
    """Networks, volumes, services waited for, files mounted."""
    for name, service in compose["services"].items():
        yield from (
            f"{name} is in no network {each}" for each in service["networks"] if each not in compose["networks"]
        )
        waits = set(service.get("depends_on", {}))
        yield from (f"{name} waits for {each}" for each in waits - compose["services"].keys())
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            there = (folder / source).exists() if source.startswith(".") else source in compose["volumes"]
            if not there:
                yield f"{name} mounts {source}, which is not there"


def targets_are_reached(compose: Json) -> Faults:
    """A target is a service in a network of the caller's, at the port it listens on."""
    services: Mapping[str, Json] = compose["services"]
    for caller in READERS:
        for key, target in services[caller]["environment"].items():
            host, port = _place(key, filled(target))
            if not host:
                continue
            if host not in services or not set(services[host]["networks"]) & set(services[caller]["networks"]):
                yield f"{caller} cannot reach {host}"
            elif port != _port_of(services[host], host):
                yield f"{caller} asks {host} at {port}"


def _place(key: str, value: str) -> tuple[str, str]:
    if key.endswith("_TARGET"):
        host, _, port = value.partition(":")
        return host, port
    if key.endswith("_DATABASE"):
        host, _, port = value.partition("@")[2].partition("/")[0].partition(":")
        return host, port
    return "", ""


def _port_of(service: Json, name: str) -> str:
    if name == "postgres":
        return "5432"
    listen = f"SEVENSTUD_{name.upper().replace('-', '_')}_LISTEN"
    return str(service["environment"][listen]).rpartition(":")[2]


def metrics_are_read(compose: Json, prometheus: Json) -> Faults:
    """Prometheus asks each service, under its name, at its metrics port, in a network of its own."""
    found = {each["job_name"]: each["static_configs"][0]["targets"] for each in prometheus["scrape_configs"]}
    for name in READERS:
        service = compose["services"][name]
        listen = service["environment"][f"SEVENSTUD_{name.upper().replace('-', '_')}_METRICS_LISTEN"]
        if found.pop(name, None) != [f"{name}:{listen.rpartition(':')[2]}"] or "monitoring" not in service["networks"]:
            yield f"{name} is not read"
    yield from (f"nobody is {name}" for name in found)


def ends_after_the_drain(compose: Json) -> Faults:
    """The grace covers the notice and twice the drain."""
    for name in READERS:
        service, prefix = compose["services"][name], f"SEVENSTUD_{name.upper().replace('-', '_')}"
        notice, drain = (
            float(service["environment"][f"{prefix}_DRAIN_{each}"]) for each in ("NOTICE_SECONDS", "SECONDS")
        )
        if float(service["stop_grace_period"].removesuffix("s")) < notice + 2 * drain + 5:
            yield f"{name} is killed in the middle of its drain"


def only_this_machine(compose: Json) -> Faults:
    """Callers are taken at their word: no port is open beyond loopback."""
    for name, service in compose["services"].items():
        yield from (f"{name} opens {port}" for port in service.get("ports", []) if not port.startswith("127.0.0.1:"))
