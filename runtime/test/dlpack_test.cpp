// tessera/dltensor.h is identical to DLPack's structs, in memory and in its numbers.
#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "tessera/dltensor.h"

static_assert(sizeof(tessera_dtype) == sizeof(DLDataType));
static_assert(offsetof(tessera_dtype, code) == offsetof(DLDataType, code));
static_assert(offsetof(tessera_dtype, bits) == offsetof(DLDataType, bits));
static_assert(offsetof(tessera_dtype, lanes) == offsetof(DLDataType, lanes));
static_assert(sizeof(tessera_device) == sizeof(DLDevice));
static_assert(offsetof(tessera_device, device_type) == offsetof(DLDevice, device_type));
static_assert(offsetof(tessera_device, device_id) == offsetof(DLDevice, device_id));
static_assert(sizeof(tessera_dltensor) == sizeof(DLTensor) &&
              alignof(tessera_dltensor) == alignof(DLTensor));
static_assert(offsetof(tessera_dltensor, data) == offsetof(DLTensor, data));
static_assert(offsetof(tessera_dltensor, device) == offsetof(DLTensor, device));
static_assert(offsetof(tessera_dltensor, ndim) == offsetof(DLTensor, ndim));
static_assert(offsetof(tessera_dltensor, dtype) == offsetof(DLTensor, dtype));
static_assert(offsetof(tessera_dltensor, shape) == offsetof(DLTensor, shape));
static_assert(offsetof(tessera_dltensor, strides) == offsetof(DLTensor, strides));
static_assert(offsetof(tessera_dltensor, byte_offset) == offsetof(DLTensor, byte_offset));
static_assert(int{TESSERA_DTYPE_INT} == int{kDLInt} && int{TESSERA_DTYPE_UINT} == int{kDLUInt});
static_assert(int{TESSERA_DTYPE_FLOAT} == int{kDLFloat} &&
              int{TESSERA_DTYPE_BFLOAT} == int{kDLBfloat});
static_assert(int{TESSERA_DEVICE_CPU} == int{kDLCPU});

TEST(Dlpack, TensorReadsThroughTheOtherStruct) {
  int64_t shape[1] = {3};
  DLTensor theirs = {};
  theirs.data = shape;
  theirs.device = {.device_type = kDLCPU, .device_id = 7};
  theirs.ndim = 1;
  theirs.dtype = {.code = kDLFloat, .bits = 64, .lanes = 1};
  theirs.shape = shape;
  theirs.byte_offset = 24;
  tessera_dltensor ours;
  std::memcpy(&ours, &theirs, sizeof(ours));
  EXPECT_EQ(ours.data, shape);
  EXPECT_EQ(ours.device.device_id, 7);
  EXPECT_EQ(ours.dtype.bits, 64);
  EXPECT_EQ(ours.shape[0], 3);
  EXPECT_EQ(ours.byte_offset, 24u);
}
