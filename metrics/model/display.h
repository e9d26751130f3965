// The display that a model's scores are meant for.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace qc {

// A sentence for the user if pictures of width x height don't fill the 16:9 display that the model called `model` has
// among its features' options (adm_ref_display_height), else "". Models without that option fit any size.
std::string display_warning(const std::string& model, const std::vector<ModelInput>& inputs, int width, int height);

}  // namespace qc
