"""Scores a run with pandas and scikit-learn: `python peer_run.py FOLDER TAG`, as CSV.

Reads every `TAG_LANGUAGE.csv`, and prints the columns that `tallystick score --pred-dir` does.
"""

import sys
from pathlib import Path

import pandas as pd
from peer import score_groups


def main(folder: str, tag: str) -> None:
    """Reads the files, scores them and prints the table."""
    paths = {path.stem.removeprefix(f"{tag}_"): path for path in Path(folder).glob(f"{tag}_*.csv")}
    frames = {language: pd.read_csv(path) for language, path in sorted(paths.items())}
    scores = score_groups(frames, pd.concat(frames.values()), positive=1)
    sizes = {language: len(frame) for language, frame in frames.items()}
    scores.insert(0, "n_samples", pd.Series(sizes))
    scores["n_samples"] = scores["n_samples"].fillna(sum(sizes.values())).astype(int)
    scores.to_csv(sys.stdout, index_label="language")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
