#include "tags.hpp"

#include <cstdint>
#include <vector>

#include "check.hpp"

namespace tallystick {
namespace {

/// O, B and I of one type, and the O around examples.
const std::vector<std::uint8_t> letters{0, 1, 2, 0};
const std::vector<std::int32_t> types{0, 1, 1, 0};

/// IOB2: B begins a span, and I of the same type goes on with one.
std::vector<std::uint8_t> list_rules() {
  std::vector<std::uint8_t> rules(n_transitions, sound | ends);
  for (std::size_t before = 0; before < n_letters; ++before) {
    for (std::size_t same = 0; same < 2; ++same) {
      rules[(n_letters + before) * 2 + same] |= begins;
    }
  }
  for (const std::size_t before : {1U, 2U}) rules[(2 * n_letters + before) * 2 + 1] = sound;
  return rules;
}

void spans_end_with_their_example() {
  const auto rules = list_rules();
  const std::vector<std::uint32_t> codes{1, 2, 2, 0, 1, 1, 2};
  const std::vector<std::int64_t> offsets{0, 2, 2, 7};
  const auto found = find_spans(codes, offsets, {letters, types, rules, true});
  check(found.offsets == std::vector<std::int64_t>{0, 1, 1, 3});
  check(found.starts == std::vector<std::int64_t>{0, 2, 3});
  check(found.ends == std::vector<std::int64_t>{2, 3, 5});
  check(found.types == std::vector<std::int32_t>{1, 1, 1});
  check(found.steps.size() == codes.size());
}

void tags_out_of_a_span_belong_to_none_where_it_is_strict() {
  const auto rules = list_rules();
  const std::vector<std::uint32_t> codes{2, 0};
  const std::vector<std::int64_t> offsets{0, 2};
  check(find_spans(codes, offsets, {letters, types, rules, true}).starts.empty());
  std::vector<std::uint8_t> lenient = rules;
  for (std::size_t tag = 0; tag < n_letters; ++tag) {
    // Behind an O nothing ends.
    for (const std::size_t same : {0U, 1U}) lenient[tag * n_letters * 2 + same] = sound;
  }
  const auto found = find_spans(codes, offsets, {letters, types, lenient, false});
  check(found.starts == std::vector<std::int64_t>{0} && found.ends[0] == 1);
}

void codes_of_no_tag_are_refused() {
  const auto rules = list_rules();
  const std::vector<std::uint32_t> codes{4};
  const std::vector<std::int64_t> offsets{0, 1};
  check(refuses([&] { find_spans(codes, offsets, {letters, types, rules, true}); }));
}

}  // namespace

void test_tags() {
  spans_end_with_their_example();
  tags_out_of_a_span_belong_to_none_where_it_is_strict();
  codes_of_no_tag_are_refused();
}

}  // namespace tallystick
