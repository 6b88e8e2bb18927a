"""What bundles share: pages, the data that a scorer is given, kits, a rehearsal, and archives."""

import html
import io
import json
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import is_dataset
from tallystick.io.tables.table import read_table
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.metrics.reference import describe
from tallystick.kinds.numbers.numbers import read_gold_cells, vote
from tallystick.model.sides import Side
from tallystick.model.tallies.metric import Metric
from tallystick.tasks.bundles.judging import TASK_FILE, BoardColumn, list_columns
from tallystick.tasks.masked_gold import Draft, draft_gold, plan_track, read_answers
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_checks import check_ranked
from tallystick.tasks.task_file import Board, Limits, Phase, SharedTask, Track, choose_phase


class PageBlock(Struct, frozen=True):
    """A part of a page: a `heading`, a `text`, `code`, or a `table` with its headings first."""

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def write_pages(
    task: SharedTask, metrics: Mapping[str, Sequence[Metric]], path: str
) -> dict[str, bytes]:
    """Returns the overview, the evaluation and the terms by path, as Markdown or parts of HTML."""
    pages = {
        "overview": (*_introduce(task, metrics), *_tell_submission(task), *_list_phases(task)),
        "evaluation": (*_explain(task, metrics), *_tell_rules(task)),
        "terms": _list_terms(task),
    }
    write, gap = (_write_html, "\n") if path.endswith(".html") else (_write_markdown, "\n\n")
    return {
        path.format(name): f"{gap.join(map(write, blocks))}\n".encode()
        for name, blocks in pages.items()
    }


def _introduce(task: SharedTask, metrics: Mapping[str, Sequence[Metric]]) -> tuple[PageBlock, ...]:
    head = ("Track", "File", "Ranked by", "Also shown")
    rows = []
    for name, track in task.tracks.items():
        first, *others = (metric.full_title for metric in metrics[name])
        file = track.file or f"{name}.csv, .tsv, .jsonl or .txt"
        rows.append((name, file, first, ", ".join(others)))
    about = (PageBlock("text", task.description),) if task.description else ()
    return (PageBlock("heading", task.title), *about, PageBlock("table", rows=(head, *rows)))


def _tell_submission(task: SharedTask) -> Iterator[PageBlock]:
    yield PageBlock("heading", "How to submit")
    several = (
        "the files of the tracks that you take part in" if len(task.tracks) > 1 else "the file"
    )
    yield PageBlock(
        "text",
        f"A submission is a zip archive of {several}. The starting kit has an example, and the "
        "examples to predict. Check a submission before you upload it, with the wheel of "
        "Tallystick that the organisers hand out as long as there is no release: the command "
        "says what the server would say.",
    )
    yield PageBlock(
        "code",
        "pip install tallystick-*.whl\ntallystick task check submission.zip --task kit/task.yaml",
    )
    limits = _tell_limits(task.limits)
    yield PageBlock("text", f"{limits[0].upper()}{limits[1:]}.")


def _tell_limits(limits: Limits) -> str:
    message = [f"at most {limits.megabytes} MB, packed and unpacked"]
    if limits.per_day is not None:
        message.append(f"{limits.per_day} submissions a day")
    if limits.total is not None:
        message.append(f"{limits.total} submissions in all")
    return ", ".join(message)


def _list_phases(task: SharedTask) -> Iterator[PageBlock]:
    if task.phases:
        head = ("Phase", "From", "To", "Tracks", "Limits")
        rows = []
        for name, phase in task.phases.items():
            times = _tell_time(phase.start), _tell_time(phase.end)
            limits = _tell_limits(phase.limits or task.limits)
            rows.append((name, *times, ", ".join(phase.gold), limits))
        yield PageBlock("heading", "Phases")
        yield PageBlock("table", rows=(head, *rows))


def _tell_time(time: datetime | None) -> str:
    return "open" if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _explain(task: SharedTask, metrics: Mapping[str, Sequence[Metric]]) -> Iterator[PageBlock]:
    for name, own in metrics.items():
        yield PageBlock("heading", name if len(metrics) > 1 else "Metrics")
        for place, metric in enumerate(own):
            known = describe(type(metric))
            ranks = "Ranks. " if place == 0 else ""
            yield PageBlock("text", f"{metric.full_title} ({metric!r}): {ranks}{known.summary}")
            yield PageBlock("code", known.formula)
            yield PageBlock("text", f"{known.bounds}. Undefined: {known.undefined}")


_JOINED = "Outputs are joined with the examples by id where there is one, in any order."
_MISSING = {"error": "the submission is rejected", "wrong": "counts as wrong"}
_INVALID = {**_MISSING, "class": "counts as a class of its own"}


def _tell_rules(task: SharedTask) -> Iterator[PageBlock]:
    yield PageBlock("heading", "Rules of scoring")
    for name, track in task.tracks.items():
        lead = f"{name}: " if len(task.tracks) > 1 else ""
        reading = plan_track(track)
        labelled = reading.kinds is None or reading.labelled
        strange = f"; an output that is no label {_INVALID[track.invalid]}" if labelled else ""
        missing = f"An example without an output {_MISSING[track.missing_outputs]}{strange}."
        yield PageBlock("text", f"{lead}{_JOINED} {missing}")
    yield PageBlock(
        "text",
        "A score that is undefined for a submission has the worst value of its metric on the "
        "leaderboard, and the log says so. Scores have 95% confidence intervals, shown on the page "
        "of each submission; the leaderboard's order alone says nothing about significance.",
    )


def _list_terms(task: SharedTask) -> tuple[PageBlock, ...]:
    return (
        PageBlock("heading", "Terms"),
        PageBlock(
            "text",
            f"By taking part in {task.title} you agree that the organisers may publish the name of "
            "your team, your scores, and statistics of your submissions.",
        ),
        PageBlock(
            "text",
            "Predictions must come from a system, not from annotating the test data, and a person "
            "takes part in one team only.",
        ),
    )


def _write_markdown(block: PageBlock) -> str:
    match block.kind:
        case "heading":
            return f"# {block.text}"
        case "code":
            return f"```\n{block.text}\n```"
        case "table":
            head, *rows = (tuple(cell.replace("|", r"\|") for cell in row) for row in block.rows)
            lines = (head, ("---",) * len(head), *rows)
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return block.text


def _write_html(block: PageBlock) -> str:
    text = html.escape(block.text)
    match block.kind:
        case "heading":
            return f"<h2>{text}</h2>"
        case "code":
            return f"<pre><code>{text}</code></pre>"
        case "table":
            rows = (
                "".join(f"<{mark}>{html.escape(cell)}</{mark}>" for cell in row)
                for mark, row in zip(("th", *("td",) * len(block.rows)), block.rows, strict=False)
            )
            return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    return f"<p>{text}</p>"


Files: TypeAlias = Mapping[str, bytes]
"""The content of each file by its path, with `/` between folders."""


def pack(files: Files) -> bytes:
    """Returns a zip archive of files; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(member, files[name])
    return buffer.getvalue()


def read_logo() -> bytes:
    """Returns the logo of a bundle whose organiser has none: a tally of five."""
    return (resources.files("tallystick.tasks.bundles") / "logo.png").read_bytes()


def nest(folder: str, files: Files) -> dict[str, bytes]:
    """Returns files as they lie in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


def list_phases(task: SharedTask) -> list[tuple[str, SharedTask]]:
    """Returns the phases by name, each as a task of its own; one called `Final` where none is."""
    if not task.phases:
        return [("Final", task)]
    return [(name, choose_phase(task, name)) for name in task.phases]


def narrow(task: SharedTask, track: str) -> SharedTask:
    """Returns the task with one of its tracks alone, and the phases in which that takes part."""
    phases = {
        name: replace(
            phase,
            gold={track: phase.gold[track]},
            ids={track: phase.ids[track]} if track in phase.ids else {},
        )
        for name, phase in task.phases.items()
        if track in phase.gold
    } | {name: phase for name, phase in task.phases.items() if not phase.gold and not phase.ids}
    return replace(task, tracks={track: task.tracks[track]}, phases=phases)


def make_reference(whole: SharedTask, phase: str, task: SharedTask) -> Files:
    """Returns the gold of a phase, and a task file with this phase and all tracks."""
    files, gold = {}, {}
    for place, (name, track) in enumerate(task.tracks.items(), 1):
        if track.gold is not None:
            endings = re.findall(r"\.[A-Za-z0-9]+", os.path.basename(track.gold))
            gold[name] = f"gold/{place}-{spell(name)}{''.join(endings[-2:])}"
            files[gold[name]] = read_one(track.gold)
    bare = {name: replace(track, gold=None, ids=None) for name, track in whole.tracks.items()}
    only = replace(whole, phases={phase: Phase(gold=gold)}, limits=task.limits)
    return {TASK_FILE: write_task(only, bare), **files}


def read_one(path: str) -> bytes:
    """Returns the content of the file of a track's gold or ids, which may not be several files."""
    if is_dataset(path):
        raise InputError(
            f"{path}: is several files; a bundle contains one for each track, so join them"
        )
    with open(path, "rb") as file:
        return file.read()


def find_labels(track: Track) -> tuple[str | int, ...] | None:
    """Returns the labels that the task names, or those of its gold; None where there are none."""
    reading = plan_track(track)
    if track.labels is not None or not (reading.soft or reading.labelled):
        return track.labels
    assert track.gold is not None, "labels are found in a phase"
    if reading.soft:
        side = Side(read_table(track.gold, format=track.format))
        return read_gold_cells(side, reading.columns, alone=False).list_labels()
    return tuple(read_answers(track.gold, track).names)


def write_task(task: SharedTask, tracks: dict[str, Track]) -> bytes:
    """Returns a task file with other tracks, without what neither a scorer nor a check reads."""
    kept = {name: replace(track, train=None) for name, track in tracks.items()}
    bare = replace(task, tracks=kept, overall=None, missing_tracks=None, board=Board())
    return dump_yaml(_shorten(msgspec.to_builtins(bare)))


def dump_yaml(document: object) -> bytes:
    """Returns YAML with its keys in order."""
    import yaml

    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()


def spell(name: str) -> str:
    """Returns a name as a part of a path: ASCII letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def _shorten(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: _shorten(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one not in (None, {}, [], ())}
    return list(value) if isinstance(value, tuple) else value


_PLACEHOLDER = "your output"
_README = """\
# {title}: starting kit

- `task.yaml` describes the task for the check; it names no gold.
- `ids/` has the examples to predict, one file for each track.
- `example/` is a submission in the right form, whose predictions are all the same.

Zip your files, not the folder that they lie in, and check the archive before you upload it, with
the wheel of Tallystick that the organisers hand out as long as there is no release:

    pip install tallystick-*.whl
    tallystick task check submission.zip --task task.yaml

The check says what the server would say, and needs no network.
"""


def make_kit(task: SharedTask) -> Files:
    """Returns the files of a starting kit; nothing in them tells the gold of an example."""
    files, tracks = {}, {}
    for place, (name, track) in enumerate(task.tracks.items(), 1):
        gold = draft_gold(name, track)
        path, content = _write_ids(f"ids/{place}-{spell(name)}", track, gold)
        files[path], columns = content, track.columns
        if track.task == "multilabel" and columns.gold is None:
            labels = {*map(str, find_labels(track) or ())}
            named = None if labels <= {*gold.answers} else "gold"
            columns = msgspec.structs.replace(columns, gold=named)
        tracks[name] = msgspec.structs.replace(
            track,
            gold=None,
            ids=path,
            labels=_publish_labels(name, track, gold),
            columns=columns,
        )
    readme = _README.format(title=task.title).encode()
    example = make_example(task)
    return {
        "README.md": readme,
        TASK_FILE: write_task(msgspec.structs.replace(task, phases={}), tracks),
        "example.zip": pack(example),
        **nest("example", example),
        **files,
    }


def make_example(task: SharedTask) -> dict[str, bytes]:
    """Returns the files of a submission to all tracks whose predictions are all the same."""
    drafts = (draft_example(name, track) for name, track in task.tracks.items())
    return {draft.file: draft.encode() for draft in drafts}


def draft_example(name: str, track: Track) -> Draft:
    """Returns a submission with one answer throughout: the first label, 0, or a text of no gold."""
    draft = draft_gold(name, track)
    track = msgspec.structs.replace(track, labels=_publish_labels(name, track, draft))
    if track.labels is None and (track.columns.probability or "y_prob") in draft.answers:
        label = track.columns.predicted or "y_pred"  # a probability needs none beside it
        kept = {key: own for key, own in draft.columns.items() if key != label}
        draft = replace(draft, columns=kept)
    shares = sum(name.startswith("prob_") for name in draft.answers)
    share = 1 / max(shares, 2)
    return draft.fill(
        {name: _repeat(name, draft.columns[name], track, share) for name in draft.answers}
    )


def _publish_labels(name: str, track: Track, gold: Draft) -> tuple[str | int, ...] | None:
    """The labels that the task names or columns are named after, not those that the gold has."""
    if track.labels is not None:
        return track.labels
    labels = find_labels(track)
    names = gold.answers
    if labels is None or not all(
        any(name == str(label) or name.endswith(f"_{label}") for name in names) for label in labels
    ):
        return None
    if plan_track(track).labelled and track.task != "multilabel":
        raise UsageError(
            f"tracks.{name}: submissions have a column of probabilities for each label, so name "
            "the labels that participants may see in `labels`"
        )
    return labels


def _repeat(name: str, values: Sequence[object], track: Track, share: float) -> Sequence[object]:
    """The same value in each row; of spans none, of tags the one for what is outside of them."""
    reading = plan_track(track)
    if reading.soft:
        labels = track.labels or (_PLACEHOLDER,)
        return [_level(value, [str(label) for label in labels]) for value in values]
    if reading.labelled:
        return [_choose_label(name, values, track, share)] * len(values)
    found = (kind.repeat(values, reading) for kind in reading.kinds or ())
    return next((own for own in found if own is not None), [_PLACEHOLDER] * len(values))


def _choose_label(name: str, values: Sequence[object], track: Track, share: float) -> object:
    """The first of the sorted labels in the form of a column, whatever answers are in it."""
    labels = track.labels or ()
    form = values[0] if values else ""
    if isinstance(form, float):
        return share
    if name in map(str, labels):
        return 0
    first = min(labels, key=str, default=track.positive or _PLACEHOLDER)
    if isinstance(form, list):
        return [first]
    return json.dumps([first]) if str(form).startswith("[") else first


def _level(value: object, labels: Sequence[str]) -> object:
    """A soft label that has the same share of each label, in the form of another one."""
    votes = vote(value, labels[0])
    if votes is not None:
        return votes
    if isinstance(value, Sequence):
        return [1 / len(value)] * len(value)
    share = 1 / len(labels)
    return share if isinstance(value, float) else dict.fromkeys(labels, share)


def _write_ids(path: str, track: Track, gold: Draft) -> tuple[str, bytes]:
    """The path and the content of the file of a track's examples, without their gold."""
    if track.ids is not None:
        return path + os.path.splitext(track.ids)[1], read_one(track.ids)
    if gold.form == "lines":
        return f"{path}.txt", "".join(
            f"example {row}\n" for row in range(1, len(gold) + 1)
        ).encode()
    if gold.form == "conll" or (gold.spell is not None and gold.alike):
        blank = {name: _repeat(name, gold.columns[name], track, 0) for name in gold.answers}
        return f"{path}.{gold.form}", gold.fill(blank).encode()
    own = {gold.id: track.columns.id or "id"} if track.columns.system_id else {}
    keys = {str(own.get(name, name)): gold.columns[name] for name in gold.keys} or {
        "row": range(1, len(gold) + 1)
    }
    rows = dict.fromkeys(zip(*keys.values(), strict=True))
    columns = dict(zip(keys, map(list, zip(*rows, strict=True)), strict=True))
    return f"{path}.csv", Draft("ids.csv", "csv", columns, tuple(keys)).encode()


class Rehearsal(Struct, frozen=True):
    """The leaderboard's columns, and each track's metrics; the first one ranks."""

    columns: tuple[BoardColumn, ...]
    metrics: Mapping[str, tuple[Metric, ...]]


def rehearse(task: SharedTask, tracks: Sequence[str]) -> Rehearsal:
    """Scores the gold of a phase of a task with these tracks as a submission."""
    with tempfile.TemporaryDirectory() as folder:
        for name, track in task.tracks.items():
            check_ranked(name, track.metrics)
            draft_gold(name, track).write(folder)
        checked = check_submission(task, folder)
        if checked.failed or checked.rejected:
            faults = "; ".join(str(one) for one in checked.findings if one.fatal)
            raise InputError(f"the gold itself cannot be scored as a submission: {faults}")
        scored = score_submission(task, checked, intervals=False).tracks
    names = {
        track: dict.fromkeys(one.metric for one in found.scores if one.label is None)
        for track, found in scored.items()
    }
    metrics = {track: tuple(map(parse, own)) for track, own in names.items()}
    return Rehearsal(list_columns(scored, tracks), metrics)


def rehearse_phases(whole: SharedTask) -> Rehearsal:
    """Scores the gold of each phase of a task; the columns are those of all phases."""
    found = [rehearse(task, tuple(whole.tracks)) for _, task in list_phases(whole)]
    columns = {one.key: one for rehearsal in found for one in rehearsal.columns}
    shown = sorted(columns.values(), key=lambda column: column.hidden)
    return Rehearsal(
        tuple(shown), {name: own for one in found for name, own in one.metrics.items()}
    )
