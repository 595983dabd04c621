// tessera-reduce: the command line. Everything that throws (CLI11) is in this file.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "tools/tessera-reduce/reduce.h"

namespace tessera::reduce {
namespace {

constexpr int kMaxSeconds = 86400;

struct CommandLine {
  CLI::App app{
      "Shrinks a model that fails or is wrong on some targets to the smallest part that does the "
      "same: an ONNX model with its data",
      "tessera-reduce"};
  ReduceOptions options;
  std::vector<std::string> plugins;
  std::string targets, pins, relative, absolute;
  int seconds = 60;

  CommandLine() {
    app.add_option("model", options.model, "model.onnx")->required()->check(CLI::ExistingFile);
    app.add_option("-o,--output", options.output,
                   "new folder for the smaller model, its inputs and the right outputs")
        ->required();
    app.add_option("--targets", targets, "what fails: targets as `tessera run` takes them");
    app.add_option("--plugin", plugins, "library with a backend")->allow_extra_args(false);
    app.add_option("--pins", pins, "JSON file of rules about who runs what")
        ->check(CLI::ExistingFile);
    app.add_option("--shape", options.shapes, "shape of an input: name=1x3x224x224")
        ->allow_extra_args(false);
    app.add_option("--dim", options.dims, "size of a named dimension: batch=4")
        ->allow_extra_args(false);
    app.add_option("--seed", options.seed, "of the inputs, which are random")
        ->capture_default_str();
    app.add_option("--time-limit", seconds, "seconds after which a part hangs")
        ->check(CLI::Range(1, kMaxSeconds))
        ->capture_default_str();
    app.add_option("--rtol", relative, "relative tolerance of each element");
    app.add_option("--atol", absolute, "absolute tolerance");
  }

  ReduceOptions read() {
    options.timeLimit = std::chrono::seconds(seconds);
    const auto pass = [&](const char* name, const std::string& value) {
      if (!value.empty()) options.run.insert(options.run.end(), {name, value});
    };
    pass("--targets", targets);
    for (const std::string& plugin : plugins) pass("--plugin", plugin);
    pass("--pins", pins);
    pass("--rtol", relative);
    pass("--atol", absolute);
    return options;
  }
};

int mainFunction(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CommandLine line;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return line.app.exit(error) == 0 ? 0 : static_cast<int>(ErrorCode::kUsage);
  }
  const Status status = reduceModel(line.read());
  if (status) return 0;
  std::fprintf(stderr, "error: %s\n", status.error().toString().c_str());
  return static_cast<int>(status.error().code);
}

}  // namespace
}  // namespace tessera::reduce

int main(int argc, char** argv) { return tessera::reduce::mainFunction(argc, argv); }
