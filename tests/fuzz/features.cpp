// The feature list: the input is the option's value.
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const qc::fuzz::Options options{{"n_threads", "1"}, {"feature", qc::fuzz::Input(data, size).text()}};
  qc::fuzz::run_stream(options, qc::fuzz::plain_format(48, 40, QC_CHROMA_420), 2, {nullptr, 0});
  return 0;
}
