"""Baselines without their extras say what to install, and show a bar to those who watch."""

import io
import sys
from pathlib import Path

import pytest

from invented import write_splits
from tallystick.baselines import Model
from tallystick.cli import main
from tallystick.errors import UsageError


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Says so."""
        return True


@pytest.mark.parametrize(
    ("baseline", "package", "extra"),
    [("tfidf", "skops", "baselines"), ("detoxify", "torch", "detoxify")],
)
def test_a_missing_extra_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    baseline: str,
    package: str,
    extra: str,
) -> None:
    """The error is a command that can be copied."""
    monkeypatch.setitem(sys.modules, package, None)
    options = ["--data", str(write_splits(tmp_path / "data")), "-o", str(tmp_path / "out")]

    assert main(["baseline", baseline, *options]) == 1
    assert f"needs the extra: pip install 'tallystick[{extra}]'" in capsys.readouterr().err


def test_a_batch_has_a_text() -> None:
    """A batch of no text would never come to an end."""
    with pytest.raises(UsageError, match="a batch has 1 text or more, not 0"):
        Model(batch_size=0)


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_bar_is_shown_on_a_terminal_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO]
) -> None:
    """Someone who watches sees what is being done; a file gets the closing words alone."""
    told = stream()
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setenv("TERM", "xterm")
    data, output = write_splits(tmp_path / "data", ("aa",)), str(tmp_path / "out")

    main(["baseline", "tfidf", "--data", str(data), "-o", output])
    words = told.getvalue()

    assert f"wrote {output}/baseline_aa.csv: 20 examples, threshold 0." in words.splitlines()[-1]
    assert (stream is Terminal) == ("%" in words)
