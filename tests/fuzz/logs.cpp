// Logs: lines of the input are the file's name, log_fmt, log_precision and n_subsample.
#include <string>

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = qc::fuzz::Input(data, size).text();
  const auto line = [&text] {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string first = text.substr(0, end);
    text.erase(0, end + 1);
    return first;
  };
  const std::string name = line();
  if (name == "." || name == "..") return 0;
  const qc::fuzz::Options options{{"n_threads", "1"},
                                  {"feature", "psnr=enable_mse=true:enable_apsnr=true"},
                                  {"log_path", qc::fuzz::working_folder() + "/" + name},
                                  {"log_fmt", line()},
                                  {"log_precision", line()},
                                  {"n_subsample", line()}};
  qc::fuzz::run_stream(options, qc::fuzz::plain_format(16, 16, QC_CHROMA_420), 3, {nullptr, 0});
  return 0;
}
