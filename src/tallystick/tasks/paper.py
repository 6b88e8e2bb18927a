"""Writes the results section of an overview paper: a table for each track, and what it shows."""

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from tallystick.comparison.ranking.overall_ranking import rank_tracks
from tallystick.comparison.significance import TEST_NAMES
from tallystick.errors import say_count
from tallystick.output.results.ranking import Overall, Ranking, find_main
from tallystick.output.results.records import Difference, Missing, Place
from tallystick.output.results.sections import find_gain
from tallystick.output.tables.cells import escape_controls, format_scores, name_column
from tallystick.output.tables.document import Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.markup import escape
from tallystick.statistics.power import POWER


def write_paper(
    rankings: Mapping[str, Ranking],
    style: Style | None = None,
    overall: Overall | None = None,
    missing: Missing = "exclude",
) -> str:
    """Returns LaTeX for booktabs and graphicx: a table for each track, and what it shows.

    An overall ranking of several tracks is a table before them.
    """
    style, parts = style or Style(), list[str]()
    if overall is not None and len(rankings) > 1:
        whole = rank_tracks(rankings, overall=overall, missing_tracks=missing).document()
        alone = replace(whole, grids=[*whole.grids][:1], sentences=())
        parts.append(render(alone, "latex", replace(style, label="overall")))
    for number, (track, ranking) in enumerate(rankings.items(), 1):
        own = replace(style, label=f"results-{number}")
        parts.append(render(rank_tracks({track: ranking}).document(), "latex", own))
        parts.append(_write_paragraph(track, ranking, style))
    return "\n".join(parts)


def _write_paragraph(track: str, ranking: Ranking, style: Style) -> str:
    main = find_main(ranking.places)
    places = [place for place in ranking.places if place.criterion == main]
    differences = [one for one in ranking.differences if (one.group, one.metric) == main[1:]]
    text = (
        _tell_systems(places),
        *_tell_tests(differences),
        *_tell_clusters(places),
        *_tell_baselines(places, differences),
        *_tell_resolution(places[0], style),
    )
    words = "\n".join(escape(escape_controls(sentence)) for sentence in text)
    return f"\\paragraph{{{escape(escape_controls(track))}}}\n{words}\n"


def _tell_systems(places: Sequence[Place]) -> str:
    first = places[0]
    ranked = sum(place.rank is not None for place in places)
    what = name_column(first.name)
    by = f"the mean of {what} over groups" if first.group == "macro" else what
    return (
        f"{say_count(ranked, 'system')} {'is' if ranked == 1 else 'are'} ranked by {by} on "
        f"{say_count(first.n, 'example')}."
    )


def _tell_tests(differences: Sequence[Difference]) -> Iterator[str]:
    if not differences:
        return
    found = sum(one.significant for one in differences)
    first, pairs = differences[0], len(differences)
    of = f"{found} of the {pairs} pairs" if pairs > 1 else "the only pair" if found else "no pair"
    tests = dict.fromkeys(TEST_NAMES[one.test] for one in differences)  # type: ignore[index]
    verb = "differs" if found == 1 or pairs == 1 else "differ"
    yield (
        f"By {' and '.join(tests)} with Holm's correction, {of} of systems {verb} significantly "
        f"(p < {1 - first.confidence:.2g})."
    )


def _tell_clusters(places: Sequence[Place]) -> Iterator[str]:
    clusters = {place.cluster for place in places if place.cluster is not None}
    first = [place.system for place in places if place.cluster == 1]
    if len(clusters) == 1:
        yield "No group of systems is significantly better than all others."
    elif clusters and len(first) == 1:
        yield f"{first[0]} is significantly better than every other ranked system."
    elif clusters:
        yield (
            f"{', '.join(first[:-1])} and {first[-1]} form the first of {len(clusters)} clusters: "
            "each of them is significantly better than every ranked system outside it."
        )


def _tell_baselines(places: Sequence[Place], differences: Sequence[Difference]) -> Iterator[str]:
    baselines = {place.system for place in places if place.baseline}
    for name in sorted(baselines):
        met = [one for one in differences if name in (one.a, one.b)]
        others = [one for one in met if not {one.a, one.b} <= baselines]
        better = sum(one.significant and (find_gain(one) > 0) != (name == one.a) for one in others)
        if others:
            yield (
                f"{better} of {say_count(len(others), 'system')} {'is' if better == 1 else 'are'} "
                f"significantly better than the baseline {name}."
            )


def _tell_resolution(place: Place, style: Style) -> Iterator[str]:
    percent = style.percent and place.highest == 1
    [least] = format_scores(place.name, place.resolution)
    least = f"{100 * place.resolution:.1f} points" if percent else least
    if place.resolution > place.highest - place.lowest:
        yield f"The examples are too few for any difference to be found with {POWER:.0%} power."
    elif not math.isnan(place.resolution):
        yield (
            f"Two systems must differ by about {least} to be found different with {POWER:.0%} "
            "power (for a typical pair of systems, without correction)."
        )
