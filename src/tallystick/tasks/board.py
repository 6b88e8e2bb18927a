"""Builds the static site of a shared task from a folder of submissions, and no part of it twice."""

import hashlib
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tallystick import __version__
from tallystick.comparison.settings import Testing
from tallystick.errors import InputError, UsageError
from tallystick.examples.reading import NoneLeftError, UnforeseenError, refusing
from tallystick.io.datasets import find_pieces
from tallystick.io.export import make_folder
from tallystick.io.files import open_binary, write_text
from tallystick.io.tasks import SharedTask, choose_phase
from tallystick.render.style import Style
from tallystick.report.page import write_page
from tallystick.report.site import (
    Reason,
    Shown,
    Site,
    SiteRanking,
    Submission,
    name_page,
    write_site,
)
from tallystick.results import Score
from tallystick.results.evaluation import Evaluation
from tallystick.results.ranking import Ranking
from tallystick.scoring.score import score_counted
from tallystick.tasks.entries import Entry, digest_entry, find_entries
from tallystick.tasks.findings import Checked
from tallystick.tasks.limits import find_breaches
from tallystick.tasks.opening import open_submission
from tallystick.tasks.ranking import Chosen, check_entry, rank_entries
from tallystick.tasks.scoring import count_submissions

__all__ = ["RECORDS", "Built", "Publishing", "build_board"]

RECORDS = "board.json"
"""The file that holds all that the site shows, by which it is built anew."""

_REPORT = re.compile(r"reports/[a-z0-9-]+\.html")


@dataclass(frozen=True, slots=True)
class Publishing:
    """How submissions are ranked and shown.

    Attributes:
        per_team: Which submission of a team counts in a track.
        testing: How systems are compared.
        style: How numbers are shown.
    """

    per_team: Chosen = "last"
    testing: Testing = field(default_factory=Testing)
    style: Style = field(default_factory=Style)


@dataclass(frozen=True, slots=True)
class Built:
    """What was done to build a site.

    Attributes:
        site: All that it shows.
        scored: How many submissions were checked, and scored where they could be.
        ranked: How many rankings were made.
    """

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
) -> Built:
    """Writes the site of a task, and takes what has not changed from the one that is there.

    Args:
        task: The task.
        folder: The submissions; as in `find_entries`.
        target: The folder of the site, which is made where there is none.
        publishing: How submissions are ranked and shown.
        manifest: What tells their teams, times and phases; as in `find_entries`.

    Raises:
        InputError: As in `find_entries`; or the gold is wrong, or the site cannot be written.
        UsageError: As in `find_entries`; or the site would lie among the submissions.
    """
    publishing = publishing or Publishing()
    inside, outside = os.path.realpath(target), os.path.realpath(folder)
    if os.path.commonpath((inside, outside)) == outside:
        raise UsageError(f"{target} lies among the submissions; name another folder for the site")
    entries = find_entries(folder, task, manifest)
    make_folder(os.path.join(target, "teams"))
    make_folder(os.path.join(target, "reports"))
    builder = _Builder(target, publishing, _read_site(target))
    for phase in task.phases or (None,):
        own = [entry for entry in entries if entry.phase == phase]
        if own:
            builder.add_phase(choose_phase(task, phase), own)
    site = Site(
        __version__,
        task.title,
        publishing.per_team,
        tuple(builder.submissions),
        tuple(builder.rankings),
    )
    _write(target, site, builder.former, publishing.style)
    return Built(site, builder.scored, builder.ranked)


def _read_site(target: str) -> Site:
    """The site that was built before; an empty one where there is none."""
    path = os.path.join(target, RECORDS)
    if not os.path.exists(path):
        return Site(__version__, "", "", (), ())
    with open(path, "rb") as file:
        try:
            return msgspec.json.decode(file.read(), type=Site)
        except msgspec.DecodeError as error:
            raise InputError(
                f"{path}: is not what a board left there; name another folder, or remove it"
            ) from error


def _write(target: str, site: Site, former: Site, style: Style) -> None:
    """Writes all pages, and takes away those of teams and submissions that are gone."""
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


@dataclass(slots=True)
class _Builder:
    """What is built so far, beside what was built before."""

    target: str
    publishing: Publishing
    former: Site
    submissions: list[Submission] = field(default_factory=list)
    rankings: list[SiteRanking] = field(default_factory=list)
    scored: int = 0
    ranked: int = 0

    def add_phase(self, task: SharedTask, entries: Sequence[Entry]) -> None:
        """Adds the submissions of a phase and their rankings."""
        rules = _digest(
            _digest_task(task), repr(self.publishing.style), repr(self.publishing.testing)
        )
        breaches = find_breaches(task, entries)
        own = [
            (entry, _refuse(entry, breaches[entry]))
            if entry in breaches
            else (entry, self._add(task, rules, entry))
            for entry in entries
        ]
        self.submissions += [submission for _, submission in own]
        for track in task.tracks:
            ranked = [(entry, one) for entry, one in own if track in one.scores]
            if ranked:
                self.rankings.append(self._rank(task, track, ranked))

    def _add(self, task: SharedTask, rules: str, entry: Entry) -> Submission:
        """One submission, scored anew where it has changed."""
        named = (entry.phase or "", entry.team, entry.run)
        digest = _digest(rules, *named, digest_entry(entry.path, task))
        for one in self.former.submissions:
            if one.digest == digest and self._has_reports(one):
                return msgspec.structs.replace(one, submitted=_spell(entry))
        self.scored += 1
        checked = check_entry(task, entry)
        reasons = _list_reasons(checked)
        scores, reports = {}, {}
        for track in checked.files:
            evaluation = _score(task, track, entry.team, checked, self.publishing.testing)
            if evaluation is None:
                reasons.append(Reason(track, "it cannot be scored beside the gold"))
                continue
            reports[track] = f"reports/{digest[:16]}-{name_page(track)}.html"
            scores[track] = _show(evaluation.scores)
            content = evaluation.describe(style=self.publishing.style, examples=0)
            write_text(os.path.join(self.target, reports[track]), write_page(content))
        return Submission(
            team=entry.team,
            run=entry.run,
            phase=entry.phase,
            submitted=_spell(entry),
            digest=digest,
            scores=scores,
            reports=reports,
            reasons=tuple(reasons),
        )

    def _has_reports(self, one: Submission) -> bool:
        return all(os.path.isfile(os.path.join(self.target, page)) for page in one.reports.values())

    def _rank(
        self, task: SharedTask, track: str, own: Sequence[tuple[Entry, Submission]]
    ) -> SiteRanking:
        """The ranking of a track, made anew where what is ranked has changed."""
        phase = own[0][0].phase
        ranked = [(one.team, one.digest) for _, one in own]
        how = (self.publishing.per_team, self.publishing.testing, task.baselines)
        digest = _digest(track, repr(ranked), repr(how))
        for former in self.former.rankings:
            if former.digest == digest:
                return former
        self.ranked += 1
        alone = msgspec.structs.replace(task, tracks={track: task.tracks[track]})
        opened = [(entry, Checked(open_submission(alone, entry.path).files)) for entry, _ in own]
        found = rank_entries(
            alone,
            opened,
            per_team=self.publishing.per_team,
            testing=self.publishing.testing,
        )[track]
        return _record(phase, track, digest, found)


def _refuse(entry: Entry, reason: str) -> Submission:
    """A submission that does not count, whatever is in it."""
    return Submission(
        team=entry.team,
        run=entry.run,
        phase=entry.phase,
        submitted=_spell(entry),
        digest="",
        reasons=(Reason(None, reason),),
    )


def _score(
    task: SharedTask, track: str, team: str, checked: Checked, testing: Testing
) -> Evaluation | None:
    """The scores of a submission to a track; None where the true gold refuses it after all.

    The reason is kept from pages, because it may tell of the gold.
    """
    alone = msgspec.structs.replace(task, tracks={track: task.tracks[track]}, phases={})
    try:
        with refusing():
            counted = count_submissions(alone, {team: checked})[track]
            return score_counted(counted, testing.intervals)
    except (NoneLeftError, UnforeseenError):
        return None


def _spell(entry: Entry) -> str:
    return entry.submitted.isoformat()


def _record(phase: str | None, track: str, digest: str, ranking: Ranking) -> SiteRanking:
    parts: Mapping[str, Any] = json.loads(ranking.to_json())
    return SiteRanking(
        phase,
        track,
        digest,
        tuple(parts["places"]),
        tuple(parts["sentences"]),
        tuple(parts["notes"]),
        ranking.document().methods,
    )


def _show(scores: Sequence[Score]) -> tuple[Shown, ...]:
    """The scores on all examples, or on the mean over groups."""
    main = (one for one in scores if one.label is None and one.group in (None, "macro"))
    return tuple(
        Shown(one.name, _number(one.value), _number(one.low), _number(one.high)) for one in main
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _list_reasons(checked: Checked) -> list[Reason]:
    """What keeps a submission, or a track of it, from being scored."""
    return [
        Reason(one.track, f"{one.file}: {one.message}" if one.file else one.message)
        for one in checked.findings
        if one.fatal
    ]


def _digest_task(task: SharedTask) -> str:
    """What changes whenever the rules of a phase, its gold or the version do."""
    parts = [__version__, repr(task.limits)]
    for name, track in task.tracks.items():
        plain = msgspec.structs.replace(track, gold=None, ids=None, train=None, submissions=None)
        parts += [name, repr(plain)]
        parts += ["" if path is None else _digest_file(path) for path in (track.gold, track.ids)]
    return _digest(*parts)


def _digest_file(path: str) -> str:
    """The digest of a table, which may be several files."""
    digest = hashlib.sha256()
    for piece in find_pieces(path):
        with open_binary(piece.path) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
