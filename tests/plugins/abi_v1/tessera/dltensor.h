/* Tensors at the border: structs with the memory layout of DLPack's DLTensor, declared here so that
 * this header depends on nothing. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type codes of tessera_dtype, the numbers of DLDataTypeCode. */
enum {
  TESSERA_DTYPE_INT = 0,
  TESSERA_DTYPE_UINT = 1,
  TESSERA_DTYPE_FLOAT = 2,
  TESSERA_DTYPE_BFLOAT = 4,
  TESSERA_DTYPE_BOOL = 6
};

/** Device types of tessera_device: the host (DLPack's kDLCPU). Others are those that backends give
 * their memory spaces. */
enum { TESSERA_DEVICE_CPU = 1 };

/** An element type: identical to DLDataType. Bool is {TESSERA_DTYPE_BOOL, 8, 1};
 * {TESSERA_DTYPE_UINT, 8, 1} and {TESSERA_DTYPE_UINT, 1, 1} are accepted for it as well, since
 * older DLPack had no bool. */
typedef struct tessera_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes; /**< Always 1. */
} tessera_dtype;

/** A device: identical to DLDevice. */
typedef struct tessera_device {
  int32_t device_type;
  int32_t device_id;
} tessera_device;

/** A tensor that borrows its memory: identical to DLTensor. */
typedef struct tessera_dltensor {
  void* data;
  tessera_device device;
  int32_t ndim;
  tessera_dtype dtype;
  int64_t* shape;       /**< ndim entries. */
  int64_t* strides;     /**< In elements; null means compact row-major. */
  uint64_t byte_offset; /**< Added to data. */
} tessera_dltensor;

#ifdef __cplusplus
} /* extern "C" */
#endif
