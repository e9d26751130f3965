#include "adm/reciprocal_table.h"

#include <cstring>
#include <fstream>

#include "core/error.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define QC_HAVE_RCPSS 1
#else
#define QC_HAVE_RCPSS 0
#endif

namespace qc {
namespace {

#if QC_HAVE_RCPSS
uint32_t processor_estimate(uint32_t bits) {
  const float estimate = _mm_cvtss_f32(_mm_rcp_ss(_mm_set_ss(__builtin_bit_cast(float, bits))));
  return __builtin_bit_cast(uint32_t, estimate);
}

bool follows(uint32_t bits, const ReciprocalTable& table) {
  const float expected = reciprocal_estimate(__builtin_bit_cast(float, bits), table.data());
  return processor_estimate(bits) == __builtin_bit_cast(uint32_t, expected);
}

// Reads the table from the processor and compares the processor with it: each significand at one exponent, and a few
// thousand of them at each exponent and sign. False if it cannot be described by a table.
bool probe(ReciprocalTable& table) {
  for (uint32_t i = 0; i < kReciprocalEntries; ++i) {
    const uint32_t estimate = processor_estimate(0x3f800000 | (i << 11));
    if ((estimate & 0xff8007ff) != 0x3f000000) return false;
    table[i] = (estimate >> 11) & 0xfff;
  }
  for (uint32_t m = 0; m < 1U << 23; ++m)
    if (!follows(0x3f800000 | m, table)) return false;
  constexpr uint32_t kStep = 0xff7;  // coprime to the size of what the table's index leaves out
  for (uint32_t exponent = 0; exponent < 512; ++exponent)
    for (uint32_t m = 0; m < 1U << 23; m += kStep)
      if (!follows((exponent << 23) | m, table)) return false;
  return true;
}
#endif

}  // namespace

ReciprocalTable read_reciprocal_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail_io("cannot read the table of reciprocals '" + path + "'");
  ReciprocalTable table;
  size_t count = 0;
  for (std::string word; file >> word;) {
    if (word[0] == '#') {
      std::getline(file, word);
      continue;
    }
    if (count < table.size() && word.size() <= 4 && word.find_first_not_of("0123456789") == std::string::npos) {
      const int entry = std::stoi(word);
      if (entry < 4096) {
        table[count++] = static_cast<uint32_t>(entry);
        continue;
      }
    }
    count = 0;
    break;
  }
  if (count != table.size())
    fail_invalid("'" + path + "' is not a table of reciprocals: it needs 4096 whole numbers from 0 to 4095");
  return table;
}

const ReciprocalTable& host_reciprocal_table() {
#if QC_HAVE_RCPSS
  static const struct Probe {
    Probe() { valid = probe(table); }
    ReciprocalTable table;
    bool valid;
  } probed;
  if (!probed.valid)
    fail_unsupported(
        "division=host: the reciprocal estimates of this processor don't depend on 12 bits alone; use division=ieee");
  return probed.table;
#else
  fail_unsupported("division=host needs an x86 processor; use division=ieee, or division=table with a stored table");
#endif
}

}  // namespace qc
