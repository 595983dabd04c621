// The shared libraries that a shared object is linked with, found without loading them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::driver {

/// Where the dynamic loader would find a library: a path is what it is, a name is looked
/// for in `first` and then in the loader's folders (LD_LIBRARY_PATH, the system's). Empty: nowhere.
std::filesystem::path findSharedLibrary(const std::string& name,
                                        const std::vector<std::filesystem::path>& first = {});

/// What an ELF file for this machine names as needed (DT_NEEDED), as far as it is found in its
/// run path or the loader's folders, in order; not what those need in turn. Empty for other files.
std::vector<std::filesystem::path> linkedFiles(const std::filesystem::path& file);

}  // namespace tessera::driver
