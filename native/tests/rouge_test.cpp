#include "rouge.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "example_words.hpp"
#include "lcs.hpp"
#include "passage.hpp"
#include "porter.hpp"
#include "skips.hpp"
#include "vocabulary.hpp"
#include "weighted_lcs.hpp"
#include "words.hpp"

namespace tallystick {
namespace {

/// The whole table of weighted lengths; a run of k matches weighs k to the power.
class Table {
 public:
  Table(std::span<const Number> rows, std::span<const Number> columns, double power)
      : rows_(rows), columns_(columns), values_((rows.size() + 1) * (columns.size() + 1)) {
    std::vector<std::size_t> runs(values_.size());
    for (std::size_t i = 1; i <= rows.size(); ++i) {
      for (std::size_t j = 1; j <= columns.size(); ++j) {
        if (rows[i - 1] == columns[j - 1]) {
          const std::size_t run = runs[find(i - 1, j - 1)];
          runs[find(i, j)] = run + 1;
          values_[find(i, j)] = at(i - 1, j - 1) + std::pow(static_cast<double>(run + 1), power) -
                                std::pow(static_cast<double>(run), power);
        } else {
          values_[find(i, j)] = std::max(at(i - 1, j), at(i, j - 1));
        }
      }
    }
  }

  double at(std::size_t i, std::size_t j) const { return values_[find(i, j)]; }

  void trace(Marks& marks) const {
    std::size_t i = rows_.size();
    std::size_t j = columns_.size();
    while (i > 0 && j > 0) {
      if (rows_[i - 1] == columns_[j - 1]) {
        marks.set(--i);
        --j;
      } else if (at(i - 1, j) >= at(i, j - 1)) {
        --i;
      } else {
        --j;
      }
    }
  }

 private:
  std::size_t find(std::size_t i, std::size_t j) const { return i * (columns_.size() + 1) + j; }

  std::span<const Number> rows_;
  std::span<const Number> columns_;
  std::vector<double> values_;
};

/// Numbers below `bound` in sentences; of a reference some are absent.
Passage draw_passage(std::mt19937& random, std::size_t longest, Number bound, bool is_reference) {
  Passage passage;
  passage.tokens = draw_numbers<Number>(random, random() % longest, bound + (is_reference ? 2 : 0));
  std::ranges::replace_if(passage.tokens, [bound](Number token) { return token >= bound; }, absent);
  for (std::size_t end = 0; end < passage.tokens.size();) {
    end = std::min(end + random() % longest, passage.tokens.size());
    passage.ends.push_back(end);
  }
  return passage;
}

bool are_equal(const Marks& left, const Marks& right, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (left[i] != right[i]) return false;
  }
  return true;
}

/// Marks what lies on the path of some sentence of the one through one of the other.
void trace_sentences(const Passage& reference, const Passage& hypothesis, Marks& marks) {
  marks.clear(reference.tokens.size());
  reference.for_each_sentence([&](std::size_t start, std::size_t stop) {
    Marks own;
    own.clear(stop - start);
    hypothesis.for_each_sentence([&](std::size_t first, std::size_t last) {
      Table(reference.part(start, stop), hypothesis.part(first, last), 1).trace(own);
    });
    own.for_each([&](std::size_t i) { marks.set(start + i); });
  });
}

void subsequences_are_those_of_the_table() {
  std::mt19937 random(3);
  CommonSubsequence lcs;
  Marks marks;
  Marks expected;
  for (const std::size_t longest : {4U, 30U, 90U, 300U, 900U}) {
    for (const Number bound : {1U, 3U, 40U}) {
      for (std::size_t round = 0; round < 3000 / longest; ++round) {
        const Passage hypothesis = draw_passage(random, longest, bound, false);
        const Passage reference = draw_passage(random, longest, bound, true);
        const Table table(reference.tokens, hypothesis.tokens, 1);
        const double length = table.at(reference.tokens.size(), hypothesis.tokens.size());
        check(static_cast<double>(lcs.measure(reference.tokens, hypothesis.tokens, bound)) ==
              length);
        for (const Passage& one :
             {reference, Passage{reference.tokens, {reference.tokens.size()}}}) {
          trace_sentences(one, hypothesis, expected);
          lcs.mark(one, hypothesis, bound, marks);
          check(are_equal(marks, expected, one.tokens.size()));
        }
      }
    }
  }
}

void weighted_subsequences_are_those_of_the_table() {
  std::mt19937 random(4);
  Marks marks;
  Marks expected;
  for (const std::size_t most_cells : {std::size_t{1}, std::size_t{200}, std::size_t{1} << 20U}) {
    WeightedSubsequence weighted(Watch(), most_cells);
    for (std::size_t round = 0; round < 600; ++round) {
      const double power = 1 + 0.1 * static_cast<double>(round % 15);
      const auto hypothesis = draw_numbers<Number>(random, random() % 80, 4);
      const auto reference = draw_numbers<Number>(random, random() % 80, 5);
      const Table table(reference, hypothesis, power);
      weighted.weigh(power, reference.size());
      check(weighted.measure(reference, hypothesis) ==
            table.at(reference.size(), hypothesis.size()));
      expected.clear(reference.size());
      marks.clear(reference.size());
      table.trace(expected);
      weighted.mark(reference, hypothesis, marks);
      check(are_equal(marks, expected, reference.size()));
    }
  }
}

using Pairs = std::map<std::pair<Number, Number>, std::int64_t>;

Pairs list_pairs(const std::vector<Number>& tokens, std::size_t gap) {
  Pairs pairs;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (std::size_t j = i + 1; j < tokens.size() && j - i - 1 <= gap; ++j) {
      ++pairs[{tokens[i], tokens[j]}];
    }
  }
  return pairs;
}

void skips_are_pairs_in_order() {
  std::mt19937 random(5);
  SkipMatcher matcher;
  for (std::size_t round = 0; round < 2000; ++round) {
    const Passage hypothesis = draw_passage(random, 30, 5, false);
    const Passage reference = draw_passage(random, 30, 5, true);
    const std::size_t gap = random() % 40;
    const Pairs ours = list_pairs(hypothesis.tokens, gap);
    std::int64_t n_pairs = 0;
    std::int64_t expected = 0;
    for (const auto& [pair, n] : ours) n_pairs += n;
    for (const auto& [pair, n] : list_pairs(reference.tokens, gap)) {
      const auto found = ours.find(pair);
      if (found != ours.end()) expected += std::min(n, found->second);
    }
    check(count_skips(hypothesis.tokens.size(), gap) == n_pairs);
    check(matcher.count_matches(hypothesis.tokens, reference.tokens, 5, gap) == expected);
  }
}

void words_end_where_letters_do() {
  std::mt19937 random(6);
  Alphanumerics words;
  for (std::size_t round = 0; round < 5000; ++round) {
    std::string text;
    for (std::size_t left = random() % 200; left > 0; --left) text += "aZ09k .\n-"[random() % 9];
    std::vector<std::string> expected{""};
    std::vector<std::size_t> line_ends;
    for (const char c : text) {
      if (std::string_view("aZ09k").find(c) != std::string_view::npos) {
        expected.back() += c == 'Z' ? 'z' : c;
      } else if (!expected.back().empty()) {
        expected.emplace_back();
      }
      if (c == '\n') line_ends.push_back(expected.size() - 1);
    }
    if (expected.back().empty()) expected.pop_back();
    line_ends.push_back(expected.size());
    // The sign of Kelvin makes the text be read byte by byte.
    for (const std::string_view end : {"", " \xE2\x84\xAA"}) {
      split_alphanumerics(text + std::string(end), words);
      check(words.size() == expected.size() + (end.empty() ? 0 : 1));
      for (std::size_t i = 0; i < expected.size(); ++i) check(words[i] == expected[i]);
      line_ends.back() = words.size();
      check(words.line_ends == line_ends);
    }
  }
}

Number find(Vocabulary& vocabulary, const std::string& word) {
  Alphanumerics words;
  split_alphanumerics(word, words);
  check(words.size() == 1);
  return vocabulary.number(words, 0);
}

/// Words of lengths from one to forty, in a text that has each of them twice.
void an_example_numbers_its_words() {
  ExampleWords words;
  Alphanumerics text;
  Alphanumerics other;
  Sequence numbers;
  for (std::size_t round = 0; round < 3; ++round) {
    std::string all;
    for (std::size_t i = 0; i < 400; ++i)
      all += std::string(i % 200 / 5, 'q') + std::to_string(i % 5) + ' ';
    split_alphanumerics(all, text);
    words.clear(text);
    check(words.number_all(text, numbers) == 200);
    for (std::size_t i = 0; i < 400; ++i) check(numbers[i] == i % 200);
    split_alphanumerics(
        "q1 0 unknown QQ" + std::string(37, 'q') + "4 " + std::string(39, 'r') + '4', other);
    words.find_all(other, numbers);
    check(numbers == Sequence{6, 0, absent, 199, absent});
  }
}

/// Words of all lengths around eight and sixteen, and more of them than a vocabulary keeps.
void a_vocabulary_tells_words_apart() {
  constexpr std::string_view dropped = "abcdefghijklmnopqthe";
  const std::vector<std::uint8_t> bytes(dropped.begin(), dropped.end());
  const std::vector<std::int64_t> offsets{0, 17, 20};
  Vocabulary vocabulary({bytes, offsets}, false, 100);
  check(find(vocabulary, "the") == Vocabulary::dropped);
  check(find(vocabulary, "abcdefghijklmnopq") == Vocabulary::dropped);
  std::map<Number, std::string> words;
  for (std::size_t i = 0; i < 140'000; ++i) {
    const std::string word = std::string(i % 20, 'q') + std::to_string(i);
    check(words.emplace(find(vocabulary, word), word).second);
  }
  for (const auto& [number, word] : words) check(find(vocabulary, word) == number);
  check(vocabulary.forget_if_full());
  check(!vocabulary.forget_if_full());
  check(find(vocabulary, "the") == Vocabulary::dropped);
  check(find(vocabulary, "abcdefghijklmnopq") == Vocabulary::dropped);
}

void stems_are_words_without_their_endings() {
  check(stem_word("relational") == "relat" && stem_word("as") == "as");
  check(stem_word("cafés") == "café" && stem_word("") == "");
  const std::vector<std::int64_t> none{0};
  Vocabulary vocabulary({{}, none}, true, 0);
  check(find(vocabulary, "running") == find(vocabulary, "runs"));
  // Words of three letters are not stemmed.
  check(find(vocabulary, "its") != find(vocabulary, "it"));
}

/// Texts of letters as bytes, and the same as ids.
struct Sample {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> ends{0};
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> sentences{0};
  std::vector<std::int64_t> offsets{0};

  Sample(std::mt19937& random, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t left = random() % 40; left > 0; --left) {
        const auto letter = static_cast<std::uint8_t>('a' + random() % 6);
        const bool ends_line = random() % 6 == 0;
        bytes.push_back(letter);
        bytes.push_back(ends_line ? '\n' : ' ');
        ids.push_back(letter);
        if (ends_line) sentences.push_back(static_cast<std::int64_t>(ids.size()));
      }
      ends.push_back(static_cast<std::int64_t>(bytes.size()));
      sentences.push_back(static_cast<std::int64_t>(ids.size()));
      offsets.push_back(static_cast<std::int64_t>(sentences.size()) - 1);
    }
  }

  Texts texts() const { return {bytes, ends}; }
  Sentences lists() const { return {{ids, sentences}, offsets}; }
};

void texts_and_ids_count_alike() {
  std::mt19937 random(7);
  const Sample hypotheses(random, 300);
  const Sample references(random, 600);
  std::vector<std::int64_t> spans;
  for (std::int64_t i = 0; i <= 300; ++i) spans.push_back(2 * i);
  OverlapOptions options{{{Overlap::ngrams, 3},
                          {Overlap::lcs, 0},
                          {Overlap::union_lcs, 0},
                          {Overlap::weighted_lcs, 1.2},
                          {Overlap::union_weighted_lcs, 1.2},
                          {Overlap::skips, 4},
                          {Overlap::skips_and_words, 1e300},
                          {Overlap::skips_and_first_words, 0}},
                         1};
  const std::vector<std::int64_t> none{0};
  const Referred<Texts> texts{hypotheses.texts(), references.texts(), spans};
  const auto counts = count_overlaps(texts, {{}, none}, false, options);
  options.threads = 3;
  check(counts == count_overlaps(texts, {{}, none}, false, options));
  check(counts == count_id_overlaps({hypotheses.lists(), references.lists(), spans}, options));
  for (std::size_t i = 0; i < counts.size(); i += 3) check(counts[i] >= 0);
}

}  // namespace

void test_rouge() {
  subsequences_are_those_of_the_table();
  weighted_subsequences_are_those_of_the_table();
  skips_are_pairs_in_order();
  words_end_where_letters_do();
  an_example_numbers_its_words();
  a_vocabulary_tells_words_apart();
  stems_are_words_without_their_endings();
  texts_and_ids_count_alike();
}

}  // namespace tallystick
