"""The sizes from which data is read, joined and resampled in pieces, and what input may have."""

from msgspec import Struct


class Limits(Struct):
    """Sizes that depend on the machine, not on the data; no score depends on them.

    Attributes:
        large_input: From this many bytes on, tables are read in blocks.
        block_rows: The rows of a block of a table.
        block_lines: The lines of a block of text files.
        many_labels: With more labels, blocks are joined up to `joined_block` bytes, because each
            of them passes over all labels.
        joined_block: See `many_labels`.
        least_part: The fewest bytes of a part of a file for a worker.
        sent_rows: The most rows of a part that is sent to a worker.
        join_pieces: The fewest and the most bytes of the pieces of a file that is split for a join.
        join_partitions: The fewest and the most partitions of a join.
        text_piece: The bytes of a CoNLL file that are read at a time.
        trec_piece: The bytes of a TREC file that are read at a time.
        line_piece: The bytes of lines, or of JSON Lines, that are read at a time, so that they stay
            in the processor's cache.
        coded_lines: Lines become codes if each occurs this often in the first piece.
        line: The most bytes of a line.
        csv_blocks: The bytes of the blocks of a CSV file; the next size where rows are longer.
        unpacked: The bytes that a compressed file may unpack to, whatever its ratio.
        archived_files: The most files of an archive that is not a submission.
        yaml_values: The most values of a YAML file.
        moment_rows: Above this number of rows, resampled sums are practically normal, and rows are
            not kept.
        waiting_cells: From this many cells on, tallies are added up before more come.
        resampled_numbers: The numbers of one chunk of resamples: 32 MB.
        thresholds: How many thresholds of each group are tried first, and how much closer together
            the next ones are.
        reported_input: A report of more bytes shows examples only where all of them are asked for.
        scheduler_seconds: How long a scheduler may take to answer.
    """

    large_input: int = 1 << 26
    block_rows: int = 1 << 17
    block_lines: int = 1 << 14
    many_labels: int = 1 << 14
    joined_block: int = 1 << 24
    least_part: int = 1 << 20
    sent_rows: int = 1 << 14
    join_pieces: tuple[int, int] = (1 << 22, 1 << 26)
    join_partitions: tuple[int, int] = (16, 4096)
    text_piece: int = 1 << 22
    trec_piece: int = 1 << 24
    line_piece: int = 1 << 16
    coded_lines: int = 8
    line: int = 1 << 26
    csv_blocks: tuple[int, ...] = (1 << 20, 1 << 25, 1 << 26)
    unpacked: int = 1 << 26
    archived_files: int = 100_000
    yaml_values: int = 100_000
    moment_rows: int = 1 << 13
    waiting_cells: int = 1 << 18
    resampled_numbers: int = 1 << 22
    thresholds: tuple[int, int] = (2048, 16)
    reported_input: int = 1 << 28
    scheduler_seconds: float = 10


LIMITS = Limits()
"""The limits in force; tests make them small."""
