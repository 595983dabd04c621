// The blob of library-style backends: regions as operators on tensors (graph.fbs), written by the
// compile half, read by the runtime half.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "region_graph/graph_generated.h"
#include "tessera/status.h"

namespace tessera::region_graph {

/// In place of a tensor: an optional operand or result that is absent.
inline constexpr int32_t kAbsent = -1;

/// What operators.def says of an operator.
struct OperatorInfo {
  std::string_view name;
  Attributes attributes = Attributes_NONE;  ///< Which it always has.
  size_t leastInputs = 0, mostInputs = 0;
};
/// Null for a name that no region graph has.
const OperatorInfo* operatorInfo(std::string_view name);

/// Size in memory of a tensor of known dims, padding of blocks included; -1 with an open dim.
int64_t sizeBytes(const TensorT& tensor);
/// Elements of a tensor of known dims; -1 with an open dim.
int64_t numElements(const TensorT& tensor);
bool isRowMajor(const TensorT& tensor);

/// Equal programs give equal bytes.
std::vector<std::byte> writeProgram(const ProgramT& program);

/// Reads bytes that nobody vouches for. Of what it returns holds: indices are in range; operators
/// are in an order in which they can run, with names, operands and attributes of operators.def;
/// each tensor is a constant, an argument or the result of one operator; lists of attributes fit
/// the ranks, axes exist, groups are as graph.fbs says; sizes are below 2^62 bytes, constants are
/// complete. It does not hold that shapes fit the operators.
/// `bytes` are aligned to 16. Errors (kInvalidInput): bytes that no writer makes.
Result<std::unique_ptr<ProgramT>> readProgram(std::span<const std::byte> bytes);

}  // namespace tessera::region_graph
