/// Texts as UTF-8 bytes and offsets: reading, stripping and splitting them as Python does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tallystick {

/// Strings one after the other: string i is bytes[offsets[i]] up to bytes[offsets[i + 1]].
struct Texts {
  std::span<const std::uint8_t> bytes;
  std::span<const std::int64_t> offsets;

  std::size_t size() const { return offsets.size() - 1; }

  std::string_view operator[](std::size_t i) const {
    const auto first = static_cast<std::size_t>(offsets[i]);
    const auto last = static_cast<std::size_t>(offsets[i + 1]);
    return {reinterpret_cast<const char*>(bytes.data()) + first, last - first};
  }
};

/// Sequences of token ids one after the other, as Texts are of bytes.
struct Ids {
  std::span<const std::int32_t> ids;
  std::span<const std::int64_t> offsets;

  std::size_t size() const { return offsets.size() - 1; }

  std::span<const std::int32_t> operator[](std::size_t i) const {
    const auto first = static_cast<std::size_t>(offsets[i]);
    const auto last = static_cast<std::size_t>(offsets[i + 1]);
    return ids.subspan(first, last - first);
  }
};

/// Hypotheses and their references, both Texts or both Ids: the references of example i are
/// references[first_reference(i)] up to references[first_reference(i + 1)].
template <typename Sequences>
struct Referred {
  Sequences hypotheses;
  Sequences references;
  std::span<const std::int64_t> spans;

  std::size_t size() const { return hypotheses.size(); }

  std::size_t first_reference(std::size_t i) const { return static_cast<std::size_t>(spans[i]); }
};

/// How many bytes stand before the first that no valid UTF-8 could have there; lone surrogates
/// are not valid.
std::size_t measure_valid(std::string_view text);

/// Throws where a string is not valid UTF-8; `name` tells which strings these are.
void validate(const Texts& texts, const char* name);

/// How many bytes the character takes that begins with this byte of valid UTF-8.
inline std::size_t measure_character(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Takes the first code point off a text that is valid UTF-8 and not empty.
inline char32_t take_code_point(std::string_view& text) {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]) & mask);
  };
  const std::size_t size = measure_character(text.front());
  char32_t code_point = 0;
  if (size == 1) {
    code_point = bits(0, 0x7F);
  } else if (size == 2) {
    code_point = bits(0, 0x1F) << 6 | bits(1, 0x3F);
  } else if (size == 3) {
    code_point = bits(0, 0x0F) << 12 | bits(1, 0x3F) << 6 | bits(2, 0x3F);
  } else {
    code_point = bits(0, 0x07) << 18 | bits(1, 0x3F) << 12 | bits(2, 0x3F) << 6 | bits(3, 0x3F);
  }
  text.remove_prefix(size);
  return code_point;
}

/// Whether Python's str.split and str.strip take the character for a space: Unicode's White_Space
/// and U+001C to U+001F.
bool is_space(char32_t code_point);

/// The same for a byte of UTF-8 that may begin or continue another character.
constexpr bool is_ascii_space(unsigned char byte) {
  return byte <= ' ' && ((byte >= '\t' && byte <= '\r') || byte >= 0x1C);
}

/// Whether a byte beyond ASCII may begin a space.
constexpr bool may_begin_space(unsigned char byte) {
  return byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3);
}

/// Whether a byte of valid UTF-8 is not the first of its character.
constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The size of the space that begins at byte i of valid UTF-8; 0 where none does.
inline std::size_t measure_space(std::string_view text, std::size_t i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  if (lead < 0x80) return is_ascii_space(lead) ? 1 : 0;
  if (!may_begin_space(lead)) return 0;
  std::string_view rest = text.substr(i);
  return is_space(take_code_point(rest)) ? text.size() - i - rest.size() : 0;
}

/// The text without the spaces at its start, as str.lstrip.
std::string_view strip_start(std::string_view text);

/// The text without the spaces at its end, as str.rstrip.
std::string_view strip_end(std::string_view text);

/// Replaces `words` by the words of the text, as str.split.
void split_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace tallystick
