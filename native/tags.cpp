#include "tags.hpp"

#include "checks.hpp"

namespace tallystick {
namespace {

/// What stands before a token: the transition to it is its own share and this one's.
struct Tag {
  std::uint8_t own_step;
  std::uint8_t step_after;
  std::int32_t type;
};

std::vector<Tag> list_tags(const TagScheme& scheme) {
  std::vector<Tag> tags;
  tags.reserve(scheme.letters.size());
  for (std::size_t tag = 0; tag < scheme.letters.size(); ++tag) {
    const std::size_t letter = scheme.letters[tag];
    tags.push_back({static_cast<std::uint8_t>(letter * n_letters * 2),
                    static_cast<std::uint8_t>(letter * 2), scheme.types[tag]});
  }
  return tags;
}

std::uint8_t step_between(Tag before, Tag tag) {
  const int same = before.type == tag.type;
  return static_cast<std::uint8_t>(tag.own_step + before.step_after + same);
}

}  // namespace

TaggedSpans find_spans(std::span<const std::uint32_t> codes, std::span<const std::int64_t> offsets,
                       const TagScheme& scheme) {
  const std::vector<Tag> tags = list_tags(scheme);
  TaggedSpans found;
  found.steps.resize(codes.size());
  found.offsets.reserve(offsets.size());
  found.offsets.push_back(0);
  for (std::size_t example = 0; example + 1 < offsets.size(); ++example) {
    const std::int64_t head = offsets[example];
    const std::int64_t stop = offsets[example + 1];
    std::int64_t start = head;
    Tag before = tags.back();
    std::uint8_t last = 0;
    bool open = !scheme.strict;
    const auto go_on = [&](std::int64_t token, Tag tag) {
      const std::uint8_t step = step_between(before, tag);
      const std::uint8_t rule = scheme.rules[step];
      if (open && (rule & ends) != 0) {
        if ((last & sound) != 0 && (rule & broken) == 0) {
          found.starts.push_back(start - head);
          found.ends.push_back(token - head);
          found.types.push_back(before.type);
        }
        open = !scheme.strict;
      }
      if ((rule & begins) != 0 && !(scheme.strict && open)) {
        start = token;
        open = true;
      }
      before = tag;
      last = rule;
      return step;
    };
    for (std::int64_t token = head; token < stop; ++token) {
      const auto place = static_cast<std::size_t>(token);
      check_code("codes", place, codes[place], tags.size());
      const std::uint8_t step = go_on(token, tags[codes[place]]);
      found.steps[place] = step;
      found.seen[step] = 1;
    }
    go_on(stop, tags.back());
    found.offsets.push_back(static_cast<std::int64_t>(found.starts.size()));
  }
  return found;
}

}  // namespace tallystick
