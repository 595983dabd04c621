// Writes the seeds of the fuzzer of measurements into the folder given.
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/costs/test/record_for_test.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::filesystem::create_directories(argv[1]);
  tessera::costs::Record record = tessera::costs::recordOf("add", {1e-3, 1.0 / 3});
  record.outcome = tessera::costs::Outcome::kFailed;
  record.reason = "a \"quote\" and \xC3\xA9";
  std::ofstream out(std::string(argv[1]) + "/sample");
  out << tessera::costs::toJson(record);
  out.close();
  return out ? 0 : 1;
}
