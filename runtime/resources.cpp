#include "runtime/resources.h"

#include <algorithm>

#include "artifact/target_name.h"
#include "runtime/backend/load_services.h"

namespace tessera::runtime {

Resources::~Resources() {
  for (const auto& [key, instance] : instances_) key.first->table().destroy(instance);
}

Resources::Opened Resources::open(const std::string& target) {
  const artifact::TargetName name = *artifact::targetNameOf(target);
  Opened opened;
  const Half* half = nullptr;
  opened.outcome = library_.find(name.kind, half);
  if (opened.outcome.ok()) opened.outcome = Device::create(*half, target, name, opened.device);
  return opened;
}

Outcome Resources::device(const std::string& target, const Device*& device) {
  auto known = devices_.find(target);
  if (known == devices_.end()) known = devices_.emplace(target, open(target)).first;
  device = known->second.device.get();
  return known->second.outcome;
}

Outcome Resources::instance(const Device& device, uint32_t codeBlob, void*& instance) {
  const auto known = instances_.find({&device, codeBlob});
  if (known != instances_.end()) {
    instance = known->second;
    return {};
  }
  // A backend makes code of it, somewhere else in memory.
  const artifact::Blob& blob = artifact_.bundle.codeBlobs[codeBlob];
  if (const Status status = artifact::verifyChecksum(artifact_, blob); !status)
    return failure(TESSERA_ERROR_CHECKSUM, status.error().message);
  LoadServices services;
  void* created = nullptr;
  if (device.table().create(device.handle(), services.services(), blob.bytes().data(),
                            blob.bytes().size(), &created) != 0) {
    return failure(TESSERA_ERROR_BACKEND_LOAD,
                   services.messageOr(std::string("backend '") + device.table().name +
                                      "' refuses a code blob"));
  }
  instances_.emplace(std::pair(&device, codeBlob), created);
  instance = created;
  return {};
}

Outcome Resources::space(const artifact::MemorySpace& stored, Space& space) {
  const auto provides = [&](const std::string& target) {
    const Device* candidate = nullptr;
    return device(target, candidate).ok() && findSpace(*candidate, stored.name, space);
  };
  for (const artifact::Region& region : artifact_.bundle.regions) {
    if (std::ranges::any_of(region.implementations, provides, &artifact::Implementation::target))
      return {};
  }
  if (std::ranges::any_of(stored.targets, provides)) return {};
  return failure(TESSERA_ERROR_BACKEND,
                 "no backend here provides memory space '" + stored.name + "'");
}

}  // namespace tessera::runtime
