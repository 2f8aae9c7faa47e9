"""What became of each mutant, kept on disk so that a run goes on where the last one stopped."""

import hashlib
import json
from pathlib import Path

from tests.batteries.mutants.catalogue import ROOT, Mutant, function_source
from tests.batteries.mutants.children import SURVIVED, Verdict

FILE = ROOT / "build" / "mutants" / "results.jsonl"
UNSEEN = "no test calls it"


class Results:
    """Verdicts by mutant; one of a function that changed since does not count, nor does a survivor's."""

    def __init__(self, *, fresh: bool, file: Path = FILE) -> None:
        self._file = file
        self._digests: dict[tuple[str, str], str] = {}
        self._verdicts: dict[str, tuple[str, Verdict]] = {}
        file.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            file.unlink(missing_ok=True)
        self._read()

    def _read(self) -> None:
        if self._file.exists():
            for line in self._file.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._verdicts[row["key"]] = row["digest"], row["verdict"]

    def _digest(self, mutant: Mutant) -> str:
        place = mutant.module, mutant.scope
        if place not in self._digests:
            text = function_source(mutant.module, mutant.scope)
            self._digests[place] = hashlib.sha256(text.encode()).hexdigest()[:16]
        return self._digests[place]

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        """A verdict, written at once."""
        row = {"key": mutant.key, "digest": self._digest(mutant), "verdict": verdict}
        self._verdicts[mutant.key] = row["digest"], verdict
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")

    def verdict(self, mutant: Mutant) -> Verdict | None:
        """What became of it; None where it was not tried on the code as it is."""
        digest, verdict = self._verdicts.get(mutant.key, ("", ""))
        return verdict if verdict and digest == self._digest(mutant) else None

    def is_settled(self, mutant: Mutant) -> bool:
        """It was noticed by a test and need not be tried again."""
        return self.verdict(mutant) not in {None, SURVIVED, UNSEEN}
