// The functions that cases are made from: the files of cases/, which are part of the library.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/tsr.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera::conformance {

/// One function of a file. Its arguments may say what their values are (case.h).
struct Seed {
  std::string name;  ///< "conv_groups"
  mlir::func::FuncOp function;
};

/// A module of functions as text, and its name: "windows".
struct SeedFile {
  std::string name;
  std::string text;
};

/// All files, by name. LANES in a text stands for the lanes of a vector; both 8 and 16 are there.
std::vector<SeedFile> seedFiles();

/// Every function with row-major arguments and results, in order; layouts are a backend's choice.
struct Corpus {
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<Seed> seeds;
};
Corpus readCorpus(mlir::MLIRContext& context);

}  // namespace tessera::conformance
