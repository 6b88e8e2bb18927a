#include "confusion.hpp"

#include "checks.hpp"

namespace tallystick {

template <typename Code, typename Count>
std::vector<Count> count_confusion(const CodedExamples<Code>& examples,
                                   std::span<const Count> weights, ConfusionShape shape) {
  const auto [gold, predicted, groups] = examples;
  std::vector<Count> counts(
      multiply_sizes(shape.groups, multiply_sizes(shape.labels, shape.labels)));
  for (std::size_t i = 0; i < gold.size(); ++i) {
    const std::size_t group = groups.empty() ? 0 : groups[i];
    check_code("groups", i, group, shape.groups);
    check_code("gold", i, gold[i], shape.labels);
    check_code("predicted", i, predicted[i], shape.labels);
    const std::size_t cell = (group * shape.labels + gold[i]) * shape.labels + predicted[i];
    counts[cell] += weights.empty() ? Count{1} : weights[i];
  }
  return counts;
}

template std::vector<std::int64_t> count_confusion(const CodedExamples<std::uint8_t>&,
                                                   std::span<const std::int64_t>, ConfusionShape);
template std::vector<double> count_confusion(const CodedExamples<std::uint8_t>&,
                                             std::span<const double>, ConfusionShape);
template std::vector<std::int64_t> count_confusion(const CodedExamples<std::uint16_t>&,
                                                   std::span<const std::int64_t>, ConfusionShape);
template std::vector<double> count_confusion(const CodedExamples<std::uint16_t>&,
                                             std::span<const double>, ConfusionShape);
template std::vector<std::int64_t> count_confusion(const CodedExamples<std::uint32_t>&,
                                                   std::span<const std::int64_t>, ConfusionShape);
template std::vector<double> count_confusion(const CodedExamples<std::uint32_t>&,
                                             std::span<const double>, ConfusionShape);

}  // namespace tallystick
