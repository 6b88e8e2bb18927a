"""Codabench, and CodaLab Competitions 1.5 before it: a competition's bundle, and its scoring."""

import html
import importlib.util
import json
import marshal
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatch
from importlib import metadata
from importlib.util import find_spec

import tallystick
from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import write_text
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.tables.cells import escape_controls
from tallystick.output.tables.formats import render
from tallystick.tasks.bundles.codabench_rules import find_faults
from tallystick.tasks.bundles.judging import (
    BoardColumn,
    Judgement,
    judge,
    list_numbers,
    read_reference,
)
from tallystick.tasks.bundles.reference import (
    Files,
    Rehearsal,
    dump_yaml,
    list_phases,
    make_kit,
    make_reference,
    nest,
    pack,
    read_logo,
    rehearse_phases,
    spell,
    write_pages,
)
from tallystick.tasks.task_file import Phase, SharedTask
from tallystick.version import __version__

_PROGRAM = "scoring_program.zip"
_PAGE = "pages/{}.md"
_DETAILS = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}</body>
</html>
"""
_SECOND = timedelta(seconds=1)
_OPEN = datetime(2000, 1, 1, tzinfo=UTC)
"""The start of a phase that names none."""

_UNLIMITED = 1000
"""As many submissions as nobody hands in, for CodaLab, which wants a number."""


def bundle_codabench(
    task: SharedTask, *, packages: Files | None = None, image: str | None = None
) -> bytes:
    """Returns the archive of a competition; no packages are for an image that has them."""
    phases = list_phases(task)
    rehearsal = rehearse_phases(task)
    files = {
        "logo.png": read_logo(),
        _PROGRAM: pack(
            make_program(
                "codabench", "python3 /app/program/score.py /app/input /app/output", packages
            )
        ),
    }
    files |= write_pages(task, rehearsal.metrics, _PAGE)
    for place, (name, own) in enumerate(phases):
        files[_name_part("reference", place, name)] = pack(make_reference(task, name, own))
        files[_name_part("kit", place, name)] = pack(make_kit(own))
    described = {
        **_describe(task, image or IMAGE),
        "tasks": [
            {
                "index": place,
                "name": f"Scoring of the phase {name}",
                "scoring_program": _PROGRAM,
                "reference_data": _name_part("reference", place, name),
            }
            for place, (name, _) in enumerate(phases)
        ],
        "phases": [*_describe_phases(task, phases)],
        "leaderboards": [_describe_board(rehearsal.columns)],
    }
    files["competition.yaml"] = dump_yaml(described)
    faults = find_faults(files)
    if faults:
        raise InputError(f"Codabench would not take the bundle: {'; '.join(faults)}")
    return pack(files)


def run_codabench(given: str, output: str) -> list[str]:
    """Scores what is in `ref` and `res` as Codabench's worker calls a program; returns messages."""
    found = judge_folder(given, output)
    scores = json.dumps(list_numbers(found.columns), allow_nan=False, indent=2)
    write_text(os.path.join(output, "scores.json"), scores + "\n")
    return [*found.messages]


def judge_folder(given: str, output: str) -> Judgement:
    """Checks and scores what lies in `ref` and `res`, and writes detailed_results.html."""
    page = os.path.join(output, "detailed_results.html")
    with suppress(OSError):  # platforms make it, and people who try the call may not have
        os.makedirs(output, exist_ok=True)
    try:
        found = judge(read_reference(os.path.join(given, "ref")), os.path.join(given, "res"))
    except InputError as error:
        reasons = _list_items(str(error).splitlines())
        write_text(page, _DETAILS.format(title="The submission is rejected", body=reasons))
        raise
    write_text(page, _write_details(found.tracks, found.messages))
    return found


def _write_details(tracks: Mapping[str, Evaluation], messages: Sequence[str]) -> str:
    """The report of a single track where it can be made, else tables; no example and no gold."""
    if len(tracks) == 1 and not messages and find_spec("jinja2") and find_spec("vl_convert"):
        from tallystick.output.report.page import write_page

        (found,) = tracks.values()
        return write_page(found.describe(examples=0))
    parts = [_list_items(messages)] if messages else []
    for name, found in tracks.items():
        head = f"<h2>{html.escape(escape_controls(name))}</h2>\n" if len(tracks) > 1 else ""
        parts.append(head + render(found.document(), "notebook"))
    return _DETAILS.format(title="Scores", body="".join(parts))


def _list_items(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{html.escape(escape_controls(one))}</li>\n" for one in sentences)
    return f"<ul>\n{items}</ul>\n"


def _name_part(kind: str, place: int, phase: str) -> str:
    return f"{kind}/{place}-{spell(phase)}.zip"


def _describe(task: SharedTask, image: str) -> dict[str, object]:
    return {
        "version": 2,
        "title": task.title,
        "image": "logo.png",
        "terms": _PAGE.format("terms"),
        "docker_image": image,
        "enable_detailed_results": True,
        "make_programs_available": False,
        "make_input_data_available": False,
        "pages": [
            {"title": title, "file": _PAGE.format(title.lower())}
            for title in ("Overview", "Evaluation")
        ],
    }


def _describe_phases(
    task: SharedTask, phases: Sequence[tuple[str, SharedTask]]
) -> Iterator[dict[str, object]]:
    times = _list_times(task, phases)
    for place, ((name, own), (start, end)) in enumerate(zip(phases, times, strict=True)):
        phase = {
            "index": place,
            "name": name,
            "start": _tell_time(start),
            "tasks": [place],
            "starting_kit": _name_part("kit", place, name),
            # Where a key is missing the platform takes 5 and 100; null is no limit.
            "max_submissions_per_day": own.limits.per_day,
            "max_submissions": own.limits.total,
        }
        yield phase if end is None else {**phase, "end": _tell_time(end)}


def _list_times(
    task: SharedTask, phases: Sequence[tuple[str, SharedTask]]
) -> list[tuple[datetime, datetime | None]]:
    """The start and the end of each phase; one ends a second before the next begins."""
    own = [task.phases.get(name, Phase(gold={})) for name, _ in phases]
    times: list[tuple[datetime, datetime | None]] = []
    for phase, following in zip(own, [*own[1:], Phase(gold={})], strict=True):
        before = times[-1][1] if times else None
        start = phase.start or (_OPEN if before is None else before + _SECOND)
        end = phase.end or following.start or task.end
        if end is not None and end == following.start:
            end -= _SECOND
        times.append((start, end))
    return times


def _tell_time(time: datetime) -> str:
    """A time as text, in UTC: the platform drops zones, and the hour of what YAML calls a date."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _describe_board(columns: Sequence[BoardColumn]) -> dict[str, object]:
    return {
        "title": "Results",
        "key": "main",
        "submission_rule": "Force_Last",
        "columns": [
            {
                "title": column.title,
                "key": column.key,
                "index": place,
                "sorting": "asc" if column.better == "lower" else "desc",
                "precision": 4,
                "hidden": column.hidden,
            }
            for place, column in enumerate(columns)
        ],
    }


def bundle_codalab(
    task: SharedTask, *, packages: Files | None = None, image: str | None = None
) -> bytes:
    """Returns the zip archive of a competition; the arguments are those of `bundle_codabench`."""
    rehearsal = rehearse_phases(task)
    program = dict(make_program("codalab", "python3 $program/score.py $input $output", packages))
    program["metadata"] = program.pop("metadata.yaml")
    files = {"logo.png": read_logo(), _PROGRAM: pack(program)}
    pages = write_pages(task, rehearsal.metrics, "{}.html")
    phases = {}
    for place, (name, own) in enumerate(list_phases(task), 1):
        files[f"reference-{place}.zip"] = pack(make_reference(task, name, own))
        files[f"kit-{place}-{spell(name)}.zip"] = pack(make_kit(own))
        start = task.phases.get(name, Phase(gold={})).start
        phases[place] = {
            "phasenumber": place,
            "label": name,
            # A phase of this platform ends where the next one begins.
            "start_date": f"{(start or _OPEN).astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
            "max_submissions": own.limits.total or _UNLIMITED,
            "max_submissions_per_day": own.limits.per_day or _UNLIMITED,
            "scoring_program": _PROGRAM,
            "reference_data": f"reference-{place}.zip",
            "starting_kit": f"kit-{place}-{spell(name)}.zip",
        }
    competition = {
        "title": task.title,
        "description": task.description or task.title,
        "image": "logo.png",
        "competition_docker_image": image or IMAGE,
        "has_registration": True,
        "enable_detailed_results": True,
        "html": {path.removesuffix(".html"): path for path in pages},
        "phases": phases,
        "leaderboard": _describe_old_board(rehearsal),
    }
    return pack({"competition.yaml": dump_yaml(competition), **files, **pages})


def run_codalab(given: str, output: str) -> list[str]:
    """Scores one submission as CodaLab's worker calls a scoring program, into scores.txt."""
    found = judge_folder(given, output)
    # YAML takes 1e-05 for a text.
    lines = (f"{key}: {value:.10f}\n" for key, value in list_numbers(found.columns).items())
    write_text(os.path.join(output, "scores.txt"), "".join(lines))
    return [*found.messages]


def _describe_old_board(rehearsal: Rehearsal) -> dict[str, object]:
    board = {"label": "Results", "rank": 1}
    return {
        "leaderboards": {"RESULTS": board},
        "columns": {
            one.key: {
                "leaderboard": board,
                "label": one.title,
                "rank": place,
                "sort": "asc" if one.better == "lower" else "desc",
                "numeric_format": 4,
            }
            for place, one in enumerate(rehearsal.columns, 1)
            if not one.hidden
        },
    }


IMAGE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
"""The image with the Python that makes the bundle, which vendored packages need."""


_SCRIPT = '''\
"""Scores a submission; written by tallystick {version}."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "vendor"))
try:
    if sys.version_info < (3, 11):
        raise ImportError("Python 3.11 or newer is needed")
    from tallystick.cli import main

    code = main(["task", "run", "{platform}", *sys.argv[1:]])
except ImportError as error:
    reason = error.__cause__ or error
    sys.exit(
        "The scoring program cannot start, which is no fault of the submission. "
        f"It needs tallystick {version} in the image of the competition, {needs}; "
        f"this is Python {{sys.version.split()[0]}}, and says: {{reason}}"
    )
sys.exit(code)
'''


_UNUSED = (
    *("*/tests/*", "*/include/*", "*/src/*", "*.pyc", "*.a", "*.h", "*.pxd", "*.pxi", "*.pyx"),
    *("../*", "numpy/distutils/*", "numpy/f2py/*", "pyarrow/*flight*", "pyarrow/*s3*"),
    *("pyarrow/libarrow_python.so", "pyarrow/libarrow_python.so.*.*", "pyarrow/libarrow_python_*"),
)
"""What is left out: tests, sources of extensions, clients of networks, and copies."""


def make_program(name: str, command: str, packages: Files | None) -> Files:
    """Returns the files of the program that scores on a platform, with packages in `vendor`."""
    needs = (
        "which a bundle made with --vendor brings along"
        if packages is None
        else f"or the image {IMAGE}, whose packages come with the program"
    )
    program = _SCRIPT.format(version=__version__, platform=name, needs=needs)
    return {
        "metadata.yaml": f"command: {command}\n".encode(),
        "score.py": program.encode(),
        **nest("vendor", packages or {}),
    }


def vendor() -> dict[str, bytes]:
    """Returns the files of the installed package and of what scoring imports, with byte code."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise UsageError(
            "--vendor copies the packages that are installed here, and platforms run Linux on "
            f"x86-64, not {sys.platform} on {platform.machine()}; run it in a container"
        )
    distributions = ("msgspec", "numpy", "pyarrow", "PyYAML")
    needed = (one for name in distributions for one in metadata.files(name) or ())
    paths = {one.as_posix(): str(one.locate()) for one in needed} | _list_package()
    files = {}
    for name, path in paths.items():
        if not any(fnmatch(name, pattern) for pattern in _UNUSED):
            with open(path, "rb") as file:
                files[name] = file.read()
    compiled = {
        importlib.util.cache_from_source(name): _compile(name, content)
        for name, content in files.items()
        if name.endswith(".py")
    }
    return {**files, **compiled}


def _list_package() -> dict[str, str]:
    kernels = importlib.util.find_spec("tallystick._native._ext")
    assert kernels is not None, "the package does not work without its kernels"
    (folder,) = tallystick.__path__
    paths = (os.path.join(inside, name) for inside, _, names in os.walk(folder) for name in names)
    origin = str(kernels.origin)
    return {
        **{f"tallystick/{os.path.relpath(path, folder)}": path for path in paths},
        f"tallystick/_native/{os.path.basename(origin)}": origin,
    }


def _compile(name: str, source: bytes) -> bytes:
    """Byte code that is taken as it is, since unpacking changes the times of files."""
    flags = (1).to_bytes(4, "little")
    head = importlib.util.MAGIC_NUMBER + flags + importlib.util.source_hash(source)
    return head + marshal.dumps(compile(source, name, "exec", dont_inherit=True))
