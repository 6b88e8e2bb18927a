"""Commands of other tools, run in this process: to start one takes longer than its work."""

import os
import shlex
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace

import pytest
from sacrebleu import sacrebleu


def run_sacrebleu(command: str) -> str:
    with (
        Path(os.devnull).open("rb") as given,
        TemporaryFile() as printed,
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(action="ignore", category=ResourceWarning),
    ):
        patch.setenv("NO_COLOR", "1")
        patch.setattr(sys, "argv", ["sacrebleu", *shlex.split(command)])
        patch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: os.dup(given.fileno())))
        patch.setattr(sys, "stdout", SimpleNamespace(fileno=lambda: os.dup(printed.fileno())))
        try:
            sacrebleu.main()
        except SystemExit as end:
            if end.code:
                raise
        sys.stdin.close()
        sys.stdout.close()
        printed.seek(0)
        return printed.read().decode()
