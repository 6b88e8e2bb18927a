/// Feeds random texts and labels to the kernels for as many seconds as it is told, and checks facts
/// that hold for any. Built with sanitizers, it finds what reads or writes out of bounds.
#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "chrf.hpp"
#include "edits.hpp"
#include "ngrams.hpp"
#include "rouge.hpp"
#include "ter.hpp"
#include "text.hpp"
#include "tokenize.hpp"

namespace tallystick {
namespace {

using namespace std::string_view_literals;

/// What tokenizers and counters treat in a way of its own, and some that they do not.
constexpr std::array pieces{
    "a"sv,      "b"sv,      "the "sv,   " "sv,          "  "sv,         "\t"sv,     "\n"sv,
    "\x1c"sv,   "."sv,      ","sv,      "-"sv,          "1"sv,          "23"sv,     "'s "sv,
    "&quot;"sv, "&amp;"sv,  "\\"sv,     "{"sv,          "}"sv,          "^"sv,      "%"sv,
    "$"sv,      "\u00a0"sv, "\u00e9"sv, "\u0301"sv,     "\u03a3"sv,     "\u05d0"sv, "\u2014"sv,
    "\u2028"sv, "\u3000"sv, "\u0130"sv, "\u212a"sv,     "running "sv,   "flies "sv, "\u0e01"sv,
    "\u3042"sv, "\u4e2d"sv, "\uff01"sv, "\U0001f44d"sv, "\U00020000"sv, "\\frac"sv};

struct Sample {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets{0};

  void add(const std::string& text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }

  Texts texts() const { return {bytes, offsets}; }
};

std::string draw_text(std::mt19937& random) {
  std::string text;
  const std::size_t longest = random() % 8 == 0 ? 300 : 12;
  for (std::size_t left = random() % (longest + 1); left > 0; --left) {
    text += pieces[random() % pieces.size()];
  }
  return text;
}

/// A text with pieces taken out, put in or moved.
std::string change_text(std::mt19937& random, std::string text) {
  for (std::size_t left = random() % 4; left > 0; --left) {
    const std::size_t half = text.find(' ', text.empty() ? 0 : random() % text.size());
    if (half == std::string::npos) {
      text += pieces[random() % pieces.size()];
    } else {
      text = text.substr(half) + text.substr(0, half);
    }
  }
  return text;
}

void check_tokens(const Texts& texts, Tokenizer tokenizer) {
  const TokenizedTexts tokenized = tokenize_all(tokenizer, texts);
  validate({tokenized.bytes, tokenized.offsets}, "tokens");
  check(tokenized.offsets.size() == texts.offsets.size());
}

void check_counts(std::mt19937& random, const Referred<Texts>& texts) {
  const std::size_t order = 1 + random() % 7;
  const auto tokenizer = static_cast<Tokenizer>(random() % 8);
  check_tokens(texts.hypotheses, tokenizer);
  const auto ngrams = count_ngrams(texts, tokenizer, {order, 1});
  check(ngrams == count_ngrams(texts, tokenizer, {order, 3}));
  const std::size_t width = 2 + 2 * order;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t n = 0; n < order; ++n) {
      check(ngrams[i * width + 2 + n] <= ngrams[i * width + 2 + order + n]);
    }
  }
  const ChrfOptions chrf{
      1 + random() % 7, random() % 3, random() % 2 == 0, 2, random() % 2 == 0, 1};
  ChrfOptions shared = chrf;
  shared.threads = 3;
  check(count_char_ngrams(texts, chrf) == count_char_ngrams(texts, shared));
  const TerOptions ter{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0, 1};
  TerOptions spread = ter;
  spread.threads = 3;
  check(count_ter(texts, ter).edits == count_ter(texts, spread).edits);
}

void check_edits(const Texts& hypotheses, const Texts& references) {
  for (const Unit unit : {Unit::characters, Unit::stripped, Unit::words}) {
    const auto counts = count_edits(hypotheses, references, unit, 1);
    check(counts == count_edits(hypotheses, references, unit, 3));
    const auto same = count_edits(hypotheses, hypotheses, unit, 1);
    for (std::size_t i = 0; i < same.size(); i += 4) {
      check(same[i + 1] + same[i + 2] + same[i + 3] == 0);
      check(same[i] >= counts[i]);
    }
  }
}

/// Of what either side has, no more can match.
void check_overlaps(std::mt19937& random, const Referred<Texts>& texts) {
  OverlapOptions options{{{Overlap::ngrams, static_cast<double>(1 + random() % 9)},
                          {Overlap::lcs, 0},
                          {Overlap::union_lcs, 0},
                          {Overlap::skips, static_cast<double>(random() % 9)},
                          {Overlap::skips_and_words, 1e300},
                          {Overlap::skips_and_first_words, 2},
                          {Overlap::weighted_lcs, 1.2},
                          {Overlap::union_weighted_lcs, 1.2}},
                         1};
  constexpr std::size_t n_plain = 6;
  const bool stem = random() % 2 == 0;
  const auto counts = count_overlaps(texts, texts.references, stem, options);
  check(std::ranges::none_of(counts, [](double count) { return !(count >= 0); }));
  const Sample nothing;
  const auto all = count_overlaps(texts, nothing.texts(), stem, options);
  for (std::size_t i = 0; i < all.size(); i += 3) {
    if (i / 3 % options.measures.size() < n_plain) {
      check(all[i] <= all[i + 1] && all[i] <= all[i + 2]);
    }
  }
  options.threads = 3;
  check(all == count_overlaps(texts, nothing.texts(), stem, options));
}

void try_texts(std::mt19937& random) {
  Sample hypotheses;
  Sample references;
  Sample firsts;
  std::vector<std::int64_t> spans{0};
  for (std::size_t left = 1 + random() % 40; left > 0; --left) {
    const std::string text = draw_text(random);
    hypotheses.add(text);
    firsts.add(change_text(random, text));
    for (std::size_t more = 1 + random() % 3; more > 0; --more) {
      references.add(change_text(random, text));
    }
    spans.push_back(static_cast<std::int64_t>(references.offsets.size()) - 1);
  }
  check_counts(random, {hypotheses.texts(), references.texts(), spans});
  check_overlaps(random, {hypotheses.texts(), references.texts(), spans});
  check_edits(hypotheses.texts(), firsts.texts());
}

/// Bytes that are no text are refused, or are a text after all.
void try_bytes(std::mt19937& random) {
  Sample sample;
  std::string text = draw_text(random);
  if (!text.empty()) text[random() % text.size()] = static_cast<char>(random() % 256);
  sample.add(text);
  const bool valid = measure_valid(text) == text.size();
  check(valid != refuses([&] { validate(sample.texts(), "bytes"); }));
}

}  // namespace
}  // namespace tallystick

int main(int argc, char** argv) {
  const std::chrono::seconds given(argc > 1 ? std::atoi(argv[1]) : 10);
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  std::mt19937 random(seed);
  const auto end = std::chrono::steady_clock::now() + given;
  std::size_t rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) {
    tallystick::try_texts(random);
    tallystick::try_bytes(random);
    tallystick::try_labels(random);
  }
  std::printf("%zu rounds with seed %u\n", rounds, seed);
}
