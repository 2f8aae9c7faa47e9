"""detect-secrets: keys, passwords and tokens in the files that git has."""

import json
from collections.abc import Iterator
from pathlib import Path

from deploy.supply_chain.rows import Row, row
from deploy.supply_chain.tools import ROOT, Json, Tools

KNOWN = ROOT / "deploy" / "supply_chain" / "known_secrets.json"
"""What was looked at by people and is none: file, kind, hash, and the reason."""
HASHES = r"^deploy/(locks/.*\.txt|supply_chain/known_secrets\.json)$"
"""Files that are lists of hashes."""
NAMES = r"\b(secretName|secretKeyRef|secretRef)\b"
"""Lines of manifests that name a secret and hold none."""
GUESSES = ("KeywordDetector", "Base64HighEntropyString", "HexHighEntropyString", "BasicAuthDetector")
"""Detectors that go by words and looks: left out for tests, which are full of made-up keys and fixed hashes."""
OPTIONS = (
    "scan",
    "--disable-filter",
    "detect_secrets.filters.allowlist.is_line_allowlisted",
    "--disable-filter",
    "detect_secrets.filters.heuristic.is_lock_file",
)
"""Neither a comment beside a secret nor the name of a file keeps the tool from looking: what is none is listed."""
Finding = tuple[str, str, str]
"""File, kind, hash."""
PLANTED = {
    "planted.py": 'KEY = "AKIA' + "Z7VRSQ5TJN2XMPLF" + '"\n',
    "silenced.py": 'KEY = "AKIA' + "Z7VRSQ5TJN2XMPLF" + '"  # pragma: ' + "allowlist secret\n",
    "package-lock.json": '{"key": "AKIA' + "Z7VRSQ5TJN2XMPLF" + '"}\n',
    "planted.pem": "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n",
}


def findings(report: Json) -> set[Finding]:
    """What was found; SystemExit without a report, because nothing was looked at then."""
    if "results" not in report:
        raise SystemExit("supply-chain: detect-secrets wrote no report: is this a git checkout?")
    return {(path, each["type"], each["hashed_secret"]) for path, found in report["results"].items() for each in found}


def known() -> dict[Finding, str]:
    """Findings that are no secrets, each with its reason."""
    listed = json.loads(KNOWN.read_text(encoding="utf-8"))
    return {(each["file"], each["kind"], each["hash"]): each["reason"] for each in listed}


def scan(tools: Tools, *arguments: str, folder: Path = ROOT) -> set[Finding]:
    """One run over files of git."""
    said = tools.run("detect-secrets", *OPTIONS, *arguments, folder=folder)
    try:
        return findings(json.loads(said.output))
    except ValueError:
        return findings({})


def rows(tools: Tools) -> Iterator[Row]:
    """One row for what git has, one for planted secrets."""
    product = scan(tools, "--exclude-lines", NAMES, "--exclude-files", HASHES, "--exclude-files", "^tests/")
    without = [part for name in GUESSES for part in ("--disable-plugin", name)]
    tests = scan(tools, "--exclude-files", "^(?!tests/)", *without)
    listed = known()
    new = sorted((product | tests) - set(listed))
    stale = sorted(set(listed) - product - tests)
    found = [f"{path}: {kind}" for path, kind, _ in new] + [f"{path}: no longer there" for path, _, _ in stale]
    text = ", ".join(found[:5]) or f"0 besides {len(listed)} that are none"
    yield row("secrets", "detect-secrets: in files that git has", text, holds=not found)
    with tools.planted(PLANTED) as place:
        caught = {path.rsplit("/", 1)[-1] for path, _, _ in scan(tools, "--all-files", ".", folder=place)}
    count = len(caught & set(PLANTED))
    yield row("secrets", "planted secrets are found", f"{count} of {len(PLANTED)}", holds=count == len(PLANTED))
