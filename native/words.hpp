/// Splits a text into words: those of Google's rouge_score, or those of any language.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tallystick {

/// The letters of a word of up to sixteen, which are never 0; both numbers are 0 for a longer one.
struct Letters {
  std::uint64_t first = 0;
  std::uint64_t rest = 0;

  bool operator==(const Letters&) const = default;

  std::uint64_t hash() const { return first * 0xD6E8FEB86659FD93 ^ rest; }
};

/// The runs of ASCII letters and digits of a text, in lower case.
struct Alphanumerics {
  /// How many bytes may be read from the start of a word on, however short it is.
  static constexpr std::size_t slack = 16;

  std::string lowered;
  /// Where each word begins, and where it ends.
  std::vector<std::uint32_t> edges;
  /// How many words there are up to the end of each line.
  std::vector<std::size_t> line_ends;

  std::size_t size() const { return edges.size() / 2; }

  std::string_view operator[](std::size_t i) const {
    return {lowered.data() + edges[2 * i], std::size_t{edges[2 * i + 1]} - edges[2 * i]};
  }

  Letters letters(std::size_t i) const {
    const std::string_view word = (*this)[i];
    if (word.size() > 16) return {};
    const std::size_t head = std::min<std::size_t>(word.size(), 8);
    return {load(word.data()) & first_bytes[head],
            load(word.data() + 8) & first_bytes[word.size() - head]};
  }

 private:
  /// Masks of as many bytes.
  static constexpr std::array<std::uint64_t, 9> first_bytes = [] {
    std::array<std::uint64_t, 9> masks{};
    for (std::size_t n = 1; n <= 8; ++n) masks[n] = ~std::uint64_t{0} >> (64 - 8 * n);
    return masks;
  }();

  static std::uint64_t load(const char* letters) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, letters, sizeof(bits));
    return bits;
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
