// The files of tensor_io.h: .npy, .npz (a zip of .npy), .pb.
#include <zip.h>

#include <filesystem>
#include <memory>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "compiler/driver/tensor_io/npy.h"
#include "frontends/onnx/import/read/tensor_file.h"
#include "tessera/tensor_io.h"

namespace tessera {

namespace {

Error atFile(Error error, const std::string& path) {
  if (error.file.empty()) error.file = path;
  return error;
}

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using ZipArchive = std::unique_ptr<zip_t, CloseZip>;

Result<HostTensor> readZipEntry(zip_t* archive, zip_uint64_t index) {
  zip_stat_t info;
  if (zip_stat_index(archive, index, 0, &info) != 0 || (info.valid & ZIP_STAT_SIZE) == 0)
    return invalidInput("it is a damaged .npz file");
  constexpr zip_uint64_t kLargestEntry = zip_uint64_t{1} << 36;
  if (info.size > kLargestEntry)
    return invalidInput("its entry '" + std::string(info.name) + "' is too large");
  std::string name = info.name;
  if (name.ends_with(".npy")) name.resize(name.size() - 4);
  std::vector<std::byte> bytes;
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive, index, 0),
                                                               zip_fclose);
  if (!file) return invalidInput("it is a damaged .npz file");
  // Grow with what is really there: the declared size comes from outside.
  constexpr size_t kChunk = size_t{1} << 20;
  while (bytes.size() < info.size) {
    const size_t old = bytes.size();
    bytes.resize(std::min<size_t>(old + kChunk, info.size));
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + old, bytes.size() - old);
    if (got != static_cast<zip_int64_t>(bytes.size() - old))
      return invalidInput("it is a damaged .npz file");
  }
  // The checksum is compared where the end is met.
  std::byte behind{};
  if (zip_fread(file.get(), &behind, 1) != 0) return invalidInput("it is a damaged .npz file");
  return tensor_io::decodeNpy(bytes, name);
}

Result<std::vector<HostTensor>> readNpz(const std::string& path) {
  int code = 0;
  const ZipArchive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive) return invalidInput("it cannot be opened as an .npz file");
  std::vector<HostTensor> tensors;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    TESSERA_TRY(HostTensor tensor, readZipEntry(archive.get(), static_cast<zip_uint64_t>(i)));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<HostTensor> readProto(const std::string& path) {
  TESSERA_TRY(onnx::NamedTensor named, onnx::readTensorFile(path));
  if (named.tensor.type == ElementType::kString)
    return invalidInput("it holds strings, expected numbers");
  return HostTensor{.name = std::move(named.name),
                    .type = named.tensor.type,
                    .shape = std::move(named.tensor.shape),
                    .bytes = named.tensor.bytes,
                    .owner = std::move(named.tensor.owner)};
}

Result<std::vector<HostTensor>> readAll(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npz") return readNpz(path);
  std::vector<HostTensor> tensors(1);
  if (extension == ".pb") {
    TESSERA_TRY(tensors[0], readProto(path));
    return tensors;
  }
  if (extension != ".npy")
    return usageError("found extension '" + extension + "', expected .npy, .npz or .pb");
  TESSERA_TRY(const base::MappedFile file, base::MappedFile::open(path));
  TESSERA_TRY(tensors[0], tensor_io::decodeNpy(file.bytes(), ""));
  return tensors;
}

}  // namespace

Result<std::vector<HostTensor>> readTensorFiles(const std::string& path) {
  auto tensors = readAll(path);
  if (!tensors) return atFile(std::move(tensors).error(), path);
  return tensors;
}

Result<HostTensor> readTensorFile(const std::string& path, const std::string& name) {
  TESSERA_TRY(std::vector<HostTensor> tensors, readTensorFiles(path));
  size_t index = 0;
  if (tensors.size() != 1) {
    while (index < tensors.size() && tensors[index].name != name) ++index;
    if (index == tensors.size())
      return atFile(invalidInput("it has " + std::to_string(tensors.size()) +
                                 " entries and none is '" + name + "'"),
                    path);
  }
  if (!name.empty()) tensors[index].name = name;
  return std::move(tensors[index]);
}

Status writeNpz(const std::string& path, std::span<const HostTensor> tensors) {
  TESSERA_TRY(base::AtomicFile file, base::AtomicFile::create(path));
  int code = 0;
  ZipArchive archive(zip_open(file.temporaryPath().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  const Error failure = atFile(invalidInput("the file cannot be written"), path);
  if (!archive) return failure;
  std::vector<std::string> headers;  // libzip reads the buffers when the archive is closed.
  headers.reserve(tensors.size());
  for (const HostTensor& tensor : tensors) {
    headers.push_back(tensor_io::npyHeader(tensor));
    std::string& whole = headers.back();
    whole.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    zip_source_t* source = zip_source_buffer(archive.get(), whole.data(), whole.size(), 0);
    const zip_int64_t index = zip_file_add(archive.get(), (tensor.name + ".npy").c_str(), source,
                                           ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8);
    if (index < 0) return failure;
    zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }
  zip_t* raw = archive.release();
  if (zip_close(raw) != 0) {
    zip_discard(raw);
    return failure;
  }
  return file.commit();
}

Status writeTensorProtos(const std::string& folder, const std::string& stem,
                         std::span<const HostTensor> tensors) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return atFile(invalidInput("the folder cannot be made: " + error.message()), folder);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const HostTensor& tensor = tensors[i];
    const onnx::NamedTensor named{.name = tensor.name,
                                  .tensor = {.type = tensor.type,
                                             .shape = tensor.shape,
                                             .bytes = tensor.bytes,
                                             .owner = tensor.owner,
                                             .strings = {}}};
    TESSERA_TRY_VOID(
        onnx::writeTensorFile(folder + "/" + stem + "_" + std::to_string(i) + ".pb", named));
  }
  return {};
}

}  // namespace tessera
