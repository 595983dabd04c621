# Every third-party package the build uses; DEPS.md says why each is here.
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
find_package(LLD 19.1 REQUIRED CONFIG HINTS ${LLVM_LIBRARY_DIR}/cmake/lld)
find_package(Protobuf REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
find_package(Flatbuffers REQUIRED CONFIG NAMES Flatbuffers FlatBuffers flatbuffers)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(PROJECT_IS_TOP_LEVEL)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# mlir_tablegen reads this directory property, not target includes.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# The build's Python environment: the onnx wheel's onnx-ml.proto, lit, and the wheels the benchmarks compare with.
set(TESSERA_VENV ${PROJECT_SOURCE_DIR}/build/venv CACHE PATH "Python environment made by scripts/setup")
set(TESSERA_PYTHON ${TESSERA_VENV}/bin/python)
file(GLOB TESSERA_SITE_PACKAGES ${TESSERA_VENV}/lib/python3*/site-packages)
