// Model files: up to the first zero byte the input is the rest of a `model` entry, after it the file.
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uint8_t* zero = std::find(data, data + size, uint8_t{0});
  const std::string entry = qc::fuzz::Input(data, static_cast<size_t>(zero - data)).text();
  const std::string path = qc::fuzz::working_folder() + "/model.json";
  std::ofstream file(path, std::ios::binary);
  if (zero != data + size) file.write(reinterpret_cast<const char*>(zero + 1), data + size - zero - 1);
  file.close();
  const qc::fuzz::Options options{{"n_threads", "1"}, {"model", "path=" + path + entry}};
  qc::fuzz::run_stream(options, qc::fuzz::plain_format(48, 40, QC_CHROMA_420), 2, {nullptr, 0});
  return 0;
}
