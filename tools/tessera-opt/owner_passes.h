// Passes that need to know the targets, for tessera-opt.
#pragma once

namespace tessera::tools {

/// Registers the passes of the phases partition and link by name, and for each phase at which a
/// backend adds passes a pipeline of those, `tessera-owners-<phase>`. They work for the targets of
/// the option `--targets`; a text that names none ends the program with exit code 2.
void registerOwnerPasses();

}  // namespace tessera::tools
