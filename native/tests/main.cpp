/// Runs all tests of the kernels.
#include "check.hpp"

int main() {
  tallystick::test_confusion();
  tallystick::test_curve();
  tallystick::test_rows();
}
