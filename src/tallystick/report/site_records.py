"""What the site of a shared task shows, as its file of records holds it."""

import msgspec


class Shown(msgspec.Struct, frozen=True):
    """A score that the site shows.

    Attributes:
        name: The short name of the metric.
        value: The score; None where it is undefined.
        low: The lower end of its interval; None where there is none.
        high: Its upper end.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None


class Reason(msgspec.Struct, frozen=True):
    """Why a submission, or its file for a track, was refused; in words that its team may read."""

    track: str | None
    words: str


class Submission(msgspec.Struct, frozen=True):
    """One submission.

    Attributes:
        team: Whose it is.
        run: What it is called.
        phase: The phase that it is for; None where the task has none.
        submitted: When it was handed in: ISO 8601, in UTC.
        about: What the organisers tell of it, by the site's columns.
        scores: Its scores on all examples, or on the mean over groups, by track.
        reports: The page of its report by track, from the folder of the site.
        refused: Why it was refused, or a part of it.
    """

    team: str
    run: str
    phase: str | None
    submitted: str = ""
    about: dict[str, str] = {}
    scores: dict[str, tuple[Shown, ...]] = {}
    reports: dict[str, str] = {}
    refused: tuple[Reason, ...] = ()


class SitePlace(msgspec.Struct, frozen=True):
    """Where a system stands by one metric; the fields mean the same as those of `Place`."""

    group: str | None
    metric: str
    name: str
    system: str
    baseline: bool
    rank: int | None
    value: float | None
    low: float | None
    high: float | None
    n: int
    best_rank: int | None
    worst_rank: int | None
    cluster: int | None
    letters: str


class SiteRanking(msgspec.Struct, frozen=True):
    """The ranking of one track in one phase.

    Attributes:
        phase: The phase; None where the task has none.
        track: The track.
        places: The places.
        sentences: What they say in words.
        notes: What a reader must know of them.
        runs: Which submission of its team each system is.
        external: Scores that were computed elsewhere, by system and name, as they were written.
    """

    phase: str | None
    track: str
    places: tuple[SitePlace, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    runs: dict[str, str] = {}
    external: dict[str, dict[str, str]] = {}


class SiteStanding(msgspec.Struct, frozen=True):
    """Where a team stands over all tracks.

    Attributes:
        team: The team.
        baseline: Whether it is a baseline, which has no rank.
        rank: Its rank; None of baselines, and of teams that are left out.
        value: What the rank is by: the mean of the scores, the mean rank, or the points.
        ranks: The rank of the team by track, where it has one.
    """

    team: str
    baseline: bool
    rank: int | None
    value: float | None
    ranks: dict[str, int]


class SiteOverall(msgspec.Struct, frozen=True):
    """The ranking over all tracks of one phase.

    Attributes:
        phase: The phase; None where the task has none.
        by: What it is by: `mean`, `mean_rank` or `borda`.
        tracks: The tracks that are put together.
        standings: The teams, best first, and those without a rank last.
        sentences: What Friedman's and Nemenyi's test say.
        notes: What a reader must know of it.
    """

    phase: str | None
    by: str
    tracks: tuple[str, ...]
    standings: tuple[SiteStanding, ...] = ()
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Site(msgspec.Struct, frozen=True):
    """All that the site of a shared task shows, which `board.json` holds too.

    Attributes:
        tallystick: The version that wrote it.
        title: What the task is called.
        chosen: Which submission of a team counts in a track: `last` or `best`.
        submissions: All submissions, by phase and time.
        rankings: The rankings, by phase and track.
        overall: The rankings over all tracks, by phase; empty where the task asks for none.
        scores: What the scores are called that were computed elsewhere.
        columns: What the organisers tell of submissions.
        show_refused: Whether the front page lists refused submissions too.
    """

    tallystick: str
    title: str
    chosen: str
    submissions: tuple[Submission, ...]
    rankings: tuple[SiteRanking, ...]
    overall: tuple[SiteOverall, ...] = ()
    scores: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    show_refused: bool = False
