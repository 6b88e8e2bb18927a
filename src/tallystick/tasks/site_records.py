"""What the site of a shared task shows, and its file of records holds; no other field is in it."""

import msgspec


class Shown(msgspec.Struct, frozen=True):
    """A score that the site shows, by its metric's short name; None where it is undefined."""

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

    It was handed in at a time in UTC by ISO 8601. `about` is what the organisers tell of it, by
    the site's columns; scores, on all examples or on the mean over groups, and the pages of
    reports, from the folder of the site, are by track; `refused` says why it was refused, or a
    part of it.
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

    `runs` says which submission of its team each system is; `external` has scores that were
    computed elsewhere, by system and name, as they were written.
    """

    phase: str | None
    track: str
    places: tuple[SitePlace, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    runs: dict[str, str] = {}
    external: dict[str, dict[str, str]] = {}


class SiteStanding(msgspec.Struct, frozen=True):
    """Where a team stands over all tracks; baselines, and teams that are left out, have no rank.

    The value is what the rank is by: the mean of the scores, the mean rank, or the points. The
    ranks are by track.
    """

    team: str
    baseline: bool
    rank: int | None
    value: float | None
    ranks: dict[str, int]


class SiteOverall(msgspec.Struct, frozen=True):
    """The ranking over all tracks of one phase by `mean`, `mean_rank` or `borda`."""

    phase: str | None
    by: str
    tracks: tuple[str, ...]
    standings: tuple[SiteStanding, ...] = ()
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Site(msgspec.Struct, frozen=True):
    """All that the site of a shared task shows, which `board.json` holds too.

    It has the version that wrote it, which submission of a team counts (`last` or `best`), what
    the organisers tell of submissions (columns), and the names of scores that were computed
    elsewhere. Submissions are by phase and time, rankings by phase and track. Notes tell which
    rules did not apply.
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
    notes: tuple[str, ...] = ()
