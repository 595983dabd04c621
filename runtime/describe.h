// tessera_executable_info and everything it points to.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "artifact/reader.h"
#include "runtime/executable.h"

namespace tessera::runtime {

/// Borrows names and shapes from the executable's bundle.
class Description {
 public:
  Description(const Executable& executable, const artifact::Artifact& artifact);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  const tessera_executable_info& info() const { return info_; }

 private:
  /// Elements behind stable addresses, and those addresses as the C ABI wants them.
  template <typename T>
  struct Table {
    std::vector<T> entries;
    std::vector<const T*> pointers;

    const T* const* finish() {
      pointers.clear();
      for (const T& entry : entries) pointers.push_back(&entry);
      return pointers.data();
    }
  };
  using Names = std::vector<const char*>;

  void addPorts(const artifact::Bundle& bundle, const std::vector<artifact::Port>& ports,
                Table<tessera_tensor_info>& table);
  void addRegions(const Executable& executable);
  void addFields(const artifact::Region& region, tessera_region_info& info);
  const char* const* keep(Names names);
  const char* keep(std::string text);

  Table<tessera_tensor_info> inputs_;
  Table<tessera_tensor_info> outputs_;
  Table<tessera_region_info> regions_;
  Table<tessera_metadata_entry> metadata_;
  Table<tessera_memory_space_info> spaces_;
  std::deque<Table<tessera_metadata_entry>> fields_;  ///< By region.
  std::vector<Names> names_;
  std::deque<std::string> texts_;
  tessera_executable_info info_ = {};
};

}  // namespace tessera::runtime
