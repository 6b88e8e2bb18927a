/// Stems English words as NLTK's PorterStemmer does in its default mode.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tallystick {

/// Stems a lower-case word of ASCII in place; returns the length of its stem, which is no longer.
///
/// The algorithm is that of Porter (1980), with the exceptions, the irregular forms and the changed
/// rules of NLTK 3.10. Words of one or two characters stay as they are.
std::size_t stem_ascii(std::span<char> word);

/// The stem of a lower-case word of UTF-8; what is no ASCII letter counts as a consonant.
std::string stem_word(std::string_view word);

}  // namespace tallystick
