"""The compiled kernels: NumPy arrays in, counts out."""

from . import _ext

__all__ = [
    "align_ids",
    "code_strings",
    "count_char_ngrams",
    "count_concordance",
    "count_confusion",
    "count_edits",
    "count_id_edits",
    "count_id_ngrams",
    "count_id_overlaps",
    "count_ngrams",
    "count_overlaps",
    "count_ter",
    "cut_fields",
    "edit_distances",
    "find_spans",
    "group_rows",
    "merge_runs",
    "pack",
    "rank_area",
    "split_runs",
    "stem_words",
    "tokenize",
]

# Tools that follow imports cannot look into a compiled module: bind its functions to names here.
align_ids = _ext.align_ids
code_strings = _ext.code_strings
count_char_ngrams = _ext.count_char_ngrams
count_concordance = _ext.count_concordance
count_confusion = _ext.count_confusion
count_edits = _ext.count_edits
count_id_edits = _ext.count_id_edits
count_id_ngrams = _ext.count_id_ngrams
count_id_overlaps = _ext.count_id_overlaps
count_ngrams = _ext.count_ngrams
count_overlaps = _ext.count_overlaps
count_ter = _ext.count_ter
cut_fields = _ext.cut_fields
edit_distances = _ext.edit_distances
find_spans = _ext.find_spans
group_rows = _ext.group_rows
merge_runs = _ext.merge_runs
pack = _ext.pack
rank_area = _ext.rank_area
split_runs = _ext.split_runs
stem_words = _ext.stem_words
tokenize = _ext.tokenize
