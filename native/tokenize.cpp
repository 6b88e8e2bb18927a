#include "tokenize.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "cutter.hpp"
#include "text.hpp"
#include "unicode_tables.hpp"
#include "words.hpp"

namespace tallystick {
namespace {

constexpr std::array<Kind, 0x80> v13a_kinds = [] {
  std::array<Kind, 0x80> kinds{};
  for (unsigned char c = 0; c < kinds.size(); ++c) {
    if (is_ascii_space(c)) kinds[c] = Kind::space;
  }
  for (const char c : std::string_view("{|}~[\\]^_`!\"#$%&()*+:;<=>?@/")) {
    kinds[static_cast<unsigned char>(c)] = Kind::single;
  }
  for (char c = '0'; c <= '9'; ++c) kinds[static_cast<unsigned char>(c)] = Kind::digit;
  kinds['.'] = kinds[','] = Kind::point;
  kinds['-'] = Kind::dash;
  return kinds;
}();

Kind find_category_kind(char32_t code_point) {
  if (is_space(code_point)) return Kind::space;
  const auto after = std::ranges::upper_bound(category_bounds, code_point);
  switch (categories[static_cast<std::size_t>(after - category_bounds.begin() - 1)]) {
    case 'N':
      return Kind::digit;
    case 'P':
      return Kind::point;
    case 'S':
      return Kind::single;
    default:
      return Kind::letter;
  }
}

/// The ranges of sacreBLEU's Chinese tokenizer beside the ideographs, as Python compares them: two
/// that were meant to lie beyond U+FFFF are U+2001 to U+2A6D and U+2F81 to U+2FA1.
bool is_chinese(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 13> ranges = {{{0x2001, 0x2A6D},
                                                                     {0x2E80, 0x2FDF},
                                                                     {0x2FF0, 0x303F},
                                                                     {0x3100, 0x312F},
                                                                     {0x31A0, 0x31EF},
                                                                     {0x3200, 0x4DB5},
                                                                     {0x4E00, 0x9FBB},
                                                                     {0xF900, 0xFA2D},
                                                                     {0xFA30, 0xFA6A},
                                                                     {0xFA70, 0xFAD9},
                                                                     {0xFE10, 0xFE1F},
                                                                     {0xFE30, 0xFE4F},
                                                                     {0xFF00, 0xFFEF}}};
  if (code_point >= 0x4E00 && code_point <= 0x9FBB) return true;
  return std::ranges::any_of(ranges, [code_point](const auto& range) {
    return range.first <= code_point && code_point <= range.second;
  });
}

struct V13aRules {
  /// A space is put before and after the text.
  static constexpr Kind edge = Kind::space;
  static constexpr auto marks = mark_bytes(v13a_kinds, may_begin_space);

  static Character classify(std::string_view text, std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) return {v13a_kinds[byte], 1};
    const std::size_t space = measure_space(text, i);
    return space > 0 ? Character{Kind::space, space} : Character{Kind::letter, 1};
  }
};

/// Rules that look at whole characters.
template <Kind (*find_kind)(char32_t), const std::array<Kind, 0x80>& ascii_kinds>
struct CharacterRules {
  static constexpr Kind edge = Kind::edge;
  static constexpr auto marks =
      mark_bytes(ascii_kinds, [](unsigned char byte) { return byte >= 0xC0; });

  static Character classify(std::string_view text, std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) return {ascii_kinds[byte], 1};
    std::string_view rest = text.substr(i);
    const Kind kind = find_kind(take_code_point(rest));
    return {kind, text.size() - i - rest.size()};
  }
};

Kind find_chinese_kind(char32_t code_point) {
  if (is_space(code_point)) return Kind::space;
  return is_chinese(code_point) ? Kind::single : Kind::letter;
}

constexpr std::array<Kind, 0x80> category_kinds = [] {
  std::array<Kind, 0x80> kinds{};
  std::size_t run = 0;
  for (unsigned char c = 0; c < kinds.size(); ++c) {
    while (category_bounds[run + 1] <= c) ++run;
    const char category = categories[run];
    kinds[c] = is_ascii_space(c) ? Kind::space
               : category == 'N' ? Kind::digit
               : category == 'P' ? Kind::point
               : category == 'S' ? Kind::single
                                 : Kind::letter;
  }
  return kinds;
}();

using ChineseRules = CharacterRules<find_chinese_kind, v13a_kinds>;
using InternationalRules = CharacterRules<find_category_kind, category_kinds>;

template <typename Rules>
void cut_text(std::string_view text, std::vector<std::string_view>& tokens) {
  tokens.clear();
  Cutter<Rules>(text, tokens).cut_all();
}

void replace_all(std::string& text, std::string_view old, std::string_view replacement) {
  std::size_t at = text.find(old);
  if (at == text.npos) return;
  std::string replaced;
  std::size_t from = 0;
  for (; at != text.npos; at = text.find(old, from)) {
    replaced.append(text, from, at - from).append(replacement);
    from = at + old.size();
  }
  text = replaced.append(text, from);
}

/// What mteval-v13a calls independent of the language: marks of skipped segments, line ends, and
/// four entities, one after the other, so that "&amp;lt;" ends as "<".
std::string_view rewrite_v13a(std::string_view text, std::string& rewritten) {
  const auto holds = [text](std::string_view part) { return text.find(part) != text.npos; };
  if (!holds("&") && !holds("\n") && !holds("<skipped>")) return text;
  rewritten = text;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> rules = {{
      {"<skipped>", ""},
      {"-\n", ""},
      {"\n", " "},
      {"&quot;", "\""},
      {"&amp;", "&"},
      {"&lt;", "<"},
      {"&gt;", ">"},
  }};
  for (const auto& [old, replacement] : rules) replace_all(rewritten, old, replacement);
  return rewritten;
}

void split_characters(std::string_view text, std::vector<std::string_view>& tokens) {
  tokens.clear();
  while (!text.empty()) {
    const std::size_t size = measure_character(text.front());
    if (measure_space(text, 0) == 0) tokens.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
}

/// Reads the tokens of LaTeX one by one (Knuth, The TeXbook, chapter 7, with words and numbers held
/// together).
class LatexReader {
 public:
  explicit LatexReader(std::string_view text) : text_(text) {}

  void read_all(std::vector<std::string_view>& tokens) {
    tokens.clear();
    for (skip_ignored(); at_ < text_.size(); skip_ignored()) {
      const std::size_t start = at_;
      skip_token();
      tokens.push_back(text_.substr(start, at_ - start));
    }
  }

 private:
  Character look(std::size_t i) const {
    return i < text_.size() ? InternationalRules::classify(text_, i) : Character{Kind::space, 0};
  }

  void skip_ignored() {
    while (at_ < text_.size()) {
      const Character character = look(at_);
      if (text_[at_] == '%') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (character.kind == Kind::space) {
        at_ += character.size;
      } else {
        return;
      }
    }
  }

  void skip_token() {
    const Character first = look(at_);
    const bool is_control = text_[at_] == '\\';
    at_ += first.size;
    if (is_control) {
      skip_control_name();
    } else if (first.kind == Kind::letter) {
      skip_run(Kind::letter);
    } else if (first.kind == Kind::digit) {
      skip_run(Kind::digit);
      const bool is_decimal = at_ < text_.size() && text_[at_] == '.';
      if (is_decimal && look(at_ + 1).kind == Kind::digit) {
        ++at_;
        skip_run(Kind::digit);
      }
    }
  }

  /// Letters of ASCII, or any one character; a space is no part of the token.
  void skip_control_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_ascii_letter(text_[at_])) ++at_;
    const Character next = look(at_);
    if (at_ == start && next.kind != Kind::space) at_ += next.size;
  }

  void skip_run(Kind kind) {
    for (Character next = look(at_); next.kind == kind; next = look(at_)) at_ += next.size;
  }

  static bool is_ascii_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

  std::string_view text_;
  std::size_t at_ = 0;
};

void lower_alphanumerics(std::string_view text, Tokens& tokens) {
  Alphanumerics words;
  split_alphanumerics(text, words);
  tokens.rewritten = std::move(words.lowered);
  tokens.views.clear();
  for (std::size_t i = 0; i < words.size(); ++i) {
    tokens.views.emplace_back(tokens.rewritten.data() + words.edges[2 * i],
                              words.edges[2 * i + 1] - words.edges[2 * i]);
  }
}

}  // namespace

std::optional<Tokenizer> find_tokenizer(std::string_view name) {
  if (name == "none" || name == "whitespace") return Tokenizer::none;
  if (name == "char") return Tokenizer::character;
  if (name == "13a") return Tokenizer::mteval_v13a;
  if (name == "intl") return Tokenizer::international;
  if (name == "zh") return Tokenizer::chinese;
  if (name == "latex") return Tokenizer::latex;
  if (name == "rouge") return Tokenizer::rouge;
  if (name == "words") return Tokenizer::words;
  return std::nullopt;
}

void tokenize(Tokenizer tokenizer, std::string_view text, Tokens& tokens) {
  text = strip_end(text);
  switch (tokenizer) {
    case Tokenizer::none:
      return split_words(text, tokens.views);
    case Tokenizer::character:
      return split_characters(text, tokens.views);
    case Tokenizer::mteval_v13a:
      return cut_text<V13aRules>(rewrite_v13a(text, tokens.rewritten), tokens.views);
    case Tokenizer::international:
      return cut_text<InternationalRules>(text, tokens.views);
    case Tokenizer::chinese:
      return cut_text<ChineseRules>(strip_start(text), tokens.views);
    case Tokenizer::latex:
      return LatexReader(text).read_all(tokens.views);
    case Tokenizer::rouge:
      return lower_alphanumerics(text, tokens);
    case Tokenizer::words:
      return split_unicode_words(text, tokens.views);
  }
}

TokenizedTexts tokenize_all(Tokenizer tokenizer, const Texts& texts) {
  TokenizedTexts result{{}, {0}};
  Tokens tokens;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    tokenize(tokenizer, texts[i], tokens);
    for (const std::string_view token : tokens.views) {
      if (token.data() != tokens.views.front().data()) result.bytes.push_back(' ');
      result.bytes.insert(result.bytes.end(), token.begin(), token.end());
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.bytes.size()));
  }
  return result;
}

}  // namespace tallystick
