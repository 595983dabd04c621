// What a call of a half gets from its caller besides its arguments.
#pragma once

#include <string>

#include "tessera/backend_runtime.h"

namespace tessera::runtime {

/// Both borrowed from the caller.
struct Services {
  const tessera_host_services* table;
  std::string& message;  ///< The last error that was logged through the table.

  /// The message, or `otherwise` when the half gave none.
  std::string messageOr(const std::string& otherwise) const {
    return message.empty() ? otherwise : message;
  }
};

}  // namespace tessera::runtime
