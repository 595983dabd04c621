#include "runtime/backend/device.h"

#include "runtime/backend/code_loader.h"
#include "runtime/backend/load_services.h"

namespace tessera::runtime {

Outcome Device::create(const Half& half, const std::string& target,
                       const artifact::TargetName& name, std::unique_ptr<Device>& device) {
  std::unique_ptr<Device> created(new Device(half, target));
  created->kind_ = name.kind;
  if (half.table.device_create != nullptr) {
    const tessera_target raw = {.size = sizeof(raw),
                                .device_number = name.device,
                                .kind = created->kind_.c_str(),
                                .text = target.c_str(),
                                .code_loader = &codeLoader()};
    LoadServices services;
    if (half.table.device_create(services.services(), &raw, &created->handle_) != 0) {
      created->handle_ = nullptr;
      return failure(TESSERA_ERROR_BACKEND_LOAD,
                     services.messageOr("target '" + target + "' has no device here"));
    }
  }
  device = std::move(created);
  return {};
}

Device::~Device() {
  if (handle_ != nullptr) half_.table.device_destroy(handle_);
}

}  // namespace tessera::runtime
