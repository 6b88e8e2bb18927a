#include "keys.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "mix.hpp"
#include "words_of_bytes.hpp"

namespace tallystick {
namespace {

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = mix(seed ^ text.size());
  while (!text.empty()) {
    const std::size_t step = std::min(text.size(), word_size);
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), step);
    hash = mix(hash ^ word);
    text.remove_prefix(step);
  }
  return hash;
}

std::vector<std::uint64_t> hash_all(const Texts& texts, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) hashes[i] = hash_text(texts[i], seed);
  return hashes;
}

/// A row and the low half of its hash.
struct Entry {
  std::uint32_t hash;
  std::uint32_t row;
};

/// Rows in the order of the highest bits of their hashes: part p is
/// entries[starts[p]] up to entries[starts[p + 1]], and its rows ascend.
struct Parts {
  std::vector<Entry> entries;
  std::vector<std::size_t> starts;

  std::span<const Entry> operator[](std::size_t part) const {
    return std::span(entries).subspan(starts[part], starts[part + 1] - starts[part]);
  }
};

Parts split(const Texts& texts, std::uint64_t seed, int bits) {
  const auto part_of = [&](std::uint64_t hash) {
    return bits == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - bits));
  };
  const auto hashes = hash_all(texts, seed);
  Parts parts{std::vector<Entry>(texts.size()),
              std::vector<std::size_t>((std::size_t{1} << bits) + 1)};
  for (const std::uint64_t hash : hashes) ++parts.starts[part_of(hash) + 1];
  for (std::size_t part = 1; part < parts.starts.size(); ++part) {
    parts.starts[part] += parts.starts[part - 1];
  }
  auto next = parts.starts;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    parts.entries[next[part_of(hashes[i])]++] = {static_cast<std::uint32_t>(hashes[i]),
                                                 static_cast<std::uint32_t>(i)};
  }
  return parts;
}

/// An open-addressing hash table of the first rows of distinct texts in one part.
class FirstRows {
 public:
  explicit FirstRows(const Texts& texts) : texts_(texts) {}

  void fill(std::span<const Entry> entries) {
    entries_ = entries;
    slots_.assign(std::bit_ceil(2 * entries.size() + 1), 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::uint32_t& slot = find_slot(texts_[entries[i].row], entries[i].hash);
      if (slot == 0) slot = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::int64_t find(std::string_view text, std::uint32_t hash) {
    const std::uint32_t number = find_slot(text, hash);
    return number == 0 ? -1 : static_cast<std::int64_t>(entries_[number - 1].row);
  }

 private:
  /// The slot of a text, which holds the number of its entry from 1 on, or 0 if it has none.
  std::uint32_t& find_slot(std::string_view text, std::uint32_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != 0 && !matches(entries_[slots_[slot] - 1], text, hash)) {
      slot = (slot + 1) & mask;
    }
    return slots_[slot];
  }

  bool matches(const Entry& entry, std::string_view text, std::uint32_t hash) const {
    return entry.hash == hash && texts_[entry.row] == text;
  }

  const Texts& texts_;
  std::span<const Entry> entries_;
  std::vector<std::uint32_t> slots_;
};

void check_rows(const Texts& texts) {
  if (std::cmp_greater(texts.size(), std::numeric_limits<std::uint32_t>::max())) {
    throw std::invalid_argument(std::to_string(texts.size()) + " texts: expected fewer than 2^32.");
  }
}

}  // namespace

std::vector<std::uint64_t> hash_texts(const Texts& texts) { return hash_all(texts, 0); }

std::vector<std::int64_t> find_texts(const Texts& texts, const Texts& sought, std::uint64_t seed) {
  // So many rows that their part of the hash table stays in the processor's cache.
  constexpr std::size_t part_size = std::size_t{1} << 15;
  check_rows(texts);
  check_rows(sought);
  const auto bits = static_cast<int>(std::bit_width(texts.size() / part_size));
  const Parts parts = split(texts, seed, bits);
  const Parts sought_parts = split(sought, seed, bits);
  std::vector<std::int64_t> places(sought.size());
  FirstRows rows(texts);
  for (std::size_t part = 0; part + 1 < parts.starts.size(); ++part) {
    rows.fill(parts[part]);
    for (const Entry& entry : sought_parts[part]) {
      places[entry.row] = rows.find(sought[entry.row], entry.hash);
    }
  }
  return places;
}

}  // namespace tallystick
