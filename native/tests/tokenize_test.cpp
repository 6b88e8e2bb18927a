#include "tokenize.hpp"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "text.hpp"

namespace tallystick {
namespace {

void check_tokens(Tokenizer tokenizer, std::string_view text,
                  std::initializer_list<std::string_view> expected) {
  Tokens tokens;
  tokenize(tokenizer, text, tokens);
  check(std::vector<std::string_view>(expected) == tokens.views);
}

void numbers_keep_their_points() {
  for (const Tokenizer tokenizer :
       {Tokenizer::mteval_v13a, Tokenizer::international, Tokenizer::chinese}) {
    check_tokens(tokenizer, "3.5 a,b 1,000...", {"3.5", "a", ",", "b", "1,000", ".", ".", "."});
  }
  check_tokens(Tokenizer::mteval_v13a, "in 2008.", {"in", "2008", "."});
  check_tokens(Tokenizer::chinese, "in 2008.", {"in", "2008."});
  check_tokens(Tokenizer::international, "in 2008.", {"in", "2008."});
}

void every_other_point_of_a_run_matches_first() {
  check_tokens(Tokenizer::mteval_v13a, "a.5", {"a", ".", "5"});
  check_tokens(Tokenizer::mteval_v13a, "a..5", {"a", ".", ".5"});
  check_tokens(Tokenizer::mteval_v13a, "1..5", {"1", ".", ".", "5"});
  check_tokens(Tokenizer::mteval_v13a, "1...5", {"1", ".", ".", ".5"});
}

void dashes_are_cut_after_digits() {
  check_tokens(Tokenizer::mteval_v13a, "well-known 1-2 --", {"well-known", "1", "-", "2", "--"});
  check_tokens(Tokenizer::chinese, "-1", {"-1"});
}

void entities_are_decoded_one_after_the_other() {
  check_tokens(Tokenizer::mteval_v13a, "&amp;lt;&quot;&apos;", {"<", "\"", "&", "apos", ";"});
  check_tokens(Tokenizer::mteval_v13a, "a-<skipped>\nb\nc", {"ab", "c"});
}

void malformed_ranges_are_chinese() {
  check_tokens(Tokenizer::chinese, "a\u4E2D\u2014b\U00020000c",
               {"a", "\u4E2D", "\u2014", "b\U00020000c"});
}

void spaces_are_those_of_python() {
  check_tokens(Tokenizer::none,
               "a\u00A0b\x1C"
               "c\u3000d\u200Be",
               {"a", "b", "c", "d\u200Be"});
  check_tokens(Tokenizer::character, " a\u2028\u00E9\U0001F600 ", {"a", "\u00E9", "\U0001F600"});
}

void latex_is_read_as_tex_reads_it() {
  check_tokens(Tokenizer::latex, "\\frac{x_1}{2.5}% half\n\\\\ 5\\% ~",
               {"\\frac", "{", "x", "_", "1", "}", "{", "2.5", "}", "\\\\", "5", "\\%", "~"});
  check_tokens(Tokenizer::latex, "\\ x\\", {"\\", "x", "\\"});
}

/// Whatever the bytes, what is called valid can be read without leaving the text.
void valid_prefixes_are_read_safely() {
  std::mt19937 random(3);
  Tokens tokens;
  for (int round = 0; round < 5000; ++round) {
    const auto bytes = draw_numbers<char>(random, random() % 12, 256);
    const std::string text(bytes.begin(), bytes.end());
    const std::string valid = text.substr(0, measure_valid(text));
    check(measure_valid(valid) == valid.size());
    for (const Tokenizer tokenizer :
         {Tokenizer::none, Tokenizer::character, Tokenizer::mteval_v13a, Tokenizer::international,
          Tokenizer::chinese, Tokenizer::latex}) {
      tokenize(tokenizer, valid, tokens);
      for (const std::string_view token : tokens.views) check(!token.empty());
    }
  }
}

}  // namespace

void test_tokenize() {
  numbers_keep_their_points();
  every_other_point_of_a_run_matches_first();
  dashes_are_cut_after_digits();
  entities_are_decoded_one_after_the_other();
  malformed_ranges_are_chinese();
  spaces_are_those_of_python();
  latex_is_read_as_tex_reads_it();
  valid_prefixes_are_read_safely();
}

}  // namespace tallystick
