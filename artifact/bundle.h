// What an artifact holds, as plain structs: codegen fills a Bundle, the writer stores it, the
// reader gives it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/backend_runtime.h"
#include "tessera/element_type.h"
#include "tessera/status.h"

namespace tessera::artifact {

/// A dimension, or a size in bytes, that is known only at run time.
constexpr int64_t kDynamic = -1;

/// Takes the next bytes of a blob.
using ChunkSink = std::function<Status(std::span<const std::byte>)>;

/// Bytes on their way into an artifact: borrowed, owned, or produced piece by piece when they are
/// written, so that large constants are never all in memory. The reader returns borrowed blobs that
/// point into the mapped file, and external ones for what the file refers to only.
class Blob {
 public:
  Blob() = default;

  /// The bytes must outlive the blob.
  static Blob borrowed(std::span<const std::byte> bytes) {
    Blob blob;
    blob.borrowed_ = bytes;
    blob.sizeBytes_ = bytes.size();
    return blob;
  }
  static Blob owned(std::vector<std::byte> bytes) {
    Blob blob;
    blob.owned_ = std::move(bytes);
    blob.sizeBytes_ = blob.owned_.size();
    return blob;
  }
  /// `produce` is called once per write and hands exactly sizeBytes to the sink, in pieces of its
  /// choice.
  static Blob streamed(uint64_t sizeBytes, std::function<Status(const ChunkSink&)> produce) {
    Blob blob;
    blob.produce_ = std::move(produce);
    blob.sizeBytes_ = sizeBytes;
    return blob;
  }
  /// Bytes that are somewhere else; bytes() is empty.
  static Blob external(uint64_t sizeBytes) {
    Blob blob;
    blob.isExternal_ = true;
    blob.sizeBytes_ = sizeBytes;
    return blob;
  }

  uint64_t sizeBytes() const { return sizeBytes_; }
  bool isBorrowed() const { return owned_.empty() && !produce_ && !isExternal_; }
  bool isExternal() const { return isExternal_; }
  bool isStreamed() const { return static_cast<bool>(produce_); }
  /// The bytes of a borrowed or owned blob; empty for a streamed one.
  std::span<const std::byte> bytes() const {
    return owned_.empty() ? borrowed_ : std::span<const std::byte>(owned_);
  }
  /// Hands all bytes to the sink.
  Status forEachChunk(const ChunkSink& sink) const {
    return produce_ ? produce_(sink) : sink(bytes());
  }

 private:
  uint64_t sizeBytes_ = 0;
  std::span<const std::byte> borrowed_;
  std::vector<std::byte> owned_;
  std::function<Status(const ChunkSink&)> produce_;
  bool isExternal_ = false;
};

/// A place where buffers live, by name, and the static memory plan of its arena. Buffers sized at
/// run time are not in the plan.
struct MemorySpace {
  std::string name = {};  ///< "opencl:1"; the host's is kHostSpace.
  uint64_t arenaBytes = 0;
  uint64_t lowerBoundBytes =
      0;  ///< Most bytes live at once: no plan for these buffers can be smaller.
  /// Who may have it beside the targets of implementations, text like theirs: what is only copied
  /// or only a port is in no region.
  std::vector<std::string> targets = {};
};

/// Name of the host's memory, always Bundle::memorySpaces[0].
constexpr const char* kHostSpace = TESSERA_HOST_SPACE;

/// Where the memory of a buffer comes from.
enum class Storage : uint8_t {
  kInput = 0,     ///< The caller's tensor.
  kOutput = 1,    ///< Owned by the context, or placed by the caller; may have a run-time size.
  kConstant = 2,  ///< Bundle::constants[Buffer::index].
  kArena = 3,     ///< The arena of its space at Buffer::offset (a multiple of 64).
  kDynamic = 4,   ///< Allocated when its producer runs.
  kView = 5,      ///< Inside buffer Buffer::index at byte Buffer::offset. No cycles.
};

/// One value of the host program.
struct Buffer {
  ElementType elementType = ElementType::kF32;
  /// Logical shape; kDynamic where known only at run time. With a layout and such a dimension, the
  /// shape in memory.
  std::vector<int64_t> dims = {};
  std::string layout = {};       ///< Text of the layout attribute; empty: plain row-major.
  int64_t sizeBytes = kDynamic;  ///< Physical size; kDynamic only when a dimension is.
  uint32_t memorySpace = 0;      ///< Index into Bundle::memorySpaces; 0: host.
  Storage storage = Storage::kArena;
  uint32_t index = 0;   ///< Constant or viewed buffer, by storage.
  uint64_t offset = 0;  ///< In the arena or in the viewed buffer, by storage.
};

/// An input or output of the program. Type and shape are those of its buffer. Every kInput buffer
/// belongs to exactly one input; an output may name any buffer that is valid at the end of the
/// program.
struct Port {
  std::string name = {};
  std::vector<std::string> dimNames =
      {};  ///< One per dimension, empty text for none; or no entries at all.
  uint32_t buffer = 0;
};

/// A constant. Constants with equal non-empty hashes are stored once. One whose data is external
/// needs a hash, by which whoever loads the artifact provides it.
struct Constant {
  std::string contentHash = {};  ///< 128 bits of XXH3 in hex; empty: never shared.
  Blob data = {};
};

/// `minimum <= dimension <= maximum` for one dimension of one input of the call.
struct DimGuard {
  uint32_t input = 0;
  uint32_t dim = 0;
  int64_t minimum = 0;
  int64_t maximum = 0;
};

/// What an artifact asks of the runtime half of one backend.
struct BackendNeed {
  std::string kind = {};          ///< Target kind: "native".
  std::string leastVersion = {};  ///< Oldest half that reads the code: "0.1.0"; empty: any.
  uint32_t leastAbi = 0;          ///< Least TESSERA_BACKEND_RUNTIME_ABI_VERSION.
};

/// One way to run a region. It applies when its backend is present, the CPU has all features and
/// all guards hold.
struct Implementation {
  std::string target = {};                    ///< Whole text: "opencl:1 -name=value".
  std::string symbol = {};                    ///< Entry in the code blob.
  uint32_t codeBlob = 0;                      ///< Index into Bundle::codeBlobs.
  std::vector<std::string> cpuFeatures = {};  ///< LLVM's names: "avx2", "avx512f".
  std::vector<DimGuard> dimGuards = {};
  uint64_t workspaceBytes = 0;  ///< Host memory that it asks for while it runs, known before.
};

/// A function that a backend owns. The first implementation that applies runs; where it fails, the
/// next one that applies.
struct Region {
  std::string name = {};
  std::vector<Implementation> implementations = {};
  std::vector<std::string> nodeNames = {};  ///< ONNX nodes it came from.
  std::string opKinds = {};                 ///< For people: "conv+relu".
  uint64_t flops = 0;                       ///< Of the operators whose sizes are known.
  uint64_t bytes = 0;                       ///< Bytes read and written at least.
  std::string remark = {};  ///< For people, by the target that made it: why it is slow. Or empty.
  uint32_t numOpenOperators = 0;  ///< What they compute is known at run time only.
};

/// In place of the number of an event, of a buffer: none.
constexpr uint32_t kNoEvent = UINT32_MAX;
constexpr uint32_t kNoBuffer = UINT32_MAX;

/// Runs Bundle::regions[region] on buffers. With an event to signal, its sizes are known, and it
/// may still run while the next instructions do; what touches its buffers waits for the event, or
/// for one that comes after it.
struct CallInstruction {
  uint32_t region = 0;
  std::vector<uint32_t> inputs = {};
  std::vector<uint32_t> outputs = {};
  std::vector<uint32_t> waits = {};  ///< Events, below Bundle::numEvents, signalled before it.
  uint32_t signal = kNoEvent;        ///< Event of its end.
  /// Scratch memory for as long as the call runs: a buffer in the host's arena that it neither
  /// reads nor writes otherwise; kNoBuffer: what it asks for is the context's.
  uint32_t workspace = kNoBuffer;
};

/// Copies bytes between buffers, of one memory space or of two; the destination's run-time shape,
/// if it has one, becomes the source's. Events as for a call.
struct CopyInstruction {
  uint32_t source = 0;
  uint32_t destination = 0;
  uint64_t sourceOffset = 0;
  uint64_t destinationOffset = 0;
  int64_t sizeBytes = kDynamic;  ///< kDynamic: the whole source.
  std::vector<uint32_t> waits = {};
  uint32_t signal = kNoEvent;
};

/// Gives a kView buffer its run-time shape. A kView buffer whose dimensions are all static needs no
/// instruction.
struct ViewInstruction {
  uint32_t view = 0;
  /// One entry per dimension of the view: a size, kDynamic for the one dimension that follows from
  /// the number of elements, or viewDimOf(d) for dimension d of the viewed buffer. Empty when
  /// shapeBuffer says it.
  std::vector<int64_t> dims = {};
  /// A 1-D i64 host buffer with one size per dimension, -1 and 0 as in ONNX Reshape; kNoBuffer: use
  /// dims.
  uint32_t shapeBuffer = kNoBuffer;
};

/// Encodes "dimension d of the viewed buffer" for ViewInstruction::dims.
constexpr int64_t viewDimOf(uint32_t dim) { return -2 - static_cast<int64_t>(dim); }

using Instruction = std::variant<CallInstruction, CopyInstruction, ViewInstruction>;

/// Whatever else the producer wants to say.
struct Metadata {
  std::string key = {};
  std::string value = {};
};

/// Everything in an artifact.
struct Bundle {
  std::string producer = {};  ///< "tessera 0.1.0"
  std::string modelName = {};
  std::string target = {};      ///< Text of the targets it was compiled for.
  uint32_t defaultThreads = 0;  ///< 0: all cores of the machine that runs it.
  uint32_t numEvents = 0;       ///< Each is signalled by one instruction.
  std::vector<MemorySpace> memorySpaces = {{.name = kHostSpace}};
  std::vector<BackendNeed> backends = {};  ///< Kinds of the implementations' targets, each once.
  std::vector<Port> inputs = {};
  std::vector<Port> outputs = {};
  std::vector<Buffer> buffers = {};
  std::vector<Constant> constants = {};
  std::vector<Blob> codeBlobs = {};  ///< Each may serve many regions; equal ones are stored once.
  std::vector<Region> regions = {};
  std::vector<Instruction> program = {};
  std::vector<Metadata> metadata = {};
};

}  // namespace tessera::artifact
