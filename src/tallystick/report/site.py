"""Writes the site of a shared task: leaderboards, a page for each team, what was refused."""

import hashlib
import re
from collections.abc import Mapping, Sequence

import msgspec

from tallystick.frozen import dataclass, replace
from tallystick.render.document import Document
from tallystick.render.names import find_custom, is_fraction
from tallystick.render.style import Style
from tallystick.report.boards import Board, list_boards
from tallystick.report.bundle import check_report
from tallystick.report.content import Content
from tallystick.report.numbers import Number, Numbers
from tallystick.report.page import render_page
from tallystick.report.site_records import Site, SiteOverall, SitePlace, SiteRanking, Submission
from tallystick.report.tables import Column

_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TOTALS = {
    "mean": ("mean", "the mean of the first metric of each"),
    "mean_rank": ("mean rank", "the mean of their ranks"),
    "borda": ("points", "Borda's count"),
}
"""What teams are ranked by over all tracks: the heading of its column, and words."""
_WIDTH, _HEIGHT, _MARGIN = 480.0, 120.0, 8.0


@dataclass(frozen=True, slots=True)
class _Curve:
    """The first metric of a track over a team's submissions.

    A point has its place across and down, the ends of its interval, and its score in words.
    """

    title: str
    ends: tuple[str, str]
    points: tuple[tuple[float, float, float, float, str], ...]


@dataclass(frozen=True, slots=True)
class _Overall:
    """The ranking over all tracks of a phase, with the name of the first metric of each.

    `totals` are what teams are ranked by, which the heading names, and `firsts` their places in
    each track.
    """

    found: SiteOverall
    title: str
    heading: str
    metrics: tuple[str, ...]
    totals: Mapping[str, Number]
    firsts: tuple[Mapping[str, SitePlace], ...]
    legend: str


@dataclass(frozen=True, slots=True)
class _Phase:
    """What a phase shows on the first page, or on that of a team."""

    name: str | None
    overall: _Overall | None
    tracks: tuple[str, ...]
    boards: tuple[tuple[Board, SiteRanking], ...]
    submissions: tuple[Submission, ...]
    curves: tuple[_Curve, ...]


def name_page(name: str) -> str:
    """Returns what the page of a team, or a part of a page's name, is called.

    It holds small letters, digits and hyphens alone; names that are not so already end with some
    digits of their hash, so that no two names share a page.
    """
    if _PLAIN.fullmatch(name) and len(name) <= 40:
        return name
    short = re.sub("[^a-z0-9]+", "-", name.lower())[:40].strip("-")
    return f"{short}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".lstrip("-")


def name_team(system: str) -> str:
    """Returns the team of a system, which is called TEAM or TEAM/RUN."""
    return system.partition("/")[0]


def write_site(site: Site, style: Style) -> dict[str, str]:
    """Returns the pages of a site by their paths in its folder."""
    check_report()
    teams = list(dict.fromkeys(one.team for one in site.submissions))
    links = {team: f"teams/{name_page(team)}.html" for team in teams}
    systems = {one.system for ranking in site.rankings for one in ranking.places}
    targets = links | {system: links[name_team(system)] for system in systems}
    phases = _list_phases(site, style)
    pages = {
        "index.html": _render("site.html", site, phases, style, up="", links=targets, teams=teams)
    }
    for team, path in links.items():
        own = tuple(one for one in site.submissions if one.team == team)
        alone = msgspec.structs.replace(site, submissions=own)
        own_phases = _list_phases(alone, style, team)
        pages[path] = _render("team.html", site, own_phases, style, up="../", team=team)
    return pages


def _render(
    template: str, site: Site, phases: Sequence[_Phase], style: Style, **more: object
) -> str:
    return render_page(
        template,
        {"tallystick": site.tallystick, "title": site.title},
        site=site,
        phases=phases,
        numbers=Numbers(style),
        newest=_write_time(max(one.submitted for one in site.submissions)),
        **more,
    )


def _list_phases(site: Site, style: Style, team: str | None = None) -> tuple[_Phase, ...]:
    """The phases that anything was handed in for, the last one first; perhaps of one team."""
    names = dict.fromkeys(one.phase for one in site.submissions)
    found = []
    for phase in reversed(list(names)):
        own = [one for one in site.submissions if one.phase == phase]
        rankings = [one for one in site.rankings if one.phase == phase]
        tracks = tuple(
            dict.fromkeys([*(one.track for one in rankings), *(t for s in own for t in s.scores)])
        )
        curves = (_draw(track, own, style) for track in tracks if team is not None)
        found.append(
            _Phase(
                phase,
                _find_overall(site, phase, rankings, style),
                tracks,
                tuple((_make_board(site, one, style, team), one) for one in rankings),
                tuple(reversed(own)),
                tuple(filter(None, curves)),
            )
        )
    return tuple(found)


def _find_overall(
    site: Site, phase: str | None, rankings: Sequence[SiteRanking], style: Style
) -> _Overall | None:
    """The ranking over all tracks of a phase; None where there is none."""
    found = next((one for one in site.overall if one.phase == phase), None)
    if found is None:
        return None
    firsts = tuple(map(_list_firsts, rankings))
    names = tuple(next(iter(own.values())).name for own in firsts)
    heading, title = _TOTALS[found.by]
    unit = names[0] if found.by == "mean" and all(map(is_fraction, names)) else ""
    return _Overall(
        found,
        f"All {len(found.tracks)} tracks: teams ranked by {title}",
        heading,
        names,
        {one.team: _write_total(one.value, found.by, unit, style) for one in found.standings},
        firsts,
        _explain_overall(found),
    )


def _explain_overall(found: SiteOverall) -> str:
    """What the columns mean; ranks that are averaged are among the teams that stand here."""
    told = "Each track's column has the rank and the score by its first metric."
    apart = any(one.ranks and one.rank is None for one in found.standings)
    if found.by == "mean" or not apart:
        return told
    totals = "Mean ranks are" if found.by == "mean_rank" else "Points are won"
    return f"{told} {totals} among the teams that are ranked over all tracks."


def _list_firsts(ranking: SiteRanking) -> dict[str, SitePlace]:
    """The place of each team by the first metric, on all examples or on the mean over groups."""
    first = next(one for one in ranking.places if one.group in (None, "macro"))
    main = (first.group, first.metric)
    return {name_team(one.system): one for one in ranking.places if (one.group, one.metric) == main}


def _write_total(value: float | None, by: str, unit: str, style: Style) -> Number:
    """What a team is ranked by over all tracks; points of Borda's count have halves at most."""
    if value is not None and by == "borda":
        return Number(f"{value:g}", repr(value))
    return Numbers(style).score(value, unit)


def _make_board(site: Site, ranking: SiteRanking, style: Style, team: str | None) -> Board:
    """The board of a track, with what is told of submissions.

    Of one team it has its own rows alone, and the columns of all boards of the phase.
    """
    places = [msgspec.to_builtins(one) | {"track": ranking.track} for one in ranking.places]
    (board,) = list_boards(Content(document=Document(), result={"places": places}, style=style))
    phase = ranking.phase
    about = {(one.team, one.run): one.about for one in site.submissions if one.phase == phase}
    shown = [ranking] if team is None else [one for one in site.rankings if one.phase == phase]
    known = {name for one in shown for own in one.external.values() for name in own}
    scores = [name for name in site.scores if name in known]
    entries = tuple(
        replace(
            one,
            about=(
                *(_write_external(ranking, one.name, name, style) for name in scores),
                *(Number(own.get(column, ""), "") for column in site.columns),
            ),
        )
        for one in board.entries
        if team in (None, name_team(one.name))
        for own in [about.get((name_team(one.name), ranking.runs.get(one.name, "")), {})]
    )
    columns = [Column(name, textual=False) for name in scores]
    columns += [Column(name, textual=True) for name in site.columns]
    return replace(board, columns=tuple(columns), entries=entries)


def _write_external(ranking: SiteRanking, system: str, name: str, style: Style) -> Number:
    """A score with the decimals asked for or usual for its name, else the digits that it has."""
    text = ranking.external.get(system, {}).get(name, "")
    digits = style.decimals.get(name, find_custom(name))
    return Number(f"{float(text):.{digits}f}" if text and digits is not None else text, text)


def _write_time(submitted: str) -> str:
    """A time as people read it: `2026-03-31 23:59 UTC`."""
    return f"{submitted[:10]} {submitted[11:16]} UTC"


def _draw(track: str, submissions: Sequence[Submission], style: Style) -> _Curve | None:
    """The first metric over a team's submissions to a track; None of fewer than two."""
    scored = [(one, one.scores[track][0]) for one in submissions if one.scores.get(track)]
    shown = [(one, own) for one, own in scored if own.value is not None]
    if len(shown) < 2:
        return None
    values = [x for _, own in shown for x in (own.low, own.value, own.high) if x is not None]
    low, high = min(values), max(values)
    numbers, name = Numbers(style), shown[0][1].name

    def place(value: float | None) -> float:
        share = 0.5 if value is None or high == low else (value - low) / (high - low)
        return round(_HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN), 1)

    step = (_WIDTH - 2 * _MARGIN) / (len(shown) - 1)
    points = tuple(
        (
            round(_MARGIN + at * step, 1),
            place(own.value),
            place(own.value if own.high is None else own.high),
            place(own.value if own.low is None else own.low),
            f"{_write_time(one.submitted)}: {numbers.score(own.value, name).text}",
        )
        for at, (one, own) in enumerate(shown)
    )
    ends = (numbers.score(low, name).text, numbers.score(high, name).text)
    return _Curve(f"{track}: {name}", ends, points)
