"""What `make supply-chain` goes by, without its tools: a gate that looked at nothing never says that all is well."""

import tomllib
from pathlib import Path

import pytest

from deploy.supply_chain import audit, house_rules, locks, materials, secrets_in_files, weak_spots
from deploy.supply_chain.locks import Locked
from deploy.supply_chain.rows import Row, Verdict, exit_code, row, table
from deploy.supply_chain.tools import ROOT, Tools, files_of

HASH = f"--hash=sha256:{'0' * 64}"
PINNED = f"asyncpg==0.30.0 \\\n    {HASH}\nGrpcIO==1.78.0 ; python_version < '3' \\\n    {HASH}\n"


def test_a_lock_is_read_with_its_names_versions_hashes_and_markers() -> None:
    assert locks.parse(PINNED) == (Locked("asyncpg", "0.30.0", 1, True), Locked("grpcio", "1.78.0", 1, False))
    assert list(locks.faults_of(PINNED)) == []


@pytest.mark.parametrize("fault", locks.PLANTED)
def test_a_lock_with_a_planted_fault_is_refused(fault: str) -> None:
    assert list(locks.faults_of(locks.PLANTED[fault]))


@pytest.mark.parametrize("path", sorted(locks.LOCKS.glob("*.txt")), ids=lambda path: path.name)
def test_every_lock_of_the_house_pins_with_hashes_and_names_no_address(path: Path) -> None:
    assert list(locks.faults_of(path.read_text(encoding="utf-8"))) == []


def test_what_the_project_wants_is_in_its_locks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    dev, runtime = ((locks.LOCKS / f"{name}.txt").read_text(encoding="utf-8") for name in ("dev", "runtime"))
    assert locks.unlocked(project, dev, ("dev", "console")) == []
    assert locks.unlocked(project, runtime, ()) == []
    assert locks.unlocked({"project": {"dependencies": ["asyncpg>=9"]}}, PINNED, ()) == ["asyncpg>=9"]


def test_a_package_that_is_missing_other_or_unknown_is_not_as_locked() -> None:
    lock = PINNED + f"attrs==1.0 \\\n    {HASH}\n"
    installed = {"asyncpg": "0.30.1", "pip": "26", "stranger": "1"}
    assert locks.not_as_locked(lock, installed) == ["asyncpg 0.30.1", "attrs missing", "stranger (not locked)"]


def test_a_bill_of_materials_must_be_the_lock_with_hashes() -> None:
    locked = (Locked("asyncpg", "0.30.0", 1, applies=True),)
    hashes = [{"hashes": [{"alg": "SHA-256", "content": "0" * 64}]}]
    component = {"name": "asyncpg", "version": "0.30.0", "externalReferences": hashes}
    bill = {"bomFormat": "CycloneDX", "components": [component]}
    assert materials.faults_of(bill, locked) == []
    assert materials.faults_of(bill | {"components": []}, locked) == ["asyncpg is missing"]
    assert materials.faults_of(bill, ()) == ["asyncpg is not in the lock"]
    other = component | {"version": "1", "externalReferences": []}
    assert materials.faults_of(bill | {"components": [other]}, locked) == [
        "asyncpg has another version",
        "asyncpg has no hash",
    ]
    assert materials.faults_of({}, locked) == ["no bill was written"]


@pytest.mark.parametrize("name", audit.PLANTED)
def test_an_audit_passes_only_where_every_package_was_looked_up(name: str) -> None:
    report, verdict = audit.PLANTED[name]
    assert audit.judged("a lock", audit.read(report), 1).verdict is verdict


def test_an_audit_of_a_part_is_no_audit() -> None:
    report = {"dependencies": [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "none"}]}
    said = audit.judged("a lock", audit.read(report), 2)
    assert said.verdict is Verdict.NOT_AUDITED
    assert said.found == "1 of 2 packages looked up: no database was reached for the others"


PASSED, FAILED = row("a", "b", "c", holds=True), row("a", "b", "c", holds=False)
UNAUDITED = Row("a", "b", "c", Verdict.NOT_AUDITED)


@pytest.mark.parametrize(
    ("rows", "allowed", "code"),
    [
        ([PASSED], False, 0),
        ([], True, 1),
        ([PASSED, FAILED, UNAUDITED], True, 1),
        ([PASSED, UNAUDITED], False, 3),
        ([PASSED, UNAUDITED], True, 0),
    ],
)
def test_the_exit_code_tells_passed_failed_and_not_audited_apart(rows: list[Row], allowed: bool, code: int) -> None:
    assert exit_code(rows, unaudited_allowed=allowed) == code
    assert all(each.verdict in table(rows) for each in rows)


def test_every_house_rule_has_faults_planted_for_it_and_lines_that_are_none() -> None:
    planted = house_rules.planted()
    assert sorted(planted) == house_rules.rule_ids()
    assert len(planted) >= 19
    for name, (path, text) in planted.items():
        assert path.endswith("planted.py"), name
        assert 0 < len(house_rules.bad_lines(text)) < len(text.splitlines())


def test_rules_that_could_not_be_run_and_scans_without_a_report_stop_everything() -> None:
    with pytest.raises(SystemExit, match="no report"):
        house_rules.found_in({})
    with pytest.raises(SystemExit, match="too slow"):
        house_rules.found_in({"errors": [{"message": "too slow"}], "results": []})
    with pytest.raises(SystemExit, match="wrote no report"):
        secrets_in_files.findings({})
    assert weak_spots.severities({}) == {"high": 0, "medium": 0, "low": 0, "lines": 0}
    assert len(weak_spots.unread({})) > 100


def test_a_file_that_a_tool_left_out_and_a_comment_that_silences_it_are_no_pass() -> None:
    scanned = sorted(files_of(house_rules.CODE))
    assert house_rules.unseen({"paths": {"scanned": scanned}}) == []
    assert house_rules.unseen({"paths": {"scanned": scanned[1:]}}) == scanned[:1]
    read = {path: {"loc": 1} for path in files_of(weak_spots.CODE)}
    assert weak_spots.unread({"metrics": read, "errors": []}) == []
    assert weak_spots.unread({"metrics": read, "errors": [{"filename": scanned[0]}]}) == scanned[:1]
    assert "--disable-nosem" in house_rules.OPTIONS
    silencers = {
        f"detect_secrets.filters.{name}" for name in ("allowlist.is_line_allowlisted", "heuristic.is_lock_file")
    }
    assert silencers <= set(secrets_in_files.OPTIONS)
    assert any("pragma: allowlist secret" in text for text in secrets_in_files.PLANTED.values())


def test_a_tool_that_is_missing_stops_everything(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is missing"):
        Tools(tmp_path, tmp_path).run("bandit")
    assert Tools(tmp_path, tmp_path).read("nothing.json") == {}


def test_every_secret_that_is_none_has_its_reason() -> None:
    assert all(secrets_in_files.known().values())
