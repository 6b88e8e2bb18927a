"""Writes the site of a shared task: leaderboards, a page for each team, what was rejected."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

import msgspec
from msgspec.structs import replace

from tallystick.kinds.metrics.names import parse
from tallystick.output.figures.drawing import check_report
from tallystick.output.report.page import (
    PageColumn,
    PageTable,
    Written,
    render_page,
    write_cell,
    write_table,
)
from tallystick.output.results.ranking import pivot_board
from tallystick.output.results.records import MAIN
from tallystick.output.tables.cells import (
    Bounded,
    Cell,
    Ends,
    Shown,
    choose_decimals,
    format_range,
    is_fraction,
)
from tallystick.output.tables.document import Style
from tallystick.output.tables.typeset import typeset_score
from tallystick.tasks.published import (
    ShownScore,
    Site,
    SiteOverall,
    SitePlace,
    SiteRanking,
    Submission,
    name_team,
    revive_places,
    to_float,
)

_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TOTALS = {
    "mean": ("mean", "the mean of the first metric of each"),
    "mean_rank": ("mean rank", "the mean of their ranks"),
    "borda": ("points", "Borda's count"),
}
"""What teams are ranked by over all tracks: the heading of its column, and words."""
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_WIDTH, _HEIGHT, _MARGIN = 480.0, 120.0, 8.0


_View = dict[str, object]
"""What a template shows of a phase, of the ranking over all its tracks, or of a curve."""


def name_page(name: str) -> str:
    """Returns the name of a page: small letters, digits and hyphens, with a hash if changed."""
    if _PLAIN.fullmatch(name) and len(name) <= 40:
        return name
    short = re.sub("[^a-z0-9]+", "-", name.lower())[:40].strip("-")
    return f"{short}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".lstrip("-")


def write_site(site: Site, style: Style) -> dict[str, str]:
    """Returns the pages of a site by their paths in its folder."""
    check_report()
    teams = list(dict.fromkeys(one.team for one in site.submissions))
    links = {team: f"teams/{name_page(team)}.html" for team in teams}
    systems = {one.system for ranking in site.rankings for one in ranking.places}
    targets = links | {
        name: links[name_team(system)]
        for system in systems
        for name in (system, f"{system} (baseline)")
    }
    shown = {"up": "", "links": targets, "teams": teams}
    pages = {"index.html": _render("site.html", site, _list_phases(site, style), style, **shown)}
    for team, path in links.items():
        own = tuple(one for one in site.submissions if one.team == team)
        alone = msgspec.structs.replace(site, submissions=own)
        own_phases = _list_phases(alone, style, team)
        pages[path] = _render("team.html", site, own_phases, style, up="../", team=team)
    return pages


def _render(
    template: str, site: Site, phases: Iterable[_View], style: Style, **more: object
) -> str:
    return render_page(
        template,
        {"tallystick": site.tallystick, "title": site.title},
        site=site,
        phases=[*phases],
        write=partial(_write, style=style),
        write_range=format_range,
        newest=max((one.submitted for one in site.submissions if one.scores), default=""),
        write_time=_write_time,
        name_metric=_name_metric,
        **more,
    )


def _list_phases(site: Site, style: Style, team: str | None = None) -> Iterator[_View]:
    names = dict.fromkeys(one.phase for one in site.submissions)
    for phase in reversed(list(names)):
        own = [one for one in site.submissions if one.phase == phase]
        rankings = [one for one in site.rankings if one.phase == phase]
        tracks = tuple(
            dict.fromkeys([*(one.track for one in rankings), *(t for s in own for t in s.scores)])
        )
        curves = (_draw(track, own, style) for track in tracks if team is not None)
        scores = _list_external(site, rankings)
        sizes = {
            one.track: len({place.system for place in one.places if place.rank is not None})
            for one in rankings
        }
        boards = (
            (_make_board(site, one, style), one, _list_external(site, [one]))
            for one in rankings
            if team is None
        )
        places = (
            (
                *(one, place, sizes[one.track]),
                [_write_external(one, place.system, name, style) for name in scores],
            )
            for one in rankings
            for place in _list_firsts(one)
            if name_team(place.system) == team
        )
        yield {
            "name": phase,
            "overall": _find_overall(site, phase, rankings, style),
            "tracks": tracks,
            "boards": [*boards],
            "scores": scores,
            "places": [*places],
            "submissions": own[::-1],
            "curves": [*filter(None, curves)],
        }


def _find_overall(
    site: Site, phase: str | None, rankings: Sequence[SiteRanking], style: Style
) -> _View | None:
    found = next((one for one in site.overall if one.phase == phase), None)
    if found is None:
        return None
    firsts = list(map(_list_firsts, rankings))
    names = tuple(own[0].name for own in firsts)
    titles = tuple(_name_metric(own[0].metric) for own in firsts)
    heading, title = _TOTALS[found.by]
    unit = names[0] if found.by == "mean" and all(map(is_fraction, names)) else ""
    standings = found.standings
    return {
        "found": found,
        "title": f"All {len(found.tracks)} tracks: teams ranked by {title}",
        "heading": heading,
        "metrics": titles,
        "totals": {one.team: _write_total(one.value, found.by, unit, style) for one in standings},
        "firsts": [{name_team(one.system): one for one in own} for own in firsts],
        "legend": _explain_overall(found),
    }


def _explain_overall(found: SiteOverall) -> str:
    """What the columns mean; ranks that are averaged are among the teams that stand here."""
    message = "Each track's column has the rank and the score by its first metric."
    apart = any(one.ranks and one.rank is None for one in found.standings)
    if found.by == "mean" or not apart:
        return message
    totals = "Mean ranks are" if found.by == "mean_rank" else "Points are won"
    return f"{message} {totals} among the teams that are ranked over all tracks."


def _list_firsts(ranking: SiteRanking) -> list[SitePlace]:
    """The places by the first metric, on all examples or on the mean over groups."""
    first = next(one for one in ranking.places if one.group in MAIN)
    main = (first.group, first.metric)
    return [one for one in ranking.places if (one.group, one.metric) == main]


def _write_total(value: float | None, by: str, unit: str, style: Style) -> Written:
    """What a team is ranked by over all tracks; points of Borda's count have halves at most."""
    if value is None:
        return Written(Shown(""))
    if by == "borda":
        return Written(Shown(f"{value:g}"), data={"value": repr(value)})
    return _write_number(value, unit, style)


def _list_external(site: Site, rankings: Sequence[SiteRanking]) -> list[str]:
    known = {name for one in rankings for own in one.external.values() for name in own}
    return [name for name in site.scores if name in known]


def _make_board(site: Site, ranking: SiteRanking, style: Style) -> PageTable:
    message = {(one.phase, one.team, one.run): one.about for one in site.submissions}
    scores = _list_external(site, [ranking])
    added = []
    for system in (one.system for one in _list_firsts(ranking)):
        key = (ranking.phase, name_team(system), ranking.runs.get(system, ""))
        external = (_write_external(ranking, system, name, style) for name in scores)
        about = (message.get(key, {}).get(column, "") for column in site.columns)
        added.append((*external, *(Written(Shown(text, name=True)) for text in about)))
    table, rows = write_table(pivot_board(revive_places(ranking)), style), iter(added)
    titles = {one.name: _name_metric(one.metric) for one in ranking.places}
    own = next(name for name in titles if name == _list_firsts(ranking)[0].name)
    named = [replace(one, heading=titles.get(one.heading, one.heading)) for one in table.columns]
    columns = [PageColumn(name) for name in scores]
    columns += [PageColumn(name, "about") for name in site.columns]
    return replace(
        table,
        caption=table.caption.replace(f"ranked by {own}", f"ranked by {titles[own]}"),
        columns=(*named, *columns),
        blocks=tuple(
            tuple((*_explain_rank(row), *next(rows)) for row in block) for block in table.blocks
        ),
    )


def _name_metric(metric: str) -> str:
    return parse(metric).full_title.replace("F1-Score", "F1")


def _explain_rank(row: Sequence[Written]) -> Iterator[Written]:
    """The cells of a row; a system without a rank has the reason there."""
    baseline = any(one.shown.text.endswith(" (baseline)") for one in row)
    reason = Written(Shown("baseline" if baseline else "no score"), "unranked")
    return (reason if at == 0 and not one.shown.text else one for at, one in enumerate(row))


def _write(one: SitePlace | ShownScore, style: Style) -> Written:
    ends = Ends(to_float(one.low), to_float(one.high))
    return _write_number(Bounded(to_float(one.value), ends), one.name, style)


def _write_number(cell: Cell, metric: str, style: Style) -> Written:
    return write_cell(cell, typeset_score(cell, metric, style))


def _write_external(ranking: SiteRanking, system: str, name: str, style: Style) -> Written:
    """A score with the decimals asked for or usual for its name, else the digits that it has."""
    text = ranking.external.get(system, {}).get(name, "")
    asked = name in style.decimals or choose_decimals(name, 1) == 1
    shown = f"{float(text):.{style.count_decimals(name)}f}" if text and asked else text
    return Written(Shown(shown), data={"value": text} if text else {})


def _write_time(submitted: str) -> str:
    """A time as people read it, such as 31 Mar 2026, 23:58 UTC."""
    time = datetime.fromisoformat(submitted)
    return f"{time.day} {_MONTHS[time.month - 1]} {time.year}, {time:%H:%M} UTC"


def _draw(track: str, submissions: Sequence[Submission], style: Style) -> _View | None:
    """The first metric over a team's submissions to a track; None of fewer than two."""
    scored = [(one, one.scores[track][0]) for one in submissions if one.scores.get(track)]
    shown = [(one, own) for one, own in scored if own.value is not None]
    if len(shown) < 2:
        return None
    values = [x for _, own in shown for x in (own.low, own.value, own.high) if x is not None]
    low, high = min(values), max(values)
    name = shown[0][1].name

    def place(value: float | None) -> float:
        share = 0.5 if value is None or high == low else (value - low) / (high - low)
        return round(_HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN), 1)

    step = (_WIDTH - 2 * _MARGIN) / (len(shown) - 1)
    points = [
        (  # across and down, the ends of its interval down, and its score in words
            round(_MARGIN + at * step, 1),
            place(own.value),
            place(own.value if own.high is None else own.high),
            place(own.value if own.low is None else own.low),
            f"{_write_time(one.submitted)}: {typeset_score(own.value, name, style).text}",
        )
        for at, (one, own) in enumerate(shown)
    ]
    ends = [typeset_score(one, name, style).text for one in (low, high)]
    return {"title": f"{track}: {name}", "ends": ends, "points": points}
