#include "tools/tessera-reduce/judge.h"

#include "compiler/worker/process.h"
#include "tools/tessera-reduce/cutter.h"

namespace tessera::reduce {

std::vector<std::string> runCommand(const Judge& judge, const std::string& folder) {
  std::vector<std::string> words = {judge.tool, "run", folder + "/model.onnx", "--data",
                                    folder + "/" + kDataSet};
  words.insert(words.end(), judge.options.begin(), judge.options.end());
  return words;
}

Result<std::string> Judge::judge(const std::string& folder) const {
  const std::vector<std::string> run = runCommand(*this, folder);
  // What it says of models that the user never saw does not help him.
  std::vector<std::string> command = {"/bin/sh", "-c", "exec \"$@\" >/dev/null 2>&1", "reduce"};
  command.insert(command.end(), run.begin(), run.end());
  TESSERA_TRY(worker::Process process, worker::Process::start(command));
  // It sends nothing; its end closes the channel.
  const auto received = process.channel().receive(std::chrono::steady_clock::now() + timeLimit);
  if (received.state == worker::Channel::State::kLate) return std::string("it hangs");
  const std::string end = process.end();
  const auto isCode = [&](int code) {
    return end == "ended its process (exit code " + std::to_string(code) + ")";
  };
  if (isCode(0)) return std::string();
  if (isCode(static_cast<int>(ErrorCode::kResultsDiffer))) return std::string("results differ");
  if (isCode(static_cast<int>(ErrorCode::kTargetFailed))) return std::string("a target failed");
  if (isCode(static_cast<int>(ErrorCode::kUsage))) {
    TESSERA_TRY(worker::Process loud, worker::Process::start(run));
    (void)loud.channel().receive(std::chrono::steady_clock::now() + timeLimit);
    return usageError("`tessera run` does not take these options");
  }
  if (isCode(static_cast<int>(ErrorCode::kInvalidInput))) return std::string("it is refused");
  return "it " + end;
}

}  // namespace tessera::reduce
