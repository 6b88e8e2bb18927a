"""Platforms' workers: the folders, files and calls that their own programs make of a bundle."""

import io
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import tallystick

SOURCE = str(Path(tallystick.__file__).parents[1])


@dataclass(frozen=True)
class Ran:
    """What a scoring program did: exit code, both streams, and the folder it wrote into."""

    code: int
    said: str
    output: Path

    def read(self, name: str) -> str:
        """Returns a file that it wrote."""
        return (self.output / name).read_text(encoding="utf-8")


def pack(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def unpack(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def run_codabench(
    bundle: bytes, submission: bytes, folder: Path, *, task: int = 0, image: str = SOURCE
) -> Ran:
    shutil.rmtree(folder, ignore_errors=True)
    files = unpack(bundle)
    competition = yaml.safe_load(files["competition.yaml"])
    (own,) = (one for one in competition["tasks"] if one["index"] == task)
    parts = {
        "program": files[own["scoring_program"]],
        "input/ref": files[own["reference_data"]],
        "input/res": submission,
    }
    for place, content in parts.items():
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(folder / place)
    (folder / "input/res/metadata").write_text("elapsedTime: 1.5\nexitCode: 0\n")
    (folder / "output").mkdir()
    (folder / "shared").mkdir()
    command = yaml.safe_load((folder / "program/metadata.yaml").read_text())["command"]
    return run_program(command.replace("/app", str(folder)), folder, image)


def run_program(command: str, folder: Path, image: str = SOURCE) -> Ran:
    words = command.split()
    assert words[0] == "python3"
    isolated = [] if image else ["-I", "-S"]
    environment = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
    if image:
        environment["PYTHONPATH"] = image
    _lock(folder / "input")
    done = subprocess.run(
        [*_cut_off(), sys.executable, *isolated, *words[1:]],
        cwd=folder / "program",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout, folder / "output")


def _lock(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)


def _cut_off() -> list[str]:
    tool = shutil.which("unshare")
    if tool is None:
        return []
    tried = subprocess.run([tool, "-rn", "true"], capture_output=True, check=False)
    return [tool, "-rn"] if tried.returncode == 0 else []


def read_yaml(bundle: bytes) -> Any:
    return yaml.safe_load(unpack(bundle)["competition.yaml"])
