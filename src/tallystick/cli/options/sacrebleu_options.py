"""The options of `tallystick sacrebleu`, which are those of sacreBLEU's own command."""

import argparse

_EXAMPLES = """\
examples:
  tallystick sacrebleu ref.txt -i system.txt -m bleu chrf ter    JSON, as sacreBLEU prints it
  cat system.txt | tallystick sacrebleu ref.txt -b -w 4          the number alone
  tallystick sacrebleu ref1 ref2 -i system -f text               two references
  tallystick sacrebleu ref.ja -i system.ja -l en-ja              the tokenizer of the language
  tallystick sacrebleu ref.txt -i baseline.txt a.txt b.txt --paired-bs -f text
                                                                 tests against the first system
"""

_TOKENIZERS = (
    *("none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab"),
    *("spm", "flores101", "flores200", "spBLEU-1K"),
)
_SPELLED = {name.lower(): name for name in _TOKENIZERS}


def add_sacrebleu(parser: argparse.ArgumentParser) -> None:
    """Adds everything that sacreBLEU's command takes, by its names and with its defaults."""
    parser.usage = "tallystick sacrebleu REF [REF ...] [-i SYSTEM ...] [options]"
    parser.epilog = _EXAMPLES
    parser.allow_abbrev = True  # as there: --tok zh stands in many scripts
    parser.add_argument(
        "refs", nargs="*", metavar="REF", help="a file of references; they stand before -i"
    )
    _add_inputs(parser)
    _add_bleu(parser.add_argument_group("BLEU"))
    _add_chrf(parser.add_argument_group("chrF"))
    _add_ter(parser.add_argument_group("TER"))
    _add_tests(parser.add_argument_group("confidence and significance"))
    _add_report(parser.add_argument_group("output"))
    _add_downloads(parser.add_argument_group("what needs a download, which is refused"))


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input",
        "-i",
        nargs="*",
        metavar="SYSTEM",
        help="a file of each system (default: standard input, where tabs part systems)",
    )
    parser.add_argument(
        "--num-refs",
        "-nr",
        type=int,
        default=1,
        metavar="N",
        help="the number of tab-separated references on each line of the reference file (default: "
        "1)",
    )
    parser.add_argument(
        "--encoding", "-e", default="utf-8", help="the encoding of all files (default: utf-8)"
    )
    parser.add_argument(
        "--metrics",
        "-m",
        nargs="+",
        type=str.lower,
        choices=("bleu", "chrf", "ter"),
        metavar="METRIC",
        default=["bleu"],
        help="what to compute: bleu, chrf or ter (default: bleu)",
    )
    parser.add_argument(
        "--sentence-level", "-sl", action="store_true", help="score every line on its own"
    )
    parser.add_argument(
        "--language-pair",
        "-l",
        dest="langpair",
        metavar="PAIR",
        help="the language pair, such as en-ja; its target language chooses BLEU's tokenizer",
    )
    parser.add_argument(
        "--version",
        "-V",
        action="store_true",
        help="tell the version of sacreBLEU whose numbers these are",
    )


def _add_bleu(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--smooth-method",
        "-s",
        type=str.lower,
        choices=("none", "floor", "add-k", "exp"),
        default="exp",
        help="how orders without a match are smoothed (default: exp)",
    )
    group.add_argument(
        "--smooth-value",
        "-sv",
        type=float,
        metavar="X",
        help="the value of floor (default: 0.1) and add-k (default: 1)",
    )
    group.add_argument(
        "--tokenize",
        "-tok",
        type=lambda name: _SPELLED.get(name.lower(), name),
        choices=_TOKENIZERS,
        metavar="NAME",
        help="the tokenizer (default: zh, ja-mecab or ko-mecab by --language-pair, else 13a); one "
        f"of {', '.join(_TOKENIZERS)}",
    )
    group.add_argument("--lowercase", "-lc", action="store_true", help="case does not count")
    group.add_argument(
        "--force", action="store_true", help="say nothing about lines that look tokenised"
    )


def _add_chrf(group: argparse._ArgumentGroup) -> None:
    for name, short, usual, purpose in (
        ("char-order", ("-cc",), 6, "n-grams of up to so many characters"),
        ("word-order", ("-cw",), 0, "n-grams of up to so many words, 2 for chrF++"),
        ("beta", (), 2, "how much recall counts beside precision"),
    ):
        group.add_argument(
            f"--chrf-{name}",
            *short,
            type=int,
            default=usual,
            metavar="N",
            help=f"{purpose} (default: {usual})",
        )
    for name, purpose in (
        ("whitespace", "white space counts"),
        ("lowercase", "case does not count"),
        ("eps-smoothing", "smooth by a tiny number, instead of leaving out empty orders"),
    ):
        group.add_argument(f"--chrf-{name}", action="store_true", help=purpose)


def _add_ter(group: argparse._ArgumentGroup) -> None:
    for name, purpose in (
        ("case-sensitive", "case counts"),
        ("asian-support", "part Asian characters"),
        ("no-punct", "drop punctuation"),
        ("normalized", "normalise and tokenise"),
    ):
        group.add_argument(f"--ter-{name}", action="store_true", help=purpose)


def _add_tests(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--confidence", "-ci", action="store_true", help="95%% confidence of a single system"
    )
    paired = group.add_mutually_exclusive_group()
    for name, short, purpose in (
        ("ar", "-par", "by approximate randomisation"),
        ("bs", "-pbs", "by the paired bootstrap"),
    ):
        paired.add_argument(
            f"--paired-{name}",
            short,
            action="store_true",
            help=f"test every system against the first one {purpose}",
        )
    for name, short, usual in (
        ("confidence", "-cin", 1000),
        ("paired-ar", "-parn", 10_000),
        ("paired-bs", "-pbsn", 1000),
    ):
        group.add_argument(
            f"--{name}-n",
            short,
            type=_count,
            default=usual,
            metavar="N",
            help=f"how many resamples or trials of --{name} (default: {usual})",
        )
    group.add_argument("--paired-jobs", "-j", type=int, default=1, help="not needed, and ignored")


def _add_report(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--format",
        "-f",
        type=str.lower,
        choices=("json", "text", "latex"),
        default="json",
        help="the form of the output, which the variable SACREBLEU_FORMAT overrules "
        "(default: json)",
    )
    group.add_argument("--short", "-sh", action="store_true", help="shorten the signatures")
    group.add_argument("--score-only", "-b", action="store_true", help="print the number alone")
    group.add_argument(
        "--width", "-w", type=int, default=1, metavar="N", help="decimals (default: 1)"
    )
    group.add_argument("--quiet", "-q", action="store_true", help="no notes on standard error")
    group.add_argument(
        "--no-color", "-nc", action="store_true", help="not needed: nothing is coloured"
    )


def _add_downloads(group: argparse._ArgumentGroup) -> None:
    for names in (("--test-set", "-t"), ("--origlang", "-ol"), ("--subset",), ("--download",)):
        group.add_argument(*names, metavar="NAME")
    group.add_argument("--echo", nargs="+", metavar="FIELD")
    for names in (("--list",), ("--detail", "-d"), ("--citation", "--cite")):
        group.add_argument(*names, action="store_true")


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)
