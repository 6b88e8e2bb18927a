"""Builds the static site of a shared task from a folder of submissions, and no part of it twice."""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import find_pieces
from tallystick.io.files.opening import hold_files, open_binary, release_files, write_text
from tallystick.model.reading import NoneLeftError, UnforeseenError, refusing
from tallystick.output.report.page import write_page
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import MAIN, Score
from tallystick.output.tables.document import Style
from tallystick.output.tables.formats import make_folder
from tallystick.scoring.score import score_counted
from tallystick.tasks.entries import (
    Entry,
    digest_entry,
    find_breaches,
    find_entries,
    is_late,
    read_external_scores,
    tell_deadline,
)
from tallystick.tasks.masked_gold import list_track_files
from tallystick.tasks.opening import Checked
from tallystick.tasks.published import (
    Rejection,
    ShownScore,
    Site,
    SiteOverall,
    SiteRanking,
    Submission,
    describe_intervals,
    from_float,
    publish_places,
    publish_scores,
    publish_sentences,
    rank_overall,
)
from tallystick.tasks.scoring import (
    FailedError,
    Publishing,
    check_baselines,
    check_entry,
    count_submissions,
    name_ranked,
    note_times,
    rank_entries,
)
from tallystick.tasks.site import name_page, write_site
from tallystick.tasks.submission_worker import open_checked
from tallystick.tasks.task_checks import check_task
from tallystick.tasks.task_file import SharedTask, choose_phase
from tallystick.version import __version__

RECORDS = "board.json"
"""The file that contains all that the site shows."""
_DIGESTS = ".digests.json"
"""What the name of the site's folder has behind it in the name of the file of digests.

The file lies next to the site and not in it: who can guess gold could test the guess by its digest.
"""
_BEST = (
    "of several submissions of a team the best is ranked: the best of many scores higher by chance "
    "alone, which favours teams with more submissions."
)

_Decoded = TypeVar("_Decoded")
_REPORT = re.compile(r"reports/[a-z0-9-]+\.html")


class Built(Struct, frozen=True):
    """What was done: the site, and how many submissions were scored and rankings made."""

    site: Site
    scored: int
    ranked: int


def build_board(
    task: SharedTask,
    folder: str,
    target: str,
    publishing: Publishing | None = None,
    *,
    manifest: str | None = None,
    task_file: str | None = None,
) -> Built:
    """Writes the site of a task, of which nothing is made twice that has not changed.

    A UsageError says that private files would be published, or that columns are in no manifest.
    """
    publishing = publishing or Publishing()
    _check_target(target, folder, task, (manifest, task_file))
    if task.board.columns and manifest is None:
        columns = ", ".join(task.board.columns)
        raise UsageError(
            f"the board shows {columns} of each submission; give them in a table with --manifest"
        )
    entries = find_entries(folder, task, manifest)
    check_baselines(task, entries)
    external = read_external_scores(task, entries)
    make_folder(os.path.join(target, "teams"))
    make_folder(os.path.join(target, "reports"))
    former = _decode(os.path.join(target, RECORDS), Site, Site(__version__, "", "", (), ()))
    digests = os.path.abspath(target) + _DIGESTS
    known = _decode(digests, dict[str, str], {})
    builder = _Builder(target, publishing, former, known)
    for phase in task.phases or (None,):
        own = [entry for entry in entries if entry.phase == phase]
        if own:
            try:
                for track in choose_phase(task, phase).tracks.values():
                    hold_files(list_track_files(track))
                checked = check_task(task, phase)
                rules = _digest_task(checked)
            finally:
                release_files()
            builder.add_phase(checked, rules, own)
    external.check_tracks(builder.submissions)
    site = Site(
        __version__,
        task.title,
        publishing.per_team,
        tuple(builder.submissions),
        tuple(external.join(builder.rankings)),
        tuple(builder.overall),
        scores=external.names,
        columns=task.board.columns,
        show_rejected=task.board.show_rejected,
        notes=tuple(builder.notes),
        description=task.description or "",
    )
    _write(target, site, former, publishing.style)
    write_text(digests, json.dumps(builder.digests, indent=1) + "\n")
    return Built(site, builder.scored, builder.ranked)


def _check_target(target: str, folder: str, task: SharedTask, files: Sequence[str | None]) -> None:
    """Raises a UsageError where a site lies among the submissions, or private files lie in it."""
    site, entries = os.path.realpath(target), os.path.realpath(folder)
    if os.path.commonpath((site, entries)) == entries:
        raise UsageError(
            f"{target} is inside the folder of submissions; name another folder for the site"
        )
    golds = (path for one in task.tracks.values() for path in (one.gold, one.train))
    others = (path for phase in task.phases.values() for path in phase.gold.values())
    for path in filter(None, (*golds, *others, folder, *files)):
        if os.path.commonpath((site, os.path.realpath(path))) == site:
            raise UsageError(
                f"{target} contains {path}, which would be published with the site; name a folder "
                "of its own"
            )


def _decode(path: str, kind: type[_Decoded], otherwise: _Decoded) -> _Decoded:
    if not os.path.exists(path):
        return otherwise
    with open(path, "rb") as file:
        try:
            return msgspec.json.decode(file.read(), type=kind)
        except msgspec.DecodeError as error:
            raise InputError(
                f"{path}: was not written by task board; name another folder, or remove it"
            ) from error


def _write(target: str, site: Site, former: Site, style: Style) -> None:
    pages = write_site(site, style)
    for path, text in pages.items():
        write_text(os.path.join(target, path), text)
    records = json.dumps(msgspec.to_builtins(site), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(os.path.join(target, RECORDS), records + "\n")
    kept = {*pages, *_list_reports(site)}
    gone = {f"teams/{name_page(one.team)}.html" for one in former.submissions}
    for path in sorted((gone | _list_reports(former)) - kept):
        if os.path.isfile(os.path.join(target, path)):
            os.unlink(os.path.join(target, path))


def _list_reports(site: Site) -> set[str]:
    """The pages of reports; what else somebody wrote into the records is no page."""
    found = (path for one in site.submissions for path in one.reports.values())
    return {path for path in found if _REPORT.fullmatch(path)}


class _Builder(Struct):
    target: str
    publishing: Publishing
    former: Site
    known: Mapping[str, str]
    digests: dict[str, str] = field(default_factory=dict)
    checked: dict[Entry, Checked] = field(default_factory=dict)
    submissions: list[Submission] = field(default_factory=list)
    rankings: list[SiteRanking] = field(default_factory=list)
    overall: list[SiteOverall] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scored: int = 0
    ranked: int = 0

    def add_phase(self, task: SharedTask, rules: str, entries: Sequence[Entry]) -> None:
        """Adds the submissions of a phase, their rankings and the one over all tracks."""
        rules = _digest(rules, repr(self.publishing.style), repr(self.publishing.testing))
        breaches = find_breaches(task, entries)
        self.notes += [*tell_deadline(task, entries[0].phase), *note_times(task, entries)]
        own = []
        for entry in entries:
            one = self._add(task, rules, entry, breaches.get(entry))
            # What follows may change while the content of a submission does not.
            about = dict(zip(task.board.columns, entry.about, strict=True))
            submitted = entry.submitted.isoformat()
            late = task.late == "mark" and is_late(task, entry)
            own.append((entry, replace(one, submitted=submitted, about=about, late=late)))
        self.submissions += [submission for _, submission in own]
        rankings = [
            self._rank(task, track, ranked)
            for track in task.tracks
            if (ranked := [(entry, one) for entry, one in own if track in one.scores])
        ]
        self.rankings += rankings
        overall = rank_overall(task, rankings, self.publishing.testing.confidence)
        self.overall += [] if overall is None else [overall]

    def _add(self, task: SharedTask, rules: str, entry: Entry, breach: str | None) -> Submission:
        """One submission, scored again where it has changed; a breach refuses all of it."""
        bare = Submission(entry.team, entry.run, entry.phase)
        if breach is not None:
            return replace(bare, rejected=(Rejection(None, breach),))
        key = _name(entry.phase, entry.team, entry.run)
        self.digests[key] = _digest(rules, key, digest_entry(entry.path, task))
        if self.known.get(key) == self.digests[key]:
            for one in self.former.submissions:
                if _name(one.phase, one.team, one.run) == key and self._has_reports(one):
                    return one
        self.scored += 1
        checked = self.checked[entry] = check_entry(task, entry)
        reasons = [
            Rejection(one.track, f"{one.file}: {one.message}" if one.file else one.message)
            for one in checked.findings
            if one.fatal
        ]
        scores, reports = {}, {}
        for track in checked.files:
            try:
                evaluation = _score(task, track, entry.team, checked, self.publishing)
            except FailedError as error:
                reasons.append(Rejection(track, error.rejected[0].reason))
                continue
            except (NoneLeftError, UnforeseenError):  # whose reason may tell of gold
                reasons.append(Rejection(track, "its outputs do not fit the gold"))
                continue
            reports[track] = f"reports/{_digest(key, track)[:16]}-{name_page(track)}.html"
            scores[track] = _show(evaluation.scores)
            content = evaluation.describe(style=self.publishing.style, examples=0)
            about = dict.fromkeys(filter(None, (entry.team, entry.run, entry.phase)))
            # The team's name stands once, and the task's title, which may change, nowhere.
            own = f"../teams/{name_page(entry.team)}.html"
            page = write_page(
                content,
                title=f"{', '.join(about)}: {track}",
                above={"../index.html": "Leaderboards", own: entry.team},
            )
            write_text(os.path.join(self.target, reports[track]), page)
        return replace(bare, scores=scores, reports=reports, rejected=tuple(reasons))

    def _has_reports(self, one: Submission) -> bool:
        return all(os.path.isfile(os.path.join(self.target, page)) for page in one.reports.values())

    def _rank(
        self, task: SharedTask, track: str, own: Sequence[tuple[Entry, Submission]]
    ) -> SiteRanking:
        phase = own[0][0].phase
        ranked = [self.digests[_name(phase, one.team, one.run)] for one, _ in own]
        how = (self.publishing.per_team, self.publishing.testing, task.baselines)
        key = _name(phase, track)
        self.digests[key] = _digest(track, repr(ranked), repr(how))
        if self.known.get(key) == self.digests[key]:
            for former in self.former.rankings:
                if (former.phase, former.track) == (phase, track):
                    return former
        self.ranked += 1
        alone = replace(task, tracks={track: task.tracks[track]})
        opened = [
            (entry, self.checked.get(entry) or open_checked(alone, entry.path)) for entry, _ in own
        ]
        found = rank_entries(alone, opened, self.publishing).get(track)
        if found is None:
            raise InputError(f"{track}: none of its submissions is ranked, but each can be scored")
        chosen = name_ranked([entry for entry, _ in own], self.publishing.per_team)
        runs = {system: entry.run for system, entry in chosen.items()}
        style, best = self.publishing.style, self.publishing.per_team == "best"
        places = publish_places(found, task.tracks[track], style)
        count = len({one.system for one in places})
        pairs = count * (count - 1) // 2
        tests = (
            f"significance tests are corrected by Holm over {pairs} "
            f"{'pairs' if pairs > 1 else 'pair'} of systems for each metric."
            if pairs
            else "there is only one system, so there is nothing to compare it with."
        )
        notes = tuple(filter(None, (_BEST * best, tests, describe_intervals(found.places))))
        sentences = publish_sentences(found, style)
        return SiteRanking(phase, track, places, sentences, notes, runs)


def _score(
    task: SharedTask, track: str, team: str, checked: Checked, publishing: Publishing
) -> Evaluation:
    counted = count_submissions(task, track, {team: checked.files[track]})
    with refusing():
        found = score_counted(counted, publishing.testing.intervals)
        return publish_scores(found, task.tracks[track], task.details, publishing.style)


def _name(*parts: str | None) -> str:
    return json.dumps(parts)


def _show(scores: Sequence[Score]) -> tuple[ShownScore, ...]:
    return tuple(
        ShownScore(one.name, *map(from_float, (one.value, one.low, one.high)))
        for one in scores
        if one.group in MAIN
    )


def _digest_task(task: SharedTask) -> str:
    parts = [__version__, repr(task.limits), repr(task.details)]
    for name, track in task.tracks.items():
        parts += [name, repr(replace(track, gold=None, ids=None, train=None))]
        for path in (track.gold, track.ids):
            digest = hashlib.sha256()
            for piece in () if path is None else find_pieces(path):
                with open_binary(piece.path) as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
            parts.append("" if path is None else digest.hexdigest())
    return _digest(*parts)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
