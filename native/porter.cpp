#include "porter.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "text.hpp"

namespace tallystick {
namespace {

struct Rule {
  std::string_view suffix;
  std::string_view replacement;
};

constexpr std::array<Rule, 16> irregular_forms = {{{"skies", "sky"},
                                                   {"sky", "sky"},
                                                   {"dying", "die"},
                                                   {"lying", "lie"},
                                                   {"tying", "tie"},
                                                   {"news", "news"},
                                                   {"innings", "inning"},
                                                   {"inning", "inning"},
                                                   {"outings", "outing"},
                                                   {"outing", "outing"},
                                                   {"cannings", "canning"},
                                                   {"canning", "canning"},
                                                   {"howe", "howe"},
                                                   {"proceed", "proceed"},
                                                   {"exceed", "exceed"},
                                                   {"succeed", "succeed"}}};

constexpr std::array<Rule, 21> rules_2 = {
    {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
     {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
     {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
     {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
     {"fulli", "ful"}}};

constexpr std::array<Rule, 7> rules_3 = {{{"icate", "ic"},
                                          {"ative", ""},
                                          {"alize", "al"},
                                          {"iciti", "ic"},
                                          {"ical", "ic"},
                                          {"ful", ""},
                                          {"ness", ""}}};

constexpr std::array<std::string_view, 19> suffixes_4 = {
    "al",  "ance", "ence", "er",  "ic",  "able", "ible", "ant", "ement", "ment",
    "ent", "ion",  "ou",   "ism", "ate", "iti",  "ous",  "ive", "ize"};

/// One word under way; the steps and conditions are named as in the paper.
template <typename Character>
class Stemmer {
 public:
  explicit Stemmer(std::span<Character> word) : word_(word), size_(word.size()) {}

  std::size_t stem() {
    if (size_ <= 2 || replace_irregular()) return size_;
    step_1a();
    step_1b();
    step_1c();
    step_2();
    step_3();
    step_4();
    step_5a();
    step_5b();
    return size_;
  }

 private:
  static bool is_vowel(Character letter) {
    return letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
  }

  /// A y is a consonant at the start and after a vowel.
  bool is_consonant(std::size_t i) const {
    bool flipped = false;
    for (; i > 0 && word_[i] == 'y'; --i) flipped = !flipped;
    return is_vowel(word_[i]) == flipped;
  }

  /// How many times a consonant follows a vowel in the first n letters: the m of the paper.
  std::size_t measure(std::size_t n) const {
    std::size_t m = 0;
    bool was_consonant = true;
    for (std::size_t i = 0; i < n; ++i) {
      const bool consonant = word_[i] == 'y' ? i == 0 || !was_consonant : !is_vowel(word_[i]);
      m += consonant && !was_consonant ? 1U : 0U;
      was_consonant = consonant;
    }
    return m;
  }

  bool contains_vowel(std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (!is_consonant(i)) return true;
    }
    return false;
  }

  /// The paper's *o, and what NLTK adds for two letters.
  bool ends_cvc(std::size_t n) const {
    if (n == 2) return !is_consonant(0) && is_consonant(1);
    return n >= 3 && is_consonant(n - 3) && !is_consonant(n - 2) && is_consonant(n - 1) &&
           word_[n - 1] != 'w' && word_[n - 1] != 'x' && word_[n - 1] != 'y';
  }

  bool ends_with(std::string_view suffix) const {
    return size_ >= suffix.size() &&
           std::equal(suffix.begin(), suffix.end(), word_.begin() + position(suffix));
  }

  std::ptrdiff_t position(std::string_view suffix) const {
    return static_cast<std::ptrdiff_t>(size_ - suffix.size());
  }

  void replace(std::string_view suffix, std::string_view replacement) {
    std::copy(replacement.begin(), replacement.end(), word_.begin() + position(suffix));
    size_ += replacement.size() - suffix.size();
  }

  void append(char letter) { word_[size_++] = static_cast<Character>(letter); }

  bool is_all(std::string_view form) const { return size_ == form.size() && ends_with(form); }

  bool replace_irregular() {
    for (const auto& [form, stem] : irregular_forms) {
      if (!is_all(form)) continue;
      replace(form, stem);
      return true;
    }
    return false;
  }

  void step_1a() {
    if (word_[size_ - 1] != 's') return;
    if (ends_with("ies")) {
      size_ -= size_ == 4 ? 1U : 2U;
    } else if (ends_with("sses")) {
      size_ -= 2;
    } else if (!ends_with("ss")) {
      size_ -= 1;
    }
  }

  void step_1b() {
    if (ends_with("ied")) {
      size_ -= size_ == 4 ? 1U : 2U;
    } else if (ends_with("eed")) {
      if (measure(size_ - 3) > 0) size_ -= 1;
    } else {
      for (const std::string_view suffix : {"ed", "ing"}) {
        if (!ends_with(suffix) || !contains_vowel(size_ - suffix.size())) continue;
        size_ -= suffix.size();
        return mend_1b();
      }
    }
  }

  void mend_1b() {
    if (ends_with("at") || ends_with("bl") || ends_with("iz")) {
      append('e');
    } else if (size_ >= 2 && word_[size_ - 1] == word_[size_ - 2] && is_consonant(size_ - 1)) {
      const Character last = word_[size_ - 1];
      if (last != 'l' && last != 's' && last != 'z') --size_;
    } else if (measure(size_) == 1 && ends_cvc(size_)) {
      append('e');
    }
  }

  void step_1c() {
    if (size_ > 2 && word_[size_ - 1] == 'y' && is_consonant(size_ - 2)) word_[size_ - 1] = 'i';
  }

  /// Of the rules the first one whose suffix the word has is taken, or none at all.
  template <std::size_t n>
  bool apply(const std::array<Rule, n>& rules) {
    for (const auto& [suffix, replacement] : rules) {
      if (!ends_with(suffix)) continue;
      if (measure(size_ - suffix.size()) > 0) replace(suffix, replacement);
      return true;
    }
    return false;
  }

  void step_2() {
    if (ends_with("alli") && measure(size_ - 4) > 0) replace("alli", "al");
    if (apply(rules_2)) return;
    if (ends_with("logi") && measure(size_ - 3) > 0) --size_;
  }

  void step_3() { apply(rules_3); }

  void step_4() {
    for (const std::string_view suffix : suffixes_4) {
      if (!ends_with(suffix)) continue;
      const std::size_t n = size_ - suffix.size();
      const bool fits = suffix != "ion" || (n > 0 && (word_[n - 1] == 's' || word_[n - 1] == 't'));
      if (fits && measure(n) > 1) size_ = n;
      return;
    }
  }

  void step_5a() {
    if (size_ == 0 || word_[size_ - 1] != 'e') return;
    const std::size_t m = measure(size_ - 1);
    if (m > 1 || (m == 1 && !ends_cvc(size_ - 1))) --size_;
  }

  void step_5b() {
    if (ends_with("ll") && measure(size_ - 1) > 1) --size_;
  }

  std::span<Character> word_;
  std::size_t size_;
};

void append_utf8(std::string& text, char32_t code_point) {
  const auto add = [&text](char32_t lead, char32_t bits) {
    text += static_cast<char>(static_cast<unsigned char>(lead | bits));
  };
  if (code_point < 0x80) return add(0, code_point);
  if (code_point < 0x800) {
    add(0xC0, code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      add(0xE0, code_point >> 12);
    } else {
      add(0xF0, code_point >> 18);
      add(0x80, code_point >> 12 & 0x3F);
    }
    add(0x80, code_point >> 6 & 0x3F);
  }
  add(0x80, code_point & 0x3F);
}

}  // namespace

std::size_t stem_ascii(std::span<char> word) { return Stemmer<char>(word).stem(); }

std::string stem_word(std::string_view word) {
  std::u32string code_points;
  while (!word.empty()) code_points += take_code_point(word);
  code_points.resize(Stemmer<char32_t>(code_points).stem());
  std::string stem;
  for (const char32_t code_point : code_points) append_utf8(stem, code_point);
  return stem;
}

}  // namespace tallystick
