// Frames of any small format through each feature with default options. The input is the format and the samples.
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  qc::fuzz::Input input(data, size);
  int count = 0;
  QCFeatureInfo feature;
  while (qc_feature_info(count, &feature) == QC_OK) ++count;
  qc_feature_info(input.byte() % count, &feature);
  constexpr QCChroma kChroma[] = {QC_CHROMA_400, QC_CHROMA_420, QC_CHROMA_422, QC_CHROMA_444};
  QCFormat format = qc::fuzz::plain_format(input.number(1, 200), input.number(1, 200), kChroma[input.byte() % 4]);
  constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
  format.depth = kDepths[input.number(0, 5)];
  format.sample_bytes = format.depth == 8 ? 1 : 2;
  format.shift = input.number(0, 8 * format.sample_bytes - format.depth);
  format.interleaved_chroma = format.chroma != QC_CHROMA_400 && input.byte() % 2;
  format.matrix = input.number(0, 10);
  format.full_range = input.number(-1, 1);
  const int frames = input.number(1, 4);
  const qc::fuzz::Options options{{"n_threads", "1"}, {"feature", feature.name}};
  qc::fuzz::run_stream(options, format, frames, input);
  return 0;
}
