"""The compiled kernels: NumPy arrays in, counts out."""

from . import _ext

# Tools that follow imports cannot look into a compiled module: bind its functions to names here.
align_ids = _ext.align_ids
count_char_ngrams = _ext.count_char_ngrams
count_concordance = _ext.count_concordance
count_edits = _ext.count_edits
count_id_edits = _ext.count_id_edits
count_id_ngrams = _ext.count_id_ngrams
count_id_overlaps = _ext.count_id_overlaps
count_ngrams = _ext.count_ngrams
count_overlaps = _ext.count_overlaps
count_ter = _ext.count_ter
edit_distances = _ext.edit_distances
find_spans = _ext.find_spans
group_rows = _ext.group_rows
pack = _ext.pack
stem_words = _ext.stem_words
tokenize = _ext.tokenize
