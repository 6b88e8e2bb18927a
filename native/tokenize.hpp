/// Splits a text into tokens, by the rules of sacreBLEU's tokenizers and by those of LaTeX.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace tallystick {

/// How a text is split.
///
/// - none: at spaces (Papineni et al. 2002 presume tokens that spaces separate).
/// - character: every character that is no space is a token.
/// - mteval_v13a: the rules of NIST's mteval-v13a.pl, which know only ASCII.
/// - international: the rules of mteval-v14.pl by Unicode's categories.
/// - chinese: every Chinese character is a token, the rest as v13a. As in sacreBLEU, the characters
///   from U+2001 to U+2A6D count as Chinese and those beyond U+FFFF do not.
/// - latex: control sequences, words, numbers, and all other symbols one by one; comments dropped.
/// - rouge: runs of ASCII letters and digits in lower case, as rouge_score has them.
/// - words: words of any language, without punctuation and symbols.
enum class Tokenizer { none, character, mteval_v13a, international, chinese, latex, rouge, words };

/// The tokenizer of this name: none or whitespace, char, 13a, intl, zh, latex, rouge or words.
std::optional<Tokenizer> find_tokenizer(std::string_view name);

/// A text's tokens: views of the text, or of `rewritten` where the rules rewrite it first.
struct Tokens {
  std::vector<std::string_view> views;
  std::string rewritten;
};

/// Replaces `tokens` by the tokens of a text; none of them is empty or holds a space.
void tokenize(Tokenizer tokenizer, std::string_view text, Tokens& tokens);

/// Texts made of tokens; text i is bytes[offsets[i]] up to bytes[offsets[i + 1]].
struct TokenizedTexts {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets;
};

/// Writes the tokens of each text with one space between them.
TokenizedTexts tokenize_all(Tokenizer tokenizer, const Texts& texts);

}  // namespace tallystick
