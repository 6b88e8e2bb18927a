#include "ngrams.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "checks.hpp"
#include "matches.hpp"
#include "parallel.hpp"

namespace tallystick {
namespace {

/// Numbers the tokens of texts; the hypothesis's must stay in place while references are read.
class TextReader {
 public:
  explicit TextReader(Tokenizer tokenizer) : tokenizer_(tokenizer) {}

  void read_hypothesis(std::string_view text, Sequence& sequence) {
    tokenize(tokenizer_, text, hypothesis_);
    number_tokens(hypothesis_.views, words_, sequence);
  }

  void read_reference(std::string_view text, Sequence& sequence) {
    tokenize(tokenizer_, text, reference_);
    find_tokens(reference_.views, words_, sequence);
  }

  std::size_t n_tokens() const { return words_.size(); }

 private:
  Tokenizer tokenizer_;
  Tokens hypothesis_;
  Tokens reference_;
  WordNumbers words_;
};

auto view_keys(std::span<const std::int32_t> ids) {
  return std::views::transform(ids, [](std::int32_t id) { return static_cast<std::uint32_t>(id); });
}

class IdReader {
 public:
  void read_hypothesis(std::span<const std::int32_t> ids, Sequence& sequence) {
    number_tokens(view_keys(ids), keys_, sequence);
  }

  void read_reference(std::span<const std::int32_t> ids, Sequence& sequence) {
    find_tokens(view_keys(ids), keys_, sequence);
  }

  std::size_t n_tokens() const { return keys_.size(); }

 private:
  KeyNumbers keys_;
};

/// The length that differs least from that of the hypothesis; of two, the shorter.
std::size_t find_closest(std::size_t length, std::span<const Sequence> references) {
  const auto distance = [length](const Sequence& reference) {
    const std::size_t other = reference.size();
    return other > length ? other - length : length - other;
  };
  std::size_t closest = references.front().size();
  std::size_t least = distance(references.front());
  for (const Sequence& reference : references.subspan(1)) {
    const std::size_t here = distance(reference);
    if (here > least || (here == least && reference.size() > closest)) continue;
    closest = reference.size();
    least = here;
  }
  return closest;
}

/// Counts one example after the other.
template <typename Reader>
class NgramCounter {
 public:
  NgramCounter(Reader reader, Watch watch) : reader_(std::move(reader)), matcher_(watch) {}

  template <typename Sequences>
  void count(const Referred<Sequences>& examples, std::size_t i, std::span<std::int64_t> row) {
    reader_.read_hypothesis(examples.hypotheses[i], hypothesis_);
    const std::size_t first = examples.first_reference(i);
    const std::size_t n_references = examples.first_reference(i + 1) - first;
    if (references_.size() < n_references) references_.resize(n_references);
    const auto references = std::span(references_).first(n_references);
    for (std::size_t r = 0; r < n_references; ++r) {
      reader_.read_reference(examples.references[first + r], references[r]);
    }
    fill_row(references, row);
  }

 private:
  void fill_row(std::span<Sequence> references, std::span<std::int64_t> row) {
    const std::size_t length = hypothesis_.size();
    const std::size_t order = (row.size() - 2) / 2;
    row[0] = static_cast<std::int64_t>(length);
    row[1] = static_cast<std::int64_t>(find_closest(length, references));
    matcher_.count_matches(hypothesis_, references, reader_.n_tokens(), row.subspan(2, order));
    for (std::size_t k = 0; k < order; ++k) {
      row[2 + order + k] = static_cast<std::int64_t>(length > k ? length - k : 0);
    }
  }

  Reader reader_;
  Sequence hypothesis_;
  std::vector<Sequence> references_;
  NgramMatcher matcher_;
};

template <typename Reader, typename Sequences>
std::vector<std::int64_t> count_all_ngrams(const Referred<Sequences>& examples,
                                           const Reader& reader, const NgramOptions& options) {
  const std::size_t width = 2 + 2 * options.order;
  std::vector<std::int64_t> counts(multiply_sizes(examples.size(), width));
  for_each_example(examples.size(), options.threads, options.interrupt, [&] {
    return [&, counter =
                   NgramCounter<Reader>(reader, Watch(options.interrupt))](std::size_t i) mutable {
      counter.count(examples, i, std::span(counts).subspan(i * width, width));
    };
  });
  return counts;
}

}  // namespace

std::vector<std::int64_t> count_ngrams(const Referred<Texts>& texts, Tokenizer tokenizer,
                                       const NgramOptions& options) {
  return count_all_ngrams(texts, TextReader(tokenizer), options);
}

std::vector<std::int64_t> count_id_ngrams(const Referred<Ids>& ids, const NgramOptions& options) {
  return count_all_ngrams(ids, IdReader(), options);
}

}  // namespace tallystick
