"""`survivors.md`: the score, and every mutant that no test noticed, with the reason."""

from collections import Counter
from collections.abc import Sequence

from tests.batteries.mutants.catalogue import ROOT, Mutant
from tests.batteries.mutants.children import SURVIVED, TIMEOUT
from tests.batteries.mutants.results import UNSEEN, Results

FILE = ROOT / "tests" / "batteries" / "survivors.md"
HEAD = """# Mutants that no test of the rules notices

Written by `make mutants`; the reasons are ours and stay when it is written anew. A line without a reason is a gap.
"""
LONG = 60
ALIVE = {SURVIVED, UNSEEN}


def reasons_kept() -> dict[str, str]:
    """The reasons in the file as it is, by mutant."""
    if not FILE.exists():
        return {}
    rows = [line.split(" | ") for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return {row[0].removeprefix("| `").removesuffix("`"): row[-1].removesuffix(" |").strip() for row in rows}


def unexplained() -> int:
    """Survivors in the file without a reason."""
    return sum(1 for reason in reasons_kept().values() if not reason)


def label(key: str) -> str:
    """A mutant's name inside a table: of a long expression only what was taken away from it."""
    before, arrow, after = key.partition(" -> ")
    place, colon, before = before.partition(": ")
    gone = _taken_away(before, after) if len(before) > LONG else ""
    text = f"{place}{colon}{before[:LONG]}... without {gone}" if gone else f"{place}{colon}{before}{arrow}{after}"
    return text.replace("|", "\\|").replace("`", "'")


def _taken_away(before: str, after: str) -> str:
    """The argument or item that has to be cut out of one text to have the other; empty where that is not all."""
    after = after.partition(" (#")[0]
    length = len(before) - len(after)
    for start in range(len(before)):
        cut = before[start : start + length]
        whole = cut.startswith(", ") or before[:start].endswith("(")
        if whole and ("=" in cut or "*" in cut) and before[:start] + before[start + length :] == after:
            return cut.strip(" ,")
    return ""


def write(mutants: Sequence[Mutant], results: Results) -> str:
    """Write the file; answers with the score in one line."""
    kept = reasons_kept()
    verdicts = {mutant.key: results.verdict(mutant) for mutant in mutants}
    alive = [mutant for mutant in mutants if verdicts[mutant.key] in ALIVE]
    score = _score(Counter(verdicts.values()), len(mutants))
    rows = [f"| `{label(each.key)}` | {kept.get(label(each.key), '')} |" for each in alive]
    explained = sum(1 for each in alive if kept.get(label(each.key)))
    line = f"{score}; {explained} of {len(alive)} survivors explained"
    table = ["| mutant | why no test of the rules could tell it |", "| --- | --- |", *rows]
    FILE.write_text("\n".join([HEAD, line + ".", "", *table]) + "\n", encoding="utf-8")
    return line


def _score(found: Counter[str | None], total: int) -> str:
    tried = total - found[None]
    noticed = tried - sum(found[each] for each in ALIVE)
    share = 100 * noticed / max(tried, 1)
    rest = f", {found[None]} not tried yet" if found[None] else ""
    return f"{noticed} of {tried} mutants noticed ({share:.1f} %), {found[TIMEOUT]} of them by running too long{rest}"
