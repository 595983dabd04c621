// Writes the seeds of the region graph's fuzzer into the folder given.
#include <cstdio>
#include <filesystem>
#include <string>

#include "region_graph/test/sample_programs.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::filesystem::create_directories(argv[1]);
  const auto bytes =
      tessera::region_graph::writeProgram(tessera::region_graph::test::sampleProgram());
  FILE* file = std::fopen((std::string(argv[1]) + "/sample").c_str(), "wb");
  if (file == nullptr) return 1;
  const bool isWritten = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && isWritten ? 0 : 1;
}
