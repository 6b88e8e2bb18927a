/// Counts the edits and shifts that the translation edit rate needs (Snover et al., 2006).
#pragma once

#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace tallystick {

/// How texts are prepared before they are split at white space; as in sacreBLEU, support of Asian
/// characters has no effect on its own.
struct TerOptions {
  bool normalized;
  bool no_punct;
  bool asian_support;
  unsigned threads;
  Interrupt* interrupt = nullptr;
};

/// For each example, the fewest edits to any of its references and their mean length in words.
struct TerCounts {
  std::vector<std::int64_t> edits;
  std::vector<double> lengths;
};

/// Counts with the beam and the limits of sacreBLEU 2.6, also where they miss the fewest edits.
TerCounts count_ter(const Referred<Texts>& texts, const TerOptions& options);

}  // namespace tallystick
