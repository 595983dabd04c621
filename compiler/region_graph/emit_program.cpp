#include "compiler/region_graph/emit_program.h"

namespace tessera::region_graph {

backend_api::Emission emitProgram(llvm::ArrayRef<mlir::func::FuncOp> regions,
                                  const backend_api::EmitContext& context, std::string leastVersion,
                                  DescribeRegion describe) {
  backend_api::Emission emission{
      .blobs = {{}}, .regions = {}, .leastVersion = std::move(leastVersion)};
  ProgramT program;
  for (mlir::func::FuncOp region : regions) {
    auto graph = describe(region);
    if (graph) {
      program.graphs.push_back(std::move(*graph));
      emission.regions.emplace_back(backend_api::RegionCode{.entry = region.getName().str()});
    } else {
      emission.regions.emplace_back(backend_api::declined(graph.error()));
    }
    if (context.progress) context.progress(emission.regions.size(), regions.size());
  }
  emission.blobs.front().bytes = writeProgram(program);
  return emission;
}

}  // namespace tessera::region_graph
