"""Facts about kernels at work on long texts: what Python is told to do about a signal, they do."""

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process has no SIGINT to send")

SCRIPT = """
import sys
import tallystick
from tallystick.metrics import *

def spell(numbers):
    return " ".join(map(str, numbers))

n = 1_000_000
text, other = spell(range(n)), spell(reversed(range(n)))
same = spell(number % 50 for number in range(n // 4))
squares, cubes = (spell(number**power % 997 for number in range(n // 100)) for power in (2, 3))
print("ready", flush=True)
{}
"""
CALLS = [
    *("WER()([text], [other])", "CER()([text], [other])", "Levenshtein()([text], [other])"),
    *("tallystick.edits(text, other)", "ROUGE('L')([text], [other])"),
    *("ROUGE('Lsum')([same], [same])", "ROUGE('W')([text], [other])"),
    *("ROUGE('S', gap=None)([same], [same])", "WER()([text] * 20, [other] * 20)"),
    "TER()([squares] * 1000, [cubes] * 1000)",
]
"""Each takes about a minute or more."""


def start(lines):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(lines)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def communicate(process):
    try:
        return process.communicate(timeout=60)
    finally:
        process.kill()


@pytest.mark.deep
@pytest.mark.parametrize("call", CALLS)
def test_a_kernel_ends_where_python_is_interrupted(call):
    with start(call) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = communicate(process)
    assert "KeyboardInterrupt" == errors.splitlines()[-1]


def test_a_handler_decides_what_a_signal_does():
    lines = "\n".join(
        [
            "import signal",
            "seen = []",
            "def handle(number, frame):",
            "    seen.append(number)",
            "    if len(seen) == 3: raise OSError(f'signal {len(seen)}')",
            "signal.signal(signal.SIGALRM, handle)",
            "signal.setitimer(signal.ITIMER_REAL, 0.5, 0.3)",
            "WER()([text], [other])",
        ]
    )
    with start(lines) as process:
        _, errors = communicate(process)

    assert "OSError: signal 3" == errors.splitlines()[-1]
