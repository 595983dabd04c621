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
  const worker::Ending ending = process.end();
  if (ending.exitCode == 0) return std::string();
  const auto isCode = [&](ErrorCode code) { return ending.exitCode == static_cast<int>(code); };
  if (isCode(ErrorCode::kResultsDiffer)) return std::string("results differ");
  if (isCode(ErrorCode::kTargetFailed)) return std::string("a target failed");
  if (isCode(ErrorCode::kUsage)) {
    TESSERA_TRY(worker::Process loud, worker::Process::start(run));
    (void)loud.channel().receive(std::chrono::steady_clock::now() + timeLimit);
    return usageError("`tessera run` does not take these options");
  }
  if (isCode(ErrorCode::kInvalidInput)) return std::string("it is refused");
  return "it " + describe(ending);
}

}  // namespace tessera::reduce
