#include "compiler/isolation/remote.h"

#include "compiler/isolation/module_message.h"

namespace tessera::isolation {

Status Remote::start() {
  if (!worker_) {
    TESSERA_TRY(std::string program, worker::workerProgram());
    worker_.emplace(worker::WorkerOptions{.command = {std::move(program), "worker"},
                                          .timeLimit = worker::timeLimitOfEnvironment(),
                                          .memoryLimit = worker::memoryLimitOfEnvironment()});
  }
  TESSERA_TRY(const uint64_t process, worker_->start());
  if (process != process_) sent_.clear();
  process_ = process;
  return {};
}

Result<worker::Message> Remote::ask(nlohmann::json question, mlir::ModuleOp module,
                                    const backend_api::Progress& progress) {
  const std::scoped_lock lock(mutex_);
  TESSERA_TRY_VOID(start());
  TESSERA_TRY(const std::unique_ptr<PackedModule> packed, PackedModule::make(module, sent_));
  question["module"] = packed->header;
  sent_.insert(packed->hashes.begin(), packed->hashes.end());
  const auto note = [&](const worker::Message& message) {
    if (progress)
      progress(worker::numberOf(message.header, "done"), worker::numberOf(message.header, "total"));
  };
  return worker_->ask(question, packed->payloads, note);
}

}  // namespace tessera::isolation
