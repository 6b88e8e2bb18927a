"""The options of `tallystick sacrebleu`, which are those of sacreBLEU's own command."""

import argparse

from tallystick.cli.options.option_tables import add_options

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


_INPUTS = {
    "--input -i SYSTEM": "a file of each system (default: standard input, where tabs separate "
    "systems)",
    "--num-refs -nr N": "the number of tab-separated references on each line of the reference "
    "file (default: 1)",
    "--encoding -e ENCODING": "the encoding of all files (default: utf-8)",
    "--metrics -m METRIC": "what to compute: bleu, chrf or ter (default: bleu)",
    "--sentence-level -sl": "score every line on its own",
    "--language-pair -l PAIR": "the language pair, such as en-ja; its target language chooses "
    "BLEU's tokenizer",
    "--version -V": "print the version of sacreBLEU whose numbers these are",
}
_BLEU = {
    "--smooth-method -s none|floor|add-k|exp": "how orders without a match are smoothed (default: "
    "exp)",
    "--smooth-value -sv X": "the value of floor (default: 0.1) and add-k (default: 1)",
    "--tokenize -tok NAME": "the tokenizer (default: zh, ja-mecab or ko-mecab by --language-pair, "
    f"else 13a); one of {', '.join(_TOKENIZERS)}",
    "--lowercase -lc": "ignore case",
    "--force": "do not warn about lines that look tokenised",
}
_CHRF = {
    "--chrf-char-order -cc N": "n-grams of up to so many characters (default: 6)",
    "--chrf-word-order -cw N": "n-grams of up to so many words, 2 for chrF++ (default: 0)",
    "--chrf-beta N": "how much recall counts beside precision (default: 2)",
    "--chrf-whitespace": "white space counts",
    "--chrf-lowercase": "ignore case",
    "--chrf-eps-smoothing": "smooth by a tiny number, instead of leaving out empty orders",
}
_TER = {
    "--ter-case-sensitive": "case counts",
    "--ter-asian-support": "part Asian characters",
    "--ter-no-punct": "drop punctuation",
    "--ter-normalized": "normalise and tokenise",
}
_CONFIDENCE = {"--confidence -ci": "95%% confidence of a single system"}
_PAIRED = {
    "--paired-ar -par": "test every system against the first one by approximate randomisation",
    "--paired-bs -pbs": "test every system against the first one by the paired bootstrap",
}
_TRIALS = {
    "--confidence-n -cin N": "how many resamples or trials of --confidence (default: 1000)",
    "--paired-ar-n -parn N": "how many resamples or trials of --paired-ar (default: 10000)",
    "--paired-bs-n -pbsn N": "how many resamples or trials of --paired-bs (default: 1000)",
    "--paired-jobs -j N": "not needed, and ignored",
}
_OUTPUT = {
    "--format -f json|text|latex": "the form of the output, which the variable SACREBLEU_FORMAT "
    "overrules (default: json)",
    "--short -sh": "shorten the signatures",
    "--score-only -b": "print the number alone",
    "--width -w N": "decimals (default: 1)",
    "--quiet -q": "no notes on standard error",
    "--no-color -nc": "not needed: nothing is coloured",
}
_DOWNLOADS = (
    *("--test-set -t NAME", "--origlang -ol NAME", "--subset NAME", "--download NAME"),
    *("--echo FIELD", "--list", "--detail -d", "--citation --cite"),
)


def add_sacrebleu(parser: argparse.ArgumentParser) -> None:
    """Adds everything that sacreBLEU's command takes, by its names and with its defaults."""
    parser.usage = "tallystick sacrebleu REF [REF ...] [-i SYSTEM ...] [options]"
    parser.epilog = _EXAMPLES
    parser.allow_abbrev = True  # as there: --tok zh stands in many scripts
    parser.add_argument(
        "refs", nargs="*", metavar="REF", help="a file of references; they stand before -i"
    )
    metrics = {"type": str.lower, "choices": ("bleu", "chrf", "ter")}
    add_options(
        parser,
        _INPUTS,
        input={"nargs": "*"},
        num_refs={"default": 1},
        encoding={"default": "utf-8"},
        metrics={**metrics, "nargs": "+", "default": ["bleu"]},
        language_pair={"dest": "langpair"},
    )
    add_options(
        parser.add_argument_group("BLEU"),
        _BLEU,
        smooth_method={"default": "exp"},
        tokenize={"type": _read_tokenizer, "choices": _TOKENIZERS},
    )
    add_options(
        parser.add_argument_group("chrF"),
        _CHRF,
        chrf_char_order={"default": 6},
        chrf_word_order={"default": 0},
        chrf_beta={"default": 2},
    )
    add_options(parser.add_argument_group("TER"), _TER)
    tests = parser.add_argument_group("confidence and significance")
    add_options(tests, _CONFIDENCE)
    add_options(tests.add_mutually_exclusive_group(), _PAIRED)
    add_options(
        tests,
        _TRIALS,
        confidence_n={"type": _count, "default": 1000},
        paired_ar_n={"type": _count, "default": 10_000},
        paired_bs_n={"type": _count, "default": 1000},
        paired_jobs={"default": 1},
    )
    output = parser.add_argument_group("output")
    add_options(output, _OUTPUT, format={"default": "json"}, width={"default": 1})
    downloads = parser.add_argument_group("what needs a download, which is refused")
    add_options(downloads, dict.fromkeys(_DOWNLOADS), echo={"nargs": "+"})


def _read_tokenizer(name: str) -> str:
    """The name as sacreBLEU spells it."""
    return next((one for one in _TOKENIZERS if one.lower() == name.lower()), name)


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)
