"""The compiled kernels: buffers in, counts out."""



from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Codes: TypeAlias = NDArray[np.uint32]
Hashes: TypeAlias = NDArray[np.uint64]
Ids: TypeAlias = NDArray[np.int32]
Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]

def group_rows(rows: Bytes) -> tuple[Integers, Integers]:
    """
    Number the distinct rows of a uint8 array (n, width) in order of first appearance.

    Returns the index of each distinct row's first appearance, and for every row the number of the
    distinct row that it equals.
    """

def count_concordance(left: Integers, right: Integers, weights: Reals, n_right: int) -> Reals:
    """
    Sum the weights of the cells of lower left rank, those of higher right rank negated.

    Weights are of shape (cells, resamples), and so is the result: for each cell the weight of the
    cells that have both ranks lower, less that of those with a lower left and a higher right rank.
    Right ranks are below n_right. That left ranks ascend is not checked.

    Raises ValueError where a right rank is out of range or lengths differ, TypeError for a wrong
    dtype.
    """

def find_spans(codes: Codes, offsets: Integers, letters: Bytes, types: Ids, rules: Bytes, strict: bool) -> tuple[Integers, Integers, Integers, Ids, Bytes, Bytes]:
    """
    Find the spans that the tags of tokens, such as B-PER and O, stand for.

    The tokens of example i are codes[offsets[i]:offsets[i + 1]]. Of each distinct tag letters has the
    letter, from 0 (outside) to 5, and types the type; the last tag is O, which stands around each
    example. A transition has the number (letter * 6 + letter before) * 2 + (1 where both types are
    equal), and its rule is a sum: 1 where a span begins with the second tag, 2 where the open one ends
    with the first, 4 where a span may end with the second, 8 where the one that ends with the first
    breaks the scheme. Strict, a span begins where none is open, and else wherever one may; then the one
    that began last is always open.

    Returns offsets, starts, ends and types, where the spans of example i are those from offsets[i] up
    to offsets[i + 1], counted in its tokens, and of the type of their last tag; the transition to each
    token, and for each transition 1 where there is such a token, else 0.

    Raises ValueError where a code or letter is out of range or lengths differ, TypeError for a wrong
    dtype.
    """

def pack(strings: list[str]) -> tuple[Bytes, Integers]:
    """
    Put strings into one buffer: string i is the UTF-8 of data[offsets[i]:offsets[i + 1]].

    Raises TypeError where one is not a string, UnicodeEncodeError where it holds a lone surrogate.
    """

def hash_texts(data: Bytes, offsets: Integers) -> Hashes:
    """
    Hash texts to 64 bits each: text i is data[offsets[i]:offsets[i + 1]].

    The hashes are the same in every process, and on machines of one byte order.
    """

def find_texts(data: Bytes, offsets: Integers, sought_data: Bytes, sought_offsets: Integers, seed: int) -> Integers:
    """
    Find where each sought text first stands among others; -1 where it does not.

    The seed is of 64 bits. It changes the time alone, and should be secret where others choose texts.

    Raises ValueError where either are 2^32 texts or more.
    """

def tokenize(data: Bytes, offsets: Integers, tokenizer: str) -> tuple[Bytes, Integers]:
    """
    Write the tokens of each string with one space between them.

    String i is the UTF-8 of data[offsets[i]:offsets[i + 1]], and so it is in the result. The
    tokenizers none, char, 13a, intl and zh are those of sacreBLEU, spaces at the end dropped first.
    The tokens of latex are control sequences, words, numbers with their decimals, and all other
    symbols one by one; comments and spaces are dropped.

    Raises ValueError where a string is not valid UTF-8 or the tokenizer is none of these.
    """

def count_ngrams(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, ref_offsets: Integers, spans: Integers, tokenizer: str, order: int, threads: int) -> Integers:
    """
    Count what BLEU is made of, in one row for each example.

    The references of example i are the strings spans[i] up to spans[i + 1]. A row holds the length
    of the hypothesis in tokens, that of the closest reference (of two, the shorter), the n-grams of
    orders 1 to `order` that match, and all n-grams of the hypothesis of these orders. With 0 threads
    as many run as the machine has; the counts are the same for any number. The order is 1 to 16.

    Raises ValueError where a string is not valid UTF-8 or an example has no reference.
    """

def count_id_ngrams(hyp_ids: Ids, hyp_offsets: Integers, ref_ids: Ids, ref_offsets: Integers, spans: Integers, order: int, threads: int) -> Integers:
    """
    Count what count_ngrams counts, over the ids of tokens.

    Sequence i is ids[offsets[i]:offsets[i + 1]]; any int32 may be an id.
    """

def count_char_ngrams(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, ref_offsets: Integers, spans: Integers, char_order: int, word_order: int, whitespace: bool, beta: float, eps_smoothing: bool, threads: int) -> Integers:
    """
    Count what chrF is made of, in one row for each example.

    A row holds three counts for each order of characters, then for each of words: the n-grams of the
    hypothesis (0 where the reference has none of that order), those of the reference, and those that
    match. Of several references the one with the highest F counts, and only this choice depends on
    beta and eps_smoothing. Orders are 0 to 16, not both 0. Strings, spans and threads are as in
    count_ngrams.

    Raises ValueError where a string is not valid UTF-8 or an example has no reference.
    """

def count_edits(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, ref_offsets: Integers, unit: str, threads: int) -> Integers:
    """
    Count the edits that make each reference its hypothesis, in one row for each pair.

    A row holds the hits, substitutions, deletions and insertions of the shortest path that rapidfuzz
    finds: a deletion is a unit of the reference that the hypothesis lacks. String i is the UTF-8 of
    data[offsets[i]:offsets[i + 1]]. The units are characters (code points), stripped (the same
    without the white space at both ends: the characters of jiwer 4) and words (those of jiwer 4: a
    lone tab or no-break space parts none). With 0 threads as many run as the machine has; the counts
    are the same for any number. Time grows with the product of the two lengths, memory with their
    sum.

    Raises ValueError where a string is not valid UTF-8, the unit is none of these or the numbers of
    strings differ.
    """

def count_id_edits(hyp_ids: Ids, hyp_offsets: Integers, ref_ids: Ids, ref_offsets: Integers, threads: int) -> Integers:
    """
    Count what count_edits counts, over the ids of tokens.

    Sequence i is ids[offsets[i]:offsets[i + 1]]; any int32 may be an id.
    """

def edit_distances(a_data: Bytes, a_offsets: Integers, b_data: Bytes, b_offsets: Integers, unit: str, threads: int) -> Integers:
    """
    Measure the Levenshtein distance of each pair of strings, and the longer of its lengths.

    A row contains both. Strings, units and threads are as in count_edits.

    Raises ValueError where a string is not valid UTF-8, the unit is none of these or the numbers of
    strings differ.
    """

def align_ids(a_ids: Ids, b_ids: Ids) -> Integers:
    """
    List the steps of a shortest path from a to b, as rapidfuzz finds it.

    A row holds the operation (0 equal, 1 replace, 2 delete, 3 insert) and the positions in a and b
    that it begins at. Time grows with the product of the two lengths; memory stays below 1 MiB plus
    some 150 bytes for each id, because the pair is divided where it would take more.
    """

def count_ter(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, ref_offsets: Integers, spans: Integers, normalized: bool, no_punct: bool, asian_support: bool, threads: int) -> tuple[Integers, Reals]:
    """
    Count what TER is made of: the edits of each example and its mean reference length.

    The edits are shifts, insertions, deletions and substitutions of words, the fewest that sacreBLEU's
    search finds for any of the references spans[i] up to spans[i + 1]; nothing is lower-cased. The
    search tries some 1,000 shifts at most, within a beam of 50 words, so that time grows with the
    number of words, as memory does, by some 250 bytes for each. Strings and threads are as in
    count_edits.

    Raises ValueError where a string is not valid UTF-8 or an example has no reference.
    """

def count_overlaps(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, ref_offsets: Integers, spans: Integers, stop_data: Bytes, stop_offsets: Integers, stem: bool, measures: list[tuple[str, float]], threads: int) -> Reals:
    """
    Count what ROUGE is made of, for each reference and measure.

    The result is of shape (references, measures, 3): what matches, what the hypothesis has, and what
    the reference has. The references of example i are the strings spans[i] up to spans[i + 1]. Tokens
    are runs of ASCII letters and digits in lower case, as rouge_score has them, without those among
    the stop words; with `stem` those of four characters on are stemmed. Sentences are lines.

    A measure is a name and an amount: ngrams (how many tokens they have, 1 to 16), lcs, union_lcs
    (of sentences), weighted_lcs and union_weighted_lcs (the power of a run), skips, skips_and_words
    and skips_and_first_words (how many tokens may stand between two). weighted_lcs is the table of
    Lin (2004), the other one what ROUGE-1.5.5 counts. With 0 threads as many run as the machine has;
    the counts are the same for any number. Memory and time of two texts of m and n tokens: lcs takes
    m n / 64 steps and m + n memory; union_lcs as many, and m n / 256 bytes where sentences are longer
    than 256 tokens; weighted_lcs m n steps; skips as many as there are pairs.

    Raises ValueError where a string is not valid UTF-8, an example has no reference, or there is no
    such measure.
    """

def count_id_overlaps(hyp_ids: Ids, hyp_sentences: Integers, hyp_offsets: Integers, ref_ids: Ids, ref_sentences: Integers, ref_offsets: Integers, spans: Integers, measures: list[tuple[str, float]], threads: int) -> Reals:
    """
    Count what count_overlaps counts, over the ids of tokens.

    Sentence s is ids[sentences[s]:sentences[s + 1]], and text i has the sentences offsets[i] up to
    offsets[i + 1]; any int32 may be an id.
    """

def stem_words(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    """
    Stem lower-case words as NLTK's PorterStemmer does in its default mode.

    Word i is the UTF-8 of data[offsets[i]:offsets[i + 1]], and so it is in the result.

    Raises ValueError where a word is not valid UTF-8.
    """
