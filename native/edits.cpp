#include "edits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#include "characters.hpp"
#include "levenshtein.hpp"
#include "numbers.hpp"
#include "parallel.hpp"

namespace tallystick {
namespace {

constexpr std::size_t window_size = 64;

/// Bit k tells whether byte k of 64 may begin a space: where a character begins, unless it is a
/// visible one of ASCII.
///
/// Found eight bytes at a time without a branch, because where words end no processor foresees.
std::uint64_t find_blanks(const char* bytes) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  constexpr std::uint64_t first_visible = 0x2121212121212121;
  constexpr std::uint64_t gather = 0x0102040810204080;
  std::uint64_t blanks = 0;
  for (std::size_t k = 0; k < window_size; k += 8) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 8; ++b) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[k + b])) << (8 * b);
    }
    const std::uint64_t visible = ((word | high_bits) - first_visible) & ~word;
    const std::uint64_t continuation = word & ~(word << 1U);
    blanks |= ((~(visible | continuation) & high_bits) >> 7U) * gather >> 56U << k;
  }
  return blanks;
}

/// The same at the end of a text, as if visible bytes followed it.
std::uint64_t find_last_blanks(std::string_view text) {
  std::array<char, window_size> bytes;
  bytes.fill('-');
  std::ranges::copy(text, bytes.begin());
  return find_blanks(bytes.data());
}

/// Splits a text at a space and at two or more of any white space, and drops that at both ends.
void split_transcript(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  text = strip_end(strip_start(text));
  std::size_t start = 0;
  std::size_t after = 0;
  for (std::size_t first = 0; first < text.size(); first += window_size) {
    const std::string_view window = text.substr(first, window_size);
    std::uint64_t blanks =
        window.size() == window_size ? find_blanks(window.data()) : find_last_blanks(window);
    for (; blanks != 0; blanks &= blanks - 1) {
      const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(blanks));
      const std::size_t space = measure_space(text, i);
      if (i < after || space == 0) continue;
      after = i + space;
      while (const std::size_t next = measure_space(text, after)) after += next;
      if (text[i] != ' ' && after == i + space) continue;
      words.push_back(text.substr(start, i - start));
      start = after;
    }
  }
  if (start < text.size()) words.push_back(text.substr(start));
}

/// Numbers the units of a pair of texts.
class TextNumberer {
 public:
  explicit TextNumberer(Unit unit) : unit_(unit) {}

  NumberPair number(std::string_view from, std::string_view to) {
    if (unit_ == Unit::words) return number_words(from, to);
    if (unit_ == Unit::stripped) {
      return number_characters(strip_end(strip_start(from)), strip_end(strip_start(to)));
    }
    return number_characters(from, to);
  }

 private:
  NumberPair number_characters(std::string_view from, std::string_view to) {
    characters_.number_all(from, from_);
    characters_.find_all(to, to_);
    return {from_, to_, characters_.bound()};
  }

  NumberPair number_words(std::string_view from, std::string_view to) {
    split_transcript(from, split_);
    words_.clear(split_.size());
    from_.clear();
    for (const std::string_view word : split_) from_.push_back(words_.number(word));
    split_transcript(to, split_);
    to_.clear();
    for (const std::string_view word : split_) to_.push_back(words_.find(word));
    return {from_, to_, static_cast<Number>(words_.size())};
  }

  Unit unit_;
  CharacterNumbers characters_;
  WordNumbers words_;
  std::vector<std::string_view> split_;
  std::vector<Number> from_;
  std::vector<Number> to_;
};

/// Numbers the ids of a pair of sequences.
class IdNumberer {
 public:
  NumberPair number(std::span<const std::int32_t> from, std::span<const std::int32_t> to) {
    ids_.clear(from.size());
    from_.clear();
    for (const std::int32_t id : from) from_.push_back(ids_.number(static_cast<std::uint32_t>(id)));
    to_.clear();
    for (const std::int32_t id : to) to_.push_back(ids_.find(static_cast<std::uint32_t>(id)));
    return {from_, to_, static_cast<Number>(ids_.size())};
  }

 private:
  KeyNumbers ids_;
  std::vector<Number> from_;
  std::vector<Number> to_;
};

/// How many threads count, and what stops them.
struct Crew {
  unsigned threads;
  Interrupt* interrupt;
};

/// Calls visit(i, levenshtein, pair) for each pair of texts or sequences.
template <typename Lists, typename Numberer, typename Visit>
void visit_pairs(const Lists& from, const Lists& to, const Numberer& fresh, const Crew& crew,
                 Visit visit) {
  for_each_example(from.size(), crew.threads, crew.interrupt, [&] {
    return [&, numberer = fresh, levenshtein = Levenshtein(Watch(crew.interrupt))](
               std::size_t i) mutable { visit(i, levenshtein, numberer.number(from[i], to[i])); };
  });
}

template <typename Lists, typename Numberer>
std::vector<std::int64_t> count_all(const Lists& hypotheses, const Lists& references,
                                    const Numberer& numberer, const Crew& crew) {
  constexpr std::size_t n_operations = 4;
  std::vector<std::int64_t> counts(n_operations * references.size());
  visit_pairs(references, hypotheses, numberer, crew,
              [&](std::size_t i, Levenshtein& levenshtein, const NumberPair& pair) {
                std::array<std::int64_t, n_operations> row{};
                for (const Operation operation : levenshtein.align(pair)) {
                  ++row[static_cast<std::size_t>(operation)];
                }
                std::ranges::copy(row, &counts[n_operations * i]);
              });
  return counts;
}

}  // namespace

std::vector<std::int64_t> count_edits(const Texts& hypotheses, const Texts& references, Unit unit,
                                      unsigned threads, Interrupt* interrupt) {
  return count_all(hypotheses, references, TextNumberer(unit), {threads, interrupt});
}

std::vector<std::int64_t> count_edits(const Ids& hypotheses, const Ids& references,
                                      unsigned threads, Interrupt* interrupt) {
  return count_all(hypotheses, references, IdNumberer(), {threads, interrupt});
}

std::vector<std::int64_t> measure_distances(const Texts& a, const Texts& b, Unit unit,
                                            unsigned threads, Interrupt* interrupt) {
  std::vector<std::int64_t> rows(2 * a.size());
  visit_pairs(a, b, TextNumberer(unit), {threads, interrupt},
              [&](std::size_t i, Levenshtein& levenshtein, const NumberPair& pair) {
                rows[2 * i] = levenshtein.measure(pair);
                const std::size_t longer = std::max(pair.from.size(), pair.to.size());
                rows[2 * i + 1] = static_cast<std::int64_t>(longer);
              });
  return rows;
}

std::vector<std::int64_t> align_ids(std::span<const std::int32_t> a,
                                    std::span<const std::int32_t> b, Interrupt* interrupt) {
  IdNumberer numberer;
  Levenshtein levenshtein{Watch(interrupt)};
  std::vector<std::int64_t> rows;
  std::int64_t i = 0;
  std::int64_t j = 0;
  for (const Operation operation : levenshtein.align(numberer.number(a, b))) {
    rows.insert(rows.end(), {static_cast<std::int64_t>(operation), i, j});
    if (operation != Operation::insert) ++i;
    if (operation != Operation::remove) ++j;
  }
  return rows;
}

}  // namespace tallystick
