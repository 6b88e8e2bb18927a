"""Facts about the kernel that packs Python's strings into one buffer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick import _native as fast
from texts import pack, unpack


@given(st.lists(st.text(), max_size=6))
def test_strings_are_packed_as_utf8(strings):
    data, offsets = pack(strings)

    for _ in range(2):
        packed, ends = fast.pack(strings)

        assert (data.tobytes(), offsets.tolist()) == (packed.tobytes(), ends.tolist())
        assert (np.uint8, np.int64) == (packed.dtype, ends.dtype)


def test_strings_of_a_subclass_are_packed():
    assert ["é", "b"] == unpack(*fast.pack([np.str_("é"), "b"]))


@pytest.mark.parametrize(
    ("strings", "kind"),
    [(["a", None], TypeError), (["a", b"b"], TypeError), (["a", "b\ud800"], UnicodeEncodeError)],
)
def test_what_is_no_text_is_not_packed(strings, kind):
    with pytest.raises(kind):
        fast.pack(strings)
