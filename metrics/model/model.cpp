#include "model/model.h"

#include "core/error.h"

namespace qc {

std::vector<ModelSpec> parse_model_option(const std::string&) { fail_unsupported("no models yet"); }
std::unique_ptr<Model> load_model(const ModelSpec&, const std::string&) { fail_unsupported("no models yet"); }
bool model_exists(const std::string&, const std::string&) { return false; }

}  // namespace qc
