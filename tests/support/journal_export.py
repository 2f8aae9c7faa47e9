"""The journal of a ledger as JSON lines, as an auditor takes it away."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests import audit

Ask = Callable[[str, Message], Awaitable[Any]]
"""Calls an RPC of the ledger by name."""
WALK = Path(next(iter(audit.__path__))) / "walk.py"
PAGE = 500


async def heads(ask: Ask) -> dict[str, list[Any]]:
    """Number and hash of the last entry of every book."""
    request, found = pb.ListBooksRequest(page_size=PAGE), dict[str, list[Any]]()
    while True:
        page = await ask("ListBooks", request)
        found |= {head.book: [head.number, head.hash.hex()] for head in page.heads}
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


async def export(ask: Ask, folder: Path) -> int:
    """Every entry of every book into journal.jsonl, the heads into heads.json; how many entries."""
    known, count = await heads(ask), 0
    with (folder / "journal.jsonl").open("w", encoding="utf-8") as journal:
        for book in known:
            request = pb.ExportJournalRequest(book=book, page_size=PAGE)
            while True:
                page = await ask("ExportJournal", request)
                for entry in page.entries:
                    journal.write(json.dumps(MessageToDict(entry)) + "\n")
                    count += 1
                if not page.next_page_token:
                    break
                request.page_token = page.next_page_token
    (folder / "heads.json").write_text(json.dumps(known), encoding="utf-8")
    return count


def walk_apart(folder: Path) -> dict[str, Any]:
    """What the auditor's own program finds, run by itself: it cannot even import ours."""
    command = [sys.executable, "-I", str(WALK), str(folder / "journal.jsonl"), "--heads", str(folder / "heads.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600, check=False)
    if not done.stdout:
        raise AssertionError(f"the walk broke: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
