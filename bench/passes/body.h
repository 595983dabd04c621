// Modules of a few operators, written for bench_passes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

/// Channels in a block: the lanes of the CPU that `native` compiles for.
int64_t lanesOfBlocks();

using Shape = std::vector<int64_t>;

/// kBlocks: channels in blocks of a vector, as convolutions read and write them.
enum class Layout : uint8_t { kPlain, kBlocks };

struct Type {
  Type(Shape dims, std::string elementType = "f32", Layout order = Layout::kPlain)
      : shape(std::move(dims)), element(std::move(elementType)), layout(order) {}

  std::string text() const;
  int64_t elements() const;
  int64_t bytes() const;

  Shape shape;
  std::string element;
  Layout layout;
};

/// The body of a module from %x, f32, to %y. Operators take the last value.
class Body {
 public:
  explicit Body(Shape input, Layout layout = Layout::kPlain);

  /// A tensor of one number.
  Body& constant(const std::string& name, const Shape& shape, const std::string& value,
                 Layout layout = Layout::kPlain);
  /// Whole numbers: one, or "[0, 1]".
  Body& whole(const std::string& name, const std::string& values, const Shape& shape);
  /// The last value in another layout.
  Body& relayout(Layout layout);
  /// An operator of the last value and constants, or %x again. The result has the type of the last
  /// value where none is said, and its layout at any rate.
  Body& op(const std::string& name, const std::vector<std::string>& others = {},
           const std::string& attributes = "", const std::optional<Type>& result = std::nullopt);
  /// The last operator, which has two results.
  Body& pair(const std::string& name, const std::vector<std::string>& others,
             const std::string& attributes, const Type& first, const Type& second);

  std::string module() const;
  const Type& input() const { return types_.at("%x"); }
  const Type& result(size_t number) const { return types_.at(results_[number]); }
  /// Read and written: input, constants and results.
  int64_t bytes() const;
  /// Vectors of 64 bytes of the input or of the results, whichever are more.
  int64_t lines() const;

 private:
  std::string operands(const std::vector<std::string>& others) const;
  std::string signature(const std::vector<std::string>& others) const;
  int64_t resultBytes() const;

  std::map<std::string, Type> types_;
  std::vector<std::string> results_ = {"%x"};
  std::string text_;
  int64_t constantBytes_ = 0;
  int count_ = 0;
};

}  // namespace tessera::bench
