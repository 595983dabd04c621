#include "compiler/transforms/forms.h"

#include <algorithm>
#include <array>
#include <set>

#include "compiler/transforms/passes.h"

namespace tessera::transforms {

using mlir::OpPassManager;

static constexpr std::array<Form, 5> kForms = {{
    {.name = "folded_batch_norm",
     .summary = "batch normalisation with constant parameters is a product and a sum, or gone",
     .addPass = nullptr},
    {.name = "no_dropout",
     .summary = "no dropout, identity or cast to the same type",
     .addPass = nullptr},
    {.name = "folded_constants",
     .summary = "what depends on constants alone is a constant",
     .addPass = nullptr},
    {.name = "no_composites",
     .summary = "no recognised composites: their operators instead",
     .addPass = [](OpPassManager& manager) { manager.addPass(createDissolveCompositesPass()); }},
    {.name = "plain_products",
     .summary = "no gemm: transpose, matmul, mul and add instead",
     .addPass = [](OpPassManager& manager) { manager.addPass(createExpandGemmPass()); }},
}};

std::span<const Form> forms() { return kForms; }

const Form* findForm(std::string_view name) {
  const auto* const found = std::ranges::find(kForms, name, &Form::name);
  return found == kForms.end() ? nullptr : found;
}

void addForms(const std::vector<std::string>& names, OpPassManager& manager) {
  const std::set<std::string, std::less<>> wanted(names.begin(), names.end());
  for (const Form& form : kForms) {
    if (form.addPass != nullptr && wanted.contains(form.name)) form.addPass(manager);
  }
}

}  // namespace tessera::transforms
