#include "compiler/placement/search/highs.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>

namespace tessera::placement::search {

/// Those of the library's C interface that are used. Its integers have 32 bits.
struct HighsFunctions {
  void* (*create)();
  void (*destroy)(void*);
  int32_t (*sizeofInt)(const void*);
  int32_t (*setBool)(void*, const char*, int32_t);
  int32_t (*setInt)(void*, const char*, int32_t);
  int32_t (*setDouble)(void*, const char*, double);
  int32_t (*passMip)(void*, int32_t numColumns, int32_t numRows, int32_t numNonzero, int32_t format,
                     int32_t sense, double offset, const double* costs, const double* lower,
                     const double* upper, const double* rowLower, const double* rowUpper,
                     const int32_t* starts, const int32_t* indices, const double* factors,
                     const int32_t* isInteger);
  int32_t (*addRow)(void*, double lower, double upper, int32_t numNonzero, const int32_t* indices,
                    const double* factors);
  int32_t (*setSparseSolution)(void*, int32_t numEntries, const int32_t* indices,
                               const double* values);
  int32_t (*run)(void*);
  int32_t (*modelStatus)(const void*);
  double (*runTime)(const void*);
  int32_t (*doubleInfo)(const void*, const char*, double*);
  int32_t (*intInfo)(const void*, const char*, int32_t*);
  int32_t (*solution)(const void*, double* columns, double* columnDuals, double* rows,
                      double* rowDuals);
};

// Of the interface's enumerations.
static constexpr int32_t kError = -1;
static constexpr int32_t kRowwise = 2;
static constexpr int32_t kMinimise = 1;
static constexpr int32_t kInfeasible = 8;
static constexpr int32_t kUnboundedOrInfeasible = 9;
static constexpr int32_t kFeasible = 2;

static constexpr const char* kLibrary = "libhighs.so.1";

int32_t Program::addColumn(double cost) {
  costs.push_back(cost);
  return static_cast<int32_t>(costs.size() - 1);
}

static std::vector<std::string> placesOfLibrary() {
  if (const char* given = std::getenv("TESSERA_HIGHS")) return {given};
  std::vector<std::string> places;
  if (Dl_info self; dladdr(kLibrary, &self) != 0 && self.dli_fname != nullptr)
    places.push_back(std::filesystem::path(self.dli_fname).replace_filename(kLibrary).string());
  places.emplace_back(kLibrary);
#ifdef TESSERA_HIGHS_LIBRARY
  places.emplace_back(TESSERA_HIGHS_LIBRARY);
#endif
  return places;
}

static Result<std::unique_ptr<HighsFunctions>> loadFunctions() {
  void* library = nullptr;
  std::string reason;
  for (const std::string& place : placesOfLibrary()) {
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    const char* error = dlerror();
    reason = error != nullptr ? error : place;
  }
  if (library == nullptr) return targetFailed("cannot load HiGHS: " + reason);
  auto functions = std::make_unique<HighsFunctions>();
  bool areAllThere = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    areAllThere &= function != nullptr;
  };
  find("Highs_create", functions->create);
  find("Highs_destroy", functions->destroy);
  find("Highs_getSizeofHighsInt", functions->sizeofInt);
  find("Highs_setBoolOptionValue", functions->setBool);
  find("Highs_setIntOptionValue", functions->setInt);
  find("Highs_setDoubleOptionValue", functions->setDouble);
  find("Highs_passMip", functions->passMip);
  find("Highs_addRow", functions->addRow);
  find("Highs_setSparseSolution", functions->setSparseSolution);
  find("Highs_run", functions->run);
  find("Highs_getModelStatus", functions->modelStatus);
  find("Highs_getRunTime", functions->runTime);
  find("Highs_getDoubleInfoValue", functions->doubleInfo);
  find("Highs_getIntInfoValue", functions->intInfo);
  find("Highs_getSolution", functions->solution);
  if (!areAllThere) return targetFailed("cannot use HiGHS: it lacks functions of its C interface");
  return functions;
}

Highs::Highs(std::unique_ptr<HighsFunctions> functions, const Program& program)
    : functions_(std::move(functions)),
      handle_(functions_->create()),
      numColumns_(program.costs.size()),
      numWhole_(program.numWhole) {}

Highs::~Highs() { functions_->destroy(handle_); }

Result<std::unique_ptr<Highs>> Highs::open(const Program& program) {
  TESSERA_TRY(std::unique_ptr<HighsFunctions> functions, loadFunctions());
  std::unique_ptr<Highs> highs(new Highs(std::move(functions), program));
  const HighsFunctions& call = *highs->functions_;
  void* handle = highs->handle_;
  if (call.sizeofInt(handle) != sizeof(int32_t))
    return targetFailed("cannot use HiGHS: its integers do not have 32 bits");
  call.setBool(handle, "output_flag", 0);
  call.setInt(handle, "threads", 1);

  std::vector<int32_t> starts, indices, isInteger;
  std::vector<double> factors, least, most;
  for (const Program::Row& row : program.rows) {
    starts.push_back(static_cast<int32_t>(indices.size()));
    for (const Program::Term& term : row.terms) {
      indices.push_back(term.column);
      factors.push_back(term.factor);
    }
    least.push_back(row.least);
    most.push_back(row.most);
  }
  for (size_t i = 0; i < program.costs.size(); ++i)
    isInteger.push_back(i < program.numWhole ? 1 : 0);
  const std::vector<double> zeros(program.costs.size(), 0), ones(program.costs.size(), 1);
  const int32_t status = call.passMip(
      handle, static_cast<int32_t>(program.costs.size()), static_cast<int32_t>(program.rows.size()),
      static_cast<int32_t>(indices.size()), kRowwise, kMinimise, /*offset=*/0, program.costs.data(),
      zeros.data(), ones.data(), least.data(), most.data(), starts.data(), indices.data(),
      factors.data(), isInteger.data());
  if (status == kError) return targetFailed("HiGHS does not take the program");
  return highs;
}

void Highs::addRow(const Program::Row& row) {
  std::vector<int32_t> indices;
  std::vector<double> factors;
  for (const Program::Term& term : row.terms) {
    indices.push_back(term.column);
    factors.push_back(term.factor);
  }
  functions_->addRow(handle_, row.least, row.most, static_cast<int32_t>(indices.size()),
                     indices.data(), factors.data());
}

void Highs::startFrom(std::span<const int32_t> ones) {
  std::vector<int32_t> indices(numWhole_);
  std::iota(indices.begin(), indices.end(), 0);
  std::vector<double> values(numWhole_, 0);
  for (const int32_t column : ones) values[column] = 1;
  functions_->setSparseSolution(handle_, static_cast<int32_t>(indices.size()), indices.data(),
                                values.data());
}

Result<ProgramResult> Highs::run(double seconds, double gap) {
  // The library's clock goes on from run to run.
  functions_->setDouble(handle_, "time_limit", functions_->runTime(handle_) + seconds);
  functions_->setDouble(handle_, "mip_rel_gap", gap);
  if (functions_->run(handle_) == kError) return targetFailed("HiGHS fails to solve the program");
  const int32_t status = functions_->modelStatus(handle_);
  if (status == kInfeasible || status == kUnboundedOrInfeasible)
    return ProgramResult{.isInfeasible = true};
  ProgramResult result;
  functions_->doubleInfo(handle_, "mip_dual_bound", &result.bound);
  int32_t found = 0;
  functions_->intInfo(handle_, "primal_solution_status", &found);
  if (found == kFeasible) {
    result.values.resize(numColumns_);
    functions_->solution(handle_, result.values.data(), nullptr, nullptr, nullptr);
  }
  return result;
}

}  // namespace tessera::placement::search
