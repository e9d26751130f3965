// Context options: every line of the input is KEY=VALUE.
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  qc::fuzz::Options options{{"n_threads", "1"}};
  const std::string text = qc::fuzz::Input(data, size).text();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = line.find('=');
    const std::string key = line.substr(0, equals);
    // Threads by the thousand are allowed, but slow; logs are another fuzzer's.
    if (key == "n_threads" || key == "log_path") continue;
    options.emplace_back(key, equals == std::string::npos ? "" : line.substr(equals + 1));
  }
  qc::fuzz::run_stream(options, qc::fuzz::plain_format(40, 36, QC_CHROMA_420), 2, {nullptr, 0});
  return 0;
}
