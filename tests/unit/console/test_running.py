"""How a command ends."""

import subprocess
import sys

import pytest

from services.console.adapters.suite import SuiteFault
from services.console.commands.running import EXIT_FAILED, finish

END_SECONDS = 30
TALKATIVE = """
import sys
from services.console.commands.running import finish

async def talk():
    while True:
        print("the table goes on", flush=True)

sys.exit(finish(talk()))
"""


def test_a_reader_who_has_enough_ends_a_command_without_a_word() -> None:
    command = (sys.executable, "-c", TALKATIVE)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as talking:
        assert talking.stdout is not None
        assert talking.stderr is not None
        assert talking.stdout.readline() == "the table goes on\n"
        talking.stdout.close()
        assert talking.wait(END_SECONDS) == EXIT_FAILED
        assert talking.stderr.read() == ""


def test_what_went_wrong_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    async def fail() -> int:
        raise SuiteFault("betting has ended unasked")

    assert finish(fail()) == EXIT_FAILED
    assert capsys.readouterr().err == "sevenstud: betting has ended unasked\n"
