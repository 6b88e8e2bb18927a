/// Splits a text into words: those of Google's rouge_score, or those of any language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tallystick {

/// Replaces `words` by the runs of ASCII letters and digits of a text, in lower case; they are
/// views of `lowered`. `line_ends` tells how many words there are up to the end of each line.
///
/// As rouge_score lower-cases before it looks for ASCII, U+212A is a k, and U+0130 is an i that
/// ends its word.
void split_alphanumerics(std::string_view text, std::string& lowered,
                         std::vector<std::string_view>& words, std::vector<std::size_t>& line_ends);

/// Replaces `words` by the runs of characters that are neither spaces nor controls, punctuation or
/// symbols; where a script parts words by no spaces, each of its characters is a word. These are
/// Han, kana, bopomofo, Thai, Lao, Khmer and Burmese. U+200B and U+FEFF part words.
void split_unicode_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace tallystick
