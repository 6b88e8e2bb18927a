#include "ter.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "numbers.hpp"
#include "parallel.hpp"
#include "shifts.hpp"

namespace tallystick {
namespace {

struct CodePoints {
  char32_t first;
  char32_t last;
};

template <std::size_t n>
bool lies_in(const CodePoints (&ranges)[n], char32_t character) {
  return std::any_of(std::begin(ranges), std::end(ranges), [character](const CodePoints& range) {
    return range.first <= character && character <= range.last;
  });
}

constexpr CodePoints western_symbols[] = {{' ', '&'}, {'(', '+'}, {':', '@'},
                                          {'[', '`'}, {'{', '~'}, {'/', '/'}};

constexpr CodePoints western_punctuation[] = {{'!', '"'}, {'(', ')'}, {',', ','},
                                              {'.', '.'}, {':', ';'}, {'?', '?'}};

constexpr CodePoints asian_punctuation[] = {{0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301F},
                                            {0x30FB, 0x30FB}, {0xFF01, 0xFF02}, {0xFF08, 0xFF09},
                                            {0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1B},
                                            {0xFF1F, 0xFF1F}, {0xFF61, 0xFF65}};

/// sacreBLEU's bounds of "enclosed letters" reach up to U+3F22. Its rules for kana never apply:
/// they ask for the start of the text, where a space stands by then.
constexpr CodePoints asian_characters[] = {{0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x4DBF},
                                           {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}};

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_stop(char byte) { return byte == '.' || byte == ','; }

/// Writes texts as sacreBLEU 2.6 prepares them for TER, but for the spaces between the words.
class TercomNormalizer {
 public:
  explicit TercomNormalizer(const TerOptions& options) : options_(options) {}

  /// The text as it is split into words; valid until the next call.
  std::string_view normalize(std::string_view text) {
    if (!options_.normalized && !options_.no_punct) return text;
    text_ = strip_end(text);
    if (options_.normalized) normalize_western();
    if (options_.normalized && options_.asian_support) {
      rewrite(
          [](char32_t character) {
            return lies_in(asian_characters, character) || lies_in(asian_punctuation, character);
          },
          [&](std::string_view character) { pad(character); });
    }
    if (options_.no_punct) {
      rewrite(
          [&](char32_t character) {
            return lies_in(western_punctuation, character) ||
                   (options_.asian_support && lies_in(asian_punctuation, character));
          },
          [](std::string_view) {});
    }
    return text_;
  }

 private:
  void normalize_western() {
    replace_all("\n-", "");
    replace_all("\n", " ");
    replace_all("&quot;", "\"");
    replace_all("&amp;", "&");
    replace_all("&lt;", "<");
    replace_all("&gt;", ">");
    text_ = " " + text_ + " ";
    rewrite([](char32_t character) { return lies_in(western_symbols, character); },
            [&](std::string_view character) { pad(character); });
    replace_all("'s ", " 's ");
    part_pairs("", " ", [](char left, char right) { return !is_digit(left) && is_stop(right); });
    part_pairs(" ", "", [](char left, char right) { return is_stop(left) && !is_digit(right); });
    part_pairs("", " ", [](char left, char right) { return is_digit(left) && right == '-'; });
  }

  void replace_all(std::string_view old, std::string_view fresh) {
    rewritten_.clear();
    std::size_t start = 0;
    for (std::size_t at = 0; (at = text_.find(old, start)) != std::string::npos;
         start = at + old.size()) {
      rewritten_.append(text_, start, at - start).append(fresh);
    }
    rewritten_.append(text_, start);
    text_.swap(rewritten_);
  }

  /// Calls write(character) in place of each character that belongs.
  template <typename Belongs, typename Write>
  void rewrite(Belongs belongs, Write write) {
    rewritten_.clear();
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view character = rest.substr(0, measure_character(rest.front()));
      if (belongs(take_code_point(rest))) {
        write(character);
      } else {
        rewritten_ += character;
      }
    }
    text_.swap(rewritten_);
  }

  void pad(std::string_view character) { ((rewritten_ += ' ') += character) += ' '; }

  /// Writes a space before, between or behind the two bytes of each pair that matches; no byte is
  /// in two pairs. Bytes of longer characters are neither digits nor stops nor dashes.
  template <typename Matches>
  void part_pairs(std::string_view before, std::string_view behind, Matches matches) {
    rewritten_.clear();
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (i + 1 == text_.size() || !matches(text_[i], text_[i + 1])) {
        rewritten_ += text_[i];
      } else {
        rewritten_.append(before).append(1, text_[i]).append(1, ' ');
        rewritten_.append(1, text_[++i]).append(behind);
      }
    }
    text_.swap(rewritten_);
  }

  TerOptions options_;
  std::string text_;
  std::string rewritten_;
};

/// Counts the edits of one example after the other.
class TerCounter {
 public:
  explicit TerCounter(const TerOptions& options)
      : is_normalized_(options.normalized),
        hypothesis_(options),
        reference_(options),
        search_(Watch(options.interrupt)) {}

  void read_hypothesis(std::string_view text) {
    split_words(hypothesis_.normalize(text), words_);
    numbers_.clear(words_.size());
    hypothesis_words_.clear();
    for (const std::string_view word : words_) hypothesis_words_.push_back(numbers_.number(word));
  }

  void read_reference(std::string_view text) {
    split_words(reference_.normalize(text), words_);
    if (is_normalized_) normalize_again();
    reference_words_.clear();
    for (const std::string_view word : words_) reference_words_.push_back(numbers_.find(word));
  }

  std::size_t reference_length() const { return reference_words_.size(); }

  std::int64_t count_edits() { return search_.count_edits(hypothesis_words_, reference_words_); }

 private:
  /// sacreBLEU prepares references twice, and what it leaves together first it may part then.
  void normalize_again() {
    once_.clear();
    for (const std::string_view word : words_) (once_ += word) += ' ';
    split_words(reference_.normalize(once_), words_);
  }

  bool is_normalized_;
  TercomNormalizer hypothesis_;
  TercomNormalizer reference_;
  std::string once_;
  WordNumbers numbers_;
  std::vector<std::string_view> words_;
  std::vector<Number> hypothesis_words_;
  std::vector<Number> reference_words_;
  ShiftSearch search_;
};

}  // namespace

TerCounts count_ter(const Referred<Texts>& texts, const TerOptions& options) {
  TerCounts counts{std::vector<std::int64_t>(texts.size()), std::vector<double>(texts.size())};
  for_each_example(texts.size(), options.threads, options.interrupt, [&] {
    return [&, counter = TerCounter(options)](std::size_t i) mutable {
      const auto first = texts.first_reference(i);
      const auto last = texts.first_reference(i + 1);
      std::int64_t edits = std::numeric_limits<std::int64_t>::max();
      std::size_t length = 0;
      counter.read_hypothesis(texts.hypotheses[i]);
      for (std::size_t r = first; r < last; ++r) {
        counter.read_reference(texts.references[r]);
        edits = std::min(edits, counter.count_edits());
        length += counter.reference_length();
      }
      counts.edits[i] = edits;
      counts.lengths[i] = static_cast<double>(length) / static_cast<double>(last - first);
    };
  });
  return counts;
}

}  // namespace tallystick
