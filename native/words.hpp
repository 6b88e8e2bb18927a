/// Splits a text into words: those of Google's rouge_score, or those of any language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tallystick {

/// The runs of ASCII letters and digits of a text, in lower case.
struct Alphanumerics {
  /// How many bytes may be read from the start of a word on, however short it is.
  static constexpr std::size_t slack = 8;

  std::string lowered;
  /// Where each word begins, and where it ends.
  std::vector<std::uint32_t> edges;
  /// How many words there are up to the end of each line.
  std::vector<std::size_t> line_ends;

  std::size_t size() const { return edges.size() / 2; }

  std::string_view operator[](std::size_t i) const {
    return {lowered.data() + edges[2 * i], std::size_t{edges[2 * i + 1]} - edges[2 * i]};
  }
};

/// Replaces `result` by the words of a text.
///
/// As rouge_score lower-cases before it looks for ASCII, U+212A is a k, and U+0130 is an i that
/// ends its word.
void split_alphanumerics(std::string_view text, Alphanumerics& result);

/// Replaces `words` by the runs of characters that are neither spaces nor controls, punctuation or
/// symbols; where a script parts words by no spaces, each of its characters is a word. These are
/// Han, kana, bopomofo, Thai, Lao, Khmer and Burmese. U+200B and U+FEFF part words.
void split_unicode_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace tallystick
