"""How much memory a join by id takes, and how much this process may still have."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tallystick.errors import InputError
from tallystick.io.files.datasets import list_files
from tallystick.io.files.opening import name_source, try_sniff
from tallystick.io.tables.formats import guess_format

_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "file"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "total_cache",
    ),
)
"""Files that have the limit of a container, its use, and what its use has of cached files."""


def check_room(paths: Sequence[str], each: int) -> None:
    """Raises an InputError where tables with so many bytes for each row do not fit into memory."""
    needed, free = each * sum(map(_estimate_rows, paths)), min(_list_free(), default=None)
    if free is not None and needed > free:
        raise InputError(
            f"joining {name_source(paths[0])} in memory takes about {needed >> 20:,} MB, and "
            f"{max(free, 0) >> 20:,} MB are free; join it in parts with `workers=2`, or allow more"
        )


def _estimate_rows(path: str) -> int:
    rows = 0
    for file in list_files(path):
        if guess_format(file.path) == "parquet":
            from tallystick.io.tables.parquet import cut_groups

            rows += sum(span.rows for span in cut_groups(file.path, 1 << 62))
        elif start := try_sniff(file.path):
            rows += file.size * start.count(b"\n") // len(start)
    return rows


def _list_free() -> Iterator[int]:
    """How many bytes each limit leaves; nothing where the system tells none."""
    state = _read_numbers("/proc/self/status")
    with suppress(KeyError):
        yield _read_numbers("/proc/meminfo")["MemAvailable"] << 10
    for most, used, cached in _GROUPS:
        with suppress(OSError, ValueError):
            stat = _read_numbers(str(Path(most).with_name("memory.stat")))
            yield int(Path(most).read_text()) - int(Path(used).read_text()) + stat.get(cached, 0)
    with suppress(ImportError, KeyError):
        import resource

        for kind, name in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
            limit, _ = resource.getrlimit(kind)
            if limit != resource.RLIM_INFINITY:
                yield limit - (state[name] << 10)


def _read_numbers(path: str) -> dict[str, int]:
    lines = []
    with suppress(OSError):
        lines = [line.split() for line in Path(path).read_text().splitlines()]
    return {one[0].rstrip(":"): int(one[1]) for one in lines if len(one) > 1 and one[1].isdecimal()}
