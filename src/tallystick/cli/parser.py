"""The parser of the command line; of the options, only those of the command that is named load."""

import argparse
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile
from typing import Any, NoReturn, TypeVar

from tallystick.errors import UsageError
from tallystick.version import __version__

_Parser = TypeVar("_Parser", bound=argparse.ArgumentParser)


def _grade(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


_TYPES = {"N": int, "K": int, "DIGITS": int, "GRADE": _grade, "P": float, "D": float, "X": float}
"""The type of values that are called so; any other value is text."""


def add_options(
    group: argparse._ActionsContainer, table: Mapping[str, str | None], **changes: Mapping[str, Any]
) -> None:
    """Adds the options of a table, in its order.

    A key has the names of an option and that of its value, such as `-o --output FILE`. `FILE...`
    takes several values, any number of times; `a|b` takes one of these in any case; an option
    without a value is a switch, and `--[no-]name` one that can be turned off as well. `name VALUE`
    is an argument by its place, `name VALUE?` one that may be missing.

    Args:
        group: A parser, or a group of its options.
        table: What each option is for.
        changes: What `add_argument` is told besides of some options, such as their defaults.
    """
    for key, purpose in table.items():
        names = [word for word in key.split() if word.startswith("-")]
        value = key.split()[len(names) :]
        if not names:
            name, metavar = value
            missing = {"nargs": "?", "default": argparse.SUPPRESS}
            message = missing if metavar.endswith("?") else changes.get(name, {})
            group.add_argument(name, help=purpose, metavar=metavar.removesuffix("?"), **message)
            continue
        message = _read_value(value[0]) if value else {"action": "store_true"}
        if names[0].startswith("--[no-]"):
            names = [names[0].replace("[no-]", "")]
            message = {"action": argparse.BooleanOptionalAction}
        first = next(name for name in names if name.startswith("--"))
        more = changes.get(first[2:].replace("-", "_"), {})
        group.add_argument(*names, help=purpose, **{**message, **more})


def _read_value(value: str) -> dict[str, Any]:
    if value.islower():
        return {"type": str.lower, "choices": tuple(value.split("|"))}
    name = value.removesuffix("...")
    several = {} if name == value else {"action": "extend", "nargs": "+", "default": []}
    return {"metavar": name, "type": _TYPES.get(name), **several}


def add_command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, purpose: str, examples: str = ""
) -> _Parser:
    """Adds a command that does what its purpose says, whose options are to be added yet."""
    return commands.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=examples or None,
        allow_abbrev=False,
    )


_EPILOG = """\
example:
  tallystick score gold.csv predictions.csv

`tallystick COMMAND --help` explains a command and shows examples.

exit codes: 0 good; 1 a gate that failed; 2 a wrong call;
3 a gate that is inconclusive; 4 bad data.
"""


_COMMANDS = (
    ("score", "score predictions against gold", "score_options", "score"),
    ("tune", "tune the threshold of probabilities", "score_options", "few"),
    ("compare", "test whether systems differ significantly", "comparing_options", "comparing"),
    ("rank", "rank systems, and say who is significantly better", "comparing_options", "comparing"),
    ("gate", "check that a system is no worse than an older one", "comparing_options", "gate"),
    ("plan", "estimate how many examples a comparison needs", "comparing_options", "comparing"),
    ("count", "count examples, to add and score them later", "score_options", "score"),
    ("metrics", "list the metrics, or explain one", "score_options", "few"),
    ("baseline", "make predictions to beat", "score_options", "baseline"),
    ("task", "run a shared task from one file", "task_options", "task"),
    ("view", "open a saved result as a page in a browser", "score_options", "few"),
    ("demo", "score the example data that comes with the package", "score_options", "few"),
    ("completion", "print a script that completes commands in a shell", "score_options", "few"),
)
"""Each command, what it is for, the module with its options, and its own."""

_READING = ("--metrics", "--by", "--systems", "--predicted-column", "--missing")
_WRITING = ("--digits", "--percent", "--output", "--verbose")

SHORT: dict[str, tuple[str, ...]] = {
    "score": (*_READING, "--positive", "--no-intervals", *_WRITING),
    "compare": (*_READING, "--baseline", "--test", *_WRITING),
    "rank": (*_READING, "--submissions", "--baseline", *_WRITING),
    "gate": ("--metrics", "--against", "--max-drop", "--floor", "--config", "--by", *_WRITING),
    "plan": (*_READING, "--sizes", *_WRITING),
    "count": (*_READING, "--workers", "--output"),
    "baseline tfidf": ("--data", "--languages", "--stopwords", "--output", "--max-features"),
    "baseline detoxify": ("--data", "--languages", "--model", "--model-label", "--output"),
    "task score": ("--task", "--phase", *_WRITING),
    "task rank": ("--task", "--phase", "--overall", "--per-team", "--previous", *_WRITING),
    "task paper": ("--task", "--phase", "--overall", "--format", "--output"),
    "task board": ("--task", "--phase", "--output", "--overall", "--previous"),
}
"""The options that the short help of a command shows, of each whose help would be long."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples; what explains them is below them in a narrow terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if max(map(len, text.splitlines())) > width:
            text = re.sub(r"(?<=\S) {2,}(?=\S)|^ {9,}", "\n      ", text, flags=re.MULTILINE)
            text = text.replace("\n\n      ", "\n      ")
        return "".join(indent + line for line in text.splitlines(keepends=True))


_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".tally", ".gz")
"""What the names of files with examples often end with."""

_ELSEWHERE = {
    "--bootstrap": "--resamples",
    "--n-bootstrap": "--resamples",
    "--n-resamples": "--resamples",
    "--group-by": "--by",
    "--groupby": "--by",
    "--metric": "--metrics",
    "--out": "--output",
    "--seed": "--random-seed",
    "--alpha": "--confidence",
    "--precision": "--digits",
}
"""What other programs call an option."""


class Parser(argparse.ArgumentParser):
    """A parser whose help is short where it has many options; `--help all` shows the rest."""

    def __init__(self, **rest: Any) -> None:
        """Adds its own option of help."""
        super().__init__(add_help=False, **{**rest, "formatter_class": _Formatter})
        self.topic = ""
        message = "show this help, all of it, or that of a topic"
        self.add_argument(
            "-h", "--help", action=_Help, nargs="?", default="", metavar="all|TOPIC", help=message
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Rejects unknown arguments in the name of the subcommand."""
        found, strange = super().parse_known_args(args, namespace)
        if strange:
            self.error(f"unrecognized arguments: {' '.join(strange)}{self._advise(strange, args)}")
        return found, strange

    def error(self, message: str) -> NoReturn:
        """Ends the process with a message, and with what may have been meant."""
        value = re.search(r"'([^']*)'", message)
        named = re.match(r"argument (\S+):", message)
        choices = re.search(r"\(choose from (.*)\)", message)
        if value and choices:
            near = get_close_matches(value[1], re.findall("'([^']*)'", choices[1]), 1)
            message += "".join(f"; did you mean {one!r}?" for one in near)
        elif value and named and _is_file(value[1]):
            message += f"; put files before {named[1].split('/')[0]}"
        super().error(message)

    def check_files(self, options: argparse.Namespace, arguments: Sequence[str]) -> None:
        """Raises a UsageError where an option with several values was given files."""
        (commands,) = (one for one in self._actions if one.dest == "command")
        command: Parser = commands.choices[arguments[0]]  # type: ignore[index]
        for place, one in enumerate(arguments):
            action = command._option_string_actions.get(one)
            if action is None or action.nargs not in ("+", "*"):
                continue
            parsed, named = getattr(options, action.dest), getattr(options, "files", ())
            values = [*takewhile(lambda own: not own.startswith("-"), arguments[place + 1 :])]
            ended = action.dest == "metrics"
            files = [own for own in values if own in parsed and _is_file(own, named, ended)]
            if not files or (action.dest == "by" and values == files and named):
                continue
            first = values.index(files[0])
            call = ["tallystick", arguments[0], *named, *values[first:], one, *values[:first]]
            message = f"{one} {files[0]}: is a file; put files before {one}, as in"
            raise UsageError(f"{message} `{' '.join(call)}`")

    def _advise(self, strange: Sequence[str], args: Sequence[str]) -> str:
        if self.prog.startswith("tallystick task") and "--task" not in args:
            files = (one for one in args if one.endswith((".yaml", ".yml")))
            return "".join(f"; the task file is named with --task {one}" for one in files)
        if all(map(_is_file, strange)):
            return "; put all files together, before the options"
        known = [option for action in self._actions for option in action.option_strings]
        meant = _ELSEWHERE.get(strange[0].partition("=")[0])
        near = [meant] if meant in known else get_close_matches(strange[0], known, 1, 0.75)
        return "".join(f"; did you mean {one}?" for one in near)

    def format_help(self) -> str:
        """Returns the short help, that of a topic, or the whole where all is asked for or short."""
        shown = SHORT.get(self.prog.removeprefix("tallystick "))
        if self.topic == "all" or shown is None:
            return super().format_help()
        topics = {
            (group.title or "").split()[0].lower().rstrip(","): group
            for group in self._action_groups[2:]
        }
        if self.topic and self.topic not in topics:
            self.error(f"there is no topic {self.topic!r}, only {', '.join(topics)}")
        text, groups = self.epilog or "", self._action_groups
        helps = {action: action.help for action in self._actions}
        more = f"`{self.prog} --help all` shows all options, or --help with one of the topics "
        more = textwrap.fill(f"{more}{', '.join(topics)}.", 80)
        group = topics[self.topic] if self.topic else argparse._ArgumentGroup(self, "options")
        for action, message in helps.items():
            known = action in group._group_actions or {*action.option_strings} & {*shown}
            if self.topic or not action.option_strings:
                action.help = message if known or not self.topic else argparse.SUPPRESS
            elif known:
                action.help = _shorten_option(message or "")
                group._group_actions.append(action)
            else:
                action.help = argparse.SUPPRESS
        self._action_groups = [group] if self.topic else [self._positionals, group]
        self.epilog = more if self.topic else _shorten(text, more)
        try:
            return super().format_help()
        finally:
            self.epilog, self._action_groups = text, groups
            for action, message in helps.items():
                action.help = message


def _is_file(text: str, named: object = (), ended: bool = False) -> bool:
    """Whether a value is a file; one without an ending only where no files are `named`."""
    path = text.partition("=")[2] or text
    ending = os.path.splitext(path)[1].lower()
    return (os.path.isfile(path) and not (named and not ending)) or (ended and ending in _ENDINGS)


def _shorten_option(message: str) -> str:
    first = message.partition(";")[0]
    return first if first.count("(") == first.count(")") else first.rpartition(" (")[0]


def _shorten(epilog: str, more: str) -> str:
    """The first two examples of a command, its exit codes, and how to see the rest."""
    kept: list[str] = []
    examples = 0
    for line in epilog.partition("\n\n")[0].splitlines():
        examples += line.startswith("  ") and line[2] != " "
        if examples > 2:
            break
        kept.append(line)
    codes = epilog[epilog.index("exit codes") :] if "exit codes" in epilog else ""
    return "\n".join([*kept, "", more, codes])


class _Help(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: object,
        values: object,
        option: object = None,
    ) -> None:
        if isinstance(parser, Parser):
            parser.topic = str(values or "").lower()
        parser.print_help()
        parser.exit()


_GENERAL = ("--help", "--version", "-h")
"""What may be in the place of a command."""


def check_command(name: str) -> None:
    """Raises a UsageError that names the nearest command where there is none of this name."""
    names = [one[0] for one in _COMMANDS]
    if name not in (*names, *_GENERAL):
        near = get_close_matches(name, [*names, *_GENERAL], 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(names)}"
        raise UsageError(f"there is no command {name!r}{hint}")


def build_parser(only: str | None = None) -> Parser:
    """The parser of all commands, or with the options of only one; `run` runs what was parsed."""
    parser = Parser(
        prog="tallystick",
        description="Scores the predictions of NLP systems against gold.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"tallystick {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name, purpose, options, module in _COMMANDS:
        own = add_command(commands, name, purpose)
        own.set_defaults(run=_load(name, module))
        if only in (None, name):
            getattr(import_module(f"tallystick.cli.options.{options}"), f"add_{name}")(own)
    return parser


def _load(name: str, module: str) -> Callable[[argparse.Namespace], int | None]:
    """The command's own module, imported when the command runs; it may return an exit code."""

    def run(options: argparse.Namespace) -> int | None:
        with _open_engine(options):
            work = getattr(import_module(f"tallystick.cli.{module}"), f"run_{name}")
            code: int | None = work(options)
        return code

    return run


@contextmanager
def _open_engine(options: argparse.Namespace) -> Iterator[None]:
    workers = getattr(options, "workers", None)
    options.engine = None
    if workers is not None:
        if isinstance(workers, int) and workers < 1:
            raise UsageError(f"--workers must be 1 or more, not {workers}")
        from tallystick.distributed.cluster import connect, start

        options.engine = start(workers) if isinstance(workers, int) else connect(workers)
    try:
        yield
    finally:
        if options.engine is not None:
            options.engine.close()
