/// Runs all tests of the kernels.
#include "check.hpp"

int main() {
  tallystick::test_chrf();
  tallystick::test_concordance();
  tallystick::test_edits();
  tallystick::test_interrupt();
  tallystick::test_keys();
  tallystick::test_ngrams();
  tallystick::test_rouge();
  tallystick::test_rows();
  tallystick::test_tags();
  tallystick::test_ter();
  tallystick::test_tokenize();
}
