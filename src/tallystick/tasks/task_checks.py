"""Finds the mistakes of organisers, before any submission is read."""

import tempfile
from collections.abc import Mapping, Sequence

from tallystick.errors import PositiveError, TallystickError, UsageError
from tallystick.io.files.datasets import list_files
from tallystick.io.tables.values import as_keys
from tallystick.kinds.index import say_all
from tallystick.kinds.metrics.names import parse, read_metrics
from tallystick.kinds.metrics.requirements import needs_gold
from tallystick.model.columns import find
from tallystick.model.facts import Facts
from tallystick.model.reading import NoneLeftError, refusing
from tallystick.model.sides import Side
from tallystick.model.tallies.metric import Metric, is_per_label
from tallystick.reading.layouts import are_lines
from tallystick.scoring.metric_selection import bind, find_counters
from tallystick.scoring.score import score_counted
from tallystick.tasks.checking import reword
from tallystick.tasks.masked_gold import (
    count_track,
    draft_gold,
    find_drafter,
    plan_track,
    read_gold_table,
    recall_table,
)
from tallystick.tasks.task_file import SharedTask, TaskFileError, Track, choose_phase, suggest

_Keys = tuple[object, ...]


class GoldError(TaskFileError):
    """Gold cannot be scored, for a reason that may quote it; `blind` is without that reason."""

    def __init__(self, keys: _Keys, text: str, reason: str) -> None:
        """Keeps what participants may see."""
        super().__init__(keys, f" {text}: {reword(reason)}")
        hint = "as `tallystick task selftest` tells the organisers"
        self.blind = TaskFileError(keys, f" {text}, {hint}")


def check_task(whole: SharedTask, phase: str | None) -> SharedTask:
    """Returns the task of a phase, whose gold can be scored, or raises a TaskFileError."""
    task = choose_phase(whole, phase)
    check_tracks(task)
    named = {*task.tracks, *(one for own in whole.phases.values() for one in own.gold)}
    for name, track in whole.tracks.items():
        if track.gold is None and name not in named:
            raise TaskFileError(("tracks", name), " has no key 'gold', and no phase has its gold")
    for name, track in task.tracks.items():
        check_ranked(name, track.metrics)
        if track.gold == whole.tracks[name].gold and track.ids == whole.tracks[name].ids:
            _check_files(track, {key: ("tracks", name, key) for key in ("gold", "ids")}, name)
        else:
            called = phase or next(iter(whole.phases))
            keys = {key: ("phases", called, key, name) for key in ("gold", "ids")}
            _check_files(track, keys, name)
    return task


def check_tracks(task: SharedTask) -> None:
    """Raises a TaskFileError where metrics of a track are wrong, or do not fit its task."""
    for name, track in task.tracks.items():
        keys: _Keys = ("tracks", name, "metrics")
        metrics = list[Metric]()
        try:
            for place, one in enumerate(track.metrics):
                keys = ("tracks", name, "metrics", place)
                metrics += read_metrics([one])
                if metrics[-1] in metrics[:-1]:
                    raise TaskFileError(keys, f": {one} stands there twice; keep one")
            keys = keys[:2]
            reading = plan_track(track)
            if track.task is not None:
                keys = (*keys, "metrics")
                sides = tuple(kind.side for kind in reading.kinds or ())
                facts = Facts(reading.task, reading.task, sides)
                find_counters(bind(metrics, facts), facts)
        except UsageError as error:
            raise TaskFileError(keys, f": {error}") from error


def check_ranked(name: str, metrics: Sequence[str]) -> None:
    """Raises a TaskFileError where no metric of a track has one value, by which to rank."""
    if metrics and all(is_per_label(parse(metric)) for metric in metrics):
        raise TaskFileError(
            ("tracks", name, "metrics"),
            f": {', '.join(metrics)} has a value for each label, and leaderboards rank by one; "
            "name another metric first, such as macro_f1",
        )


def _check_files(track: Track, places: Mapping[str, _Keys], name: str) -> None:
    places = {**places, "train": ("tracks", name, "train")}
    there = {key for key, place in places.items() if _is_there(getattr(track, key), place)}
    if "gold" in there or "ids" not in there:
        for key, place in places.items():
            path = getattr(track, key)
            if path is not None and key not in there:
                raise TaskFileError(place, f": there is no file {path}")
    if "ids" in there:
        _check_ids(track, places["ids"], golden="gold" in there)
    if "gold" not in there:
        return
    keys = ("tracks", name)
    try:
        with refusing():
            _check_gold(track, keys)
    except TaskFileError:
        raise
    except PositiveError as error:
        place = (*keys, "positive")
        if track.positive is not None:
            raise GoldError(place, "does not fit the gold", str(error)) from error
        text = ": nothing tells which of the two labels is the positive one; name it"
        raise TaskFileError(place, text) from error
    except UsageError as error:
        raise GoldError((*keys, "metrics"), "do not fit the gold", str(error)) from error
    except NoneLeftError as error:
        reason = error.rejected[0].reason
        raise GoldError(places["gold"], "cannot be scored", reason) from error
    except TallystickError as error:
        raise GoldError(places["gold"], "cannot be scored", str(error)) from error


def _is_there(path: str | None, keys: _Keys) -> bool:
    try:
        return path is not None and bool(list_files(path))
    except TallystickError as error:
        raise TaskFileError(keys, f": {error}") from error


def _check_ids(track: Track, keys: _Keys, *, golden: bool) -> None:
    reading = plan_track(track)
    sides = list[set[str | None]]()
    try:
        for path in (track.ids, track.gold if golden else None):
            lines = path and find_drafter(path, reading) is None and are_lines(path, reading)
            if path is None or lines:
                continue
            table = recall_table(path, track)
            name = reading.find_ids(table.names())
            if name is None or not Side(table).has(name):
                continue
            ids = as_keys(table.column(name), path).to_pylist()
            sides.append({*ids})
            if path == track.ids and not track.by and len(sides[0] - {None, ""}) < len(ids):
                raise TaskFileError(keys, f": {path} has an id twice, or an example without one")
    except TaskFileError:
        raise
    except TallystickError as error:
        raise TaskFileError(keys, f" cannot be read: {error}") from error
    if len(sides) == 2 and sides[0] != sides[1]:
        other = min(map(str, sides[0] ^ sides[1]))
        raise TaskFileError(keys, f" has other examples than the gold, such as {other:.60}")


def _check_gold(track: Track, keys: _Keys) -> None:
    assert track.gold is not None, "there is gold"
    reading = plan_track(track)
    strange = [kind for kind in reading.kinds or () if not kind.submitted]
    if strange:
        text = f": those of {say_all(strange)} are not for task files"
        raise TaskFileError((*keys, "metrics"), text)
    golden, table = needs_gold(track.metrics), read_gold_table(track)
    if table is not None:
        names = table.names()
        _check_columns(track, [*names, *([] if golden else [track.columns.gold or ""])], keys)
    if not golden:
        return
    with tempfile.TemporaryDirectory(prefix="tallystick-") as folder:
        path = draft_gold(str(keys[-1]), track).write(folder)
        score_counted(count_track(track, {"gold": path}, table), None)


def _check_columns(track: Track, names: Sequence[str], keys: _Keys) -> None:
    named = {(*keys, "columns", key): getattr(track.columns, key) for key in ("gold", "weight")}
    ids, place = track.columns.id, (*keys, "columns", "id")
    named |= (
        {(*place, at): one for at, one in enumerate(ids)}
        if isinstance(ids, tuple)
        else {place: ids}
    )
    named |= {(*keys, "by", place): name for place, name in enumerate(track.by)}
    named[*keys, "clusters"] = track.clusters
    for place, name in named.items():
        heads = (name, str(name).rpartition(":")[0])
        known = name is None or any(find(names, (), head) in names for head in heads)
        if not known and not any(one.startswith(f"{name}_") for one in names):
            raise TaskFileError(
                place,
                f": {track.gold} has no column {name!r}; {suggest(str(name), names, 'columns')}",
            )
