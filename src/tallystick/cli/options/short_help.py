"""What the short help of a command shows: the options that most people use."""

_READING = ("--metrics", "--by", "--systems", "--clusters")
_WRITING = ("--format", "--output", "--verbose")

SHORT: dict[str, tuple[str, ...]] = {
    "score": (*_READING, "--positive", "--no-intervals", *_WRITING),
    "compare": (*_READING, "--baseline", "--test", *_WRITING),
    "rank": (*_READING, "--submissions", "--baseline", *_WRITING),
    "gate": ("--metrics", "--against", "--max-drop", "--floor", "--config", "--by", *_WRITING),
    "plan": (*_READING, "--sizes", *_WRITING),
    "count": ("--metrics", "--by", "--systems", "--clusters", "--workers", "--output"),
    "sacrebleu": (
        *("--input", "--metrics", "--language-pair", "--tokenize", "--lowercase"),
        *("--confidence", "--paired-bs", "--format", "--score-only", "--width"),
    ),
    "baseline tfidf": ("--data", "--languages", "--stopwords", "--output", "--max-features"),
    "baseline detoxify": ("--data", "--languages", "--model", "--model-label", "--output"),
    "task score": ("--task", "--phase", "--format", "--output", "--verbose"),
    "task rank": ("--task", "--phase", "--overall", "--per-team", "--previous", *_WRITING),
    "task paper": ("--task", "--phase", "--overall", "--format", "--output"),
    "task board": ("--task", "--phase", "--output", "--overall", "--previous"),
}
"""The options of each command whose help would be long."""

_EXAMPLES = 3


def shorten_option(told: str) -> str:
    """Returns what the help of an option says first."""
    first = told.partition(";")[0]
    return first if first.count("(") == first.count(")") else first.rpartition(" (")[0]


def shorten(epilog: str, prog: str) -> str:
    """Returns the first examples of a command, its exit codes, and how to see the rest."""
    kept: list[str] = []
    examples = 0
    for line in epilog.partition("\n\n")[0].splitlines():
        examples += line.startswith("  ") and line[2] != " "
        if examples > _EXAMPLES:
            break
        kept.append(line)
    codes = epilog[epilog.index("exit codes") :] if "exit codes" in epilog else ""
    return "\n".join([*kept, "", f"`{prog} --help all` shows all options.", codes])
