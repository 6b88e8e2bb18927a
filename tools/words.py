"""Counts the words of the project's old private language, and fails if there are more than before.

python tools/words.py           checks that no folder has more of them than is recorded here
python tools/words.py WORD ...  prints where these words are

Write what a native technical writer would: a table contains rows, an option cannot be combined
with another, a value is missing. Lower the numbers when they fall.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = (
    *("told", "tells", "stands", "holds", "lacks", "beside", "apart", "of which", "so many"),
    *("goes with", "anew", "likewise", "at once"),
)
MOST = {"src": 690, "docs": 40, "tests": 210}
"""How many of these words a folder may have in all."""
ENDINGS = {"src": "py", "docs": "md", "tests": "py"}


def main() -> int:
    """Prints the counts, or the places of words; 1 if there are too many."""
    if sys.argv[1:]:
        print("\n".join(line for folder in MOST for line in find_words(folder, sys.argv[1:])))
        return 0
    failed = 0
    for folder, most in MOST.items():
        found = count_words(folder)
        each = ", ".join(f"{word} {count}" for word, count in found.most_common())
        print(f"{folder}: {found.total()} of at most {most} ({each})")
        failed |= found.total() > most
    return failed


def count_words(folder: str) -> Counter[str]:
    """Counts each of the words in a folder."""
    pattern = re.compile(rf"\b({'|'.join(WORDS)})\b")
    found: Counter[str] = Counter()
    for _, text in read_files(folder):
        found.update(pattern.findall(" ".join(text.lower().split())))
    return found


def find_words(folder: str, words: list[str]) -> Iterator[str]:
    """Lists the lines of a folder that have one of some words, with their places."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    for path, text in read_files(folder):
        for number, line in enumerate(text.splitlines(), 1):
            if pattern.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def read_files(folder: str) -> Iterator[tuple[Path, str]]:
    """Reads the files of a folder, in order of their names."""
    for path in sorted((ROOT / folder).rglob(f"*.{ENDINGS[folder]}")):
        yield path, path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
