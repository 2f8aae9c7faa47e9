"""What a pod is told is what its service reads: the variables of each workload through the service's own settings."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from services.betting.settings import Settings as Betting
from services.dealer.settings import Settings as Dealer
from services.evaluator.settings import Settings as Evaluator
from services.orchestrator.settings import Settings as Orchestrator
from services.tournament_ledger.settings import Settings as Ledger
from shared.config.env import SettingsFault
from tests.batteries.kubernetes.manifests import (
    NAME,
    WORKLOADS,
    Json,
    Manifests,
    container_of,
    labels_of,
    ports_of,
    where,
)
from tests.batteries.kubernetes.references import config_of, prefix_of

READERS: Mapping[str, Callable[[Mapping[str, str]], object]] = {
    "betting": Betting.from_env,
    "dealer": Dealer.from_env,
    "evaluator": Evaluator.from_env,
    "orchestrator": Orchestrator.from_env,
    "tournament-ledger": Ledger.from_env,
}
SECRETS = {"url": "postgresql://user:word@database:5432/one", "keys": f"one:{'ab' * 32}"}
"""What secrets may hold, by their keys."""
MOUNTED = "/etc/sevenstud/"
Faults = Iterator[str]


def settings_are_read(manifests: Manifests, folder: Path) -> Faults:
    """No variable is unknown, none is wrong, and the ports are those that the pod opens."""
    files_mounted(folder)
    for workload in manifests.of_kind(*WORKLOADS):
        name = labels_of(workload)[NAME]
        variables = environment_of(manifests, workload)
        here = {key: value.replace(MOUNTED, f"{folder}/") for key, value in variables.items()}
        try:
            READERS[name](here)
        except SettingsFault as fault:
            yield from (f"{where(workload)}: {each}" for each in fault.faults)
        for port, setting in (("grpc", "LISTEN"), ("metrics", "METRICS_LISTEN")):
            if variables.get(f"{prefix_of(workload)}_{setting}") != f"0.0.0.0:{ports_of(workload)[port]}":
                yield f"{where(workload)} does not listen on its port {port}"


def environment_of(manifests: Manifests, workload: Json) -> dict[str, str]:
    """All variables of a pod, secrets made up."""
    found = config_of(manifests, workload)
    for variable in container_of(workload).get("env", []):
        key = variable.get("valueFrom", {}).get("secretKeyRef", {}).get("key", "")
        found[variable["name"]] = variable["value"] if "value" in variable else SECRETS[key]
    return found


def files_mounted(folder: Path) -> None:
    """Certificate, key, authority and token keys, as secrets and config maps hold them."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a service")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    certificate = (
        builder.not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .sign(key, hashes.SHA256())
        .public_bytes(Encoding.PEM)
    )
    public = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    point = base64.urlsafe_b64encode(public).rstrip(b"=").decode()
    tokens = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "one", "alg": "EdDSA", "use": "sig", "x": point}]}
    for path, content in {
        "tls/tls.crt": certificate,
        "tls/ca.crt": certificate,
        "tls/tls.key": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        "tokens/keys.json": json.dumps(tokens).encode(),
        "tokens/revoked.json": b"{}",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
