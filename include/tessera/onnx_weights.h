/* For compile halves whose tool chain wants a model in one piece: puts the weights of a
 * tessera_onnx_model into its message. Works on the bytes (protobuf's wire format), so that nothing
 * but this header is needed. Header only; C11 and C++. */
#pragma once

#include <string.h>

#include "tessera/backend_compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Fields of onnx.proto that lead to tensors, and those of a tensor that change. */
enum {
  TESSERA_ONNX_MODEL_GRAPH = 7,
  TESSERA_ONNX_GRAPH_NODE = 1,
  TESSERA_ONNX_GRAPH_INITIALIZER = 5,
  TESSERA_ONNX_NODE_ATTRIBUTE = 5,
  TESSERA_ONNX_ATTRIBUTE_T = 5,
  TESSERA_ONNX_ATTRIBUTE_G = 6,
  TESSERA_ONNX_ATTRIBUTE_TENSORS = 10,
  TESSERA_ONNX_TENSOR_RAW_DATA = 9,
  TESSERA_ONNX_TENSOR_EXTERNAL_DATA = 13,
  TESSERA_ONNX_TENSOR_DATA_LOCATION = 14
};

/** Messages that hold tensors. */
enum {
  TESSERA_ONNX_IN_MODEL,
  TESSERA_ONNX_IN_GRAPH,
  TESSERA_ONNX_IN_NODE,
  TESSERA_ONNX_IN_ATTRIBUTE,
  TESSERA_ONNX_IN_TENSOR,
  TESSERA_ONNX_IN_NOTHING
};

/** One field of a message. */
typedef struct tessera_wire_field {
  uint32_t number;
  uint32_t type;                /**< 0 varint, 1 64 bits, 2 bytes, 5 32 bits. */
  const unsigned char* begin;   /**< Of the tag. */
  const unsigned char* content; /**< Of what follows the tag and the length. */
  const unsigned char* end;
} tessera_wire_field;

static inline int tessera_wire_varint(const unsigned char** at, const unsigned char* end,
                                      uint64_t* value) {
  int shift;
  *value = 0;
  for (shift = 0; shift < 64 && *at < end; shift += 7) {
    const unsigned char byte = *(*at)++;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return 1;
  }
  return 0;
}

/** Reads the field at *at and moves behind it; 0 at the end and where the bytes make no sense. */
static inline int tessera_wire_next(const unsigned char** at, const unsigned char* end,
                                    tessera_wire_field* field) {
  uint64_t tag = 0, length = 0;
  field->begin = *at;
  if (*at == end || !tessera_wire_varint(at, end, &tag)) return 0;
  field->number = (uint32_t)(tag >> 3);
  field->type = (uint32_t)(tag & 7);
  field->content = *at;
  if (field->type == 0 && !tessera_wire_varint(at, end, &length)) return 0;
  if (field->type == 0) length = 0;
  if (field->type == 1) length = 8;
  if (field->type == 5) length = 4;
  if (field->type == 2) {
    if (!tessera_wire_varint(at, end, &length)) return 0;
    field->content = *at;
  }
  if (field->type == 3 || field->type == 4 || field->type > 5) return 0;
  if (length > (uint64_t)(end - *at)) return 0;
  *at += length;
  field->end = *at;
  return 1;
}

/** Which message the field of a message is. */
static inline int tessera_onnx_child(int message, uint32_t number) {
  switch (message) {
    case TESSERA_ONNX_IN_MODEL:
      return number == TESSERA_ONNX_MODEL_GRAPH ? TESSERA_ONNX_IN_GRAPH : TESSERA_ONNX_IN_NOTHING;
    case TESSERA_ONNX_IN_GRAPH:
      if (number == TESSERA_ONNX_GRAPH_NODE) return TESSERA_ONNX_IN_NODE;
      return number == TESSERA_ONNX_GRAPH_INITIALIZER ? TESSERA_ONNX_IN_TENSOR
                                                      : TESSERA_ONNX_IN_NOTHING;
    case TESSERA_ONNX_IN_NODE:
      return number == TESSERA_ONNX_NODE_ATTRIBUTE ? TESSERA_ONNX_IN_ATTRIBUTE
                                                   : TESSERA_ONNX_IN_NOTHING;
    case TESSERA_ONNX_IN_ATTRIBUTE:
      if (number == TESSERA_ONNX_ATTRIBUTE_G) return TESSERA_ONNX_IN_GRAPH;
      return number == TESSERA_ONNX_ATTRIBUTE_T || number == TESSERA_ONNX_ATTRIBUTE_TENSORS
                 ? TESSERA_ONNX_IN_TENSOR
                 : TESSERA_ONNX_IN_NOTHING;
    default:
      return TESSERA_ONNX_IN_NOTHING;
  }
}

/** Where a message is written; `data` null: it is only measured. */
typedef struct tessera_wire_output {
  unsigned char* data;
  uint64_t written;
} tessera_wire_output;

static inline void tessera_wire_put(tessera_wire_output* out, const void* bytes, uint64_t size) {
  if (out->data && size > 0) memcpy(out->data + out->written, bytes, (size_t)size);
  out->written += size;
}

static inline void tessera_wire_put_head(tessera_wire_output* out, uint32_t number, uint64_t size) {
  unsigned char bytes[16];
  uint64_t values[2];
  int count = 0, i;
  values[0] = (uint64_t)number << 3 | 2;
  values[1] = size;
  for (i = 0; i < 2; ++i) {
    for (; values[i] >= 0x80; values[i] >>= 7) bytes[count++] = (unsigned char)(values[i] | 0x80);
    bytes[count++] = (unsigned char)values[i];
  }
  tessera_wire_put(out, bytes, (uint64_t)count);
}

/** The weight whose hash is the external location of a tensor; null when it has none. */
static inline const tessera_weight* tessera_onnx_weight_of(const tessera_onnx_model* model,
                                                           const unsigned char* begin,
                                                           const unsigned char* end) {
  tessera_wire_field entry, text;
  uint32_t i;
  while (tessera_wire_next(&begin, end, &entry)) {
    const unsigned char* at = entry.content;
    if (entry.number != TESSERA_ONNX_TENSOR_EXTERNAL_DATA || entry.type != 2) continue;
    while (tessera_wire_next(&at, entry.end, &text)) {
      const size_t length = (size_t)(text.end - text.content);
      if (text.number != 2 || text.type != 2) continue; /* StringStringEntryProto.value */
      for (i = 0; i < model->num_weights; ++i) {
        const tessera_weight* weight = model->weights[i];
        if (weight->data && strlen(weight->hash) == length &&
            memcmp(weight->hash, text.content, length) == 0)
          return weight;
      }
    }
  }
  return NULL;
}

/** Writes a message of kind `message`; 0 when the bytes make no sense. */
static inline int tessera_onnx_rewrite(const tessera_onnx_model* model, int message,
                                       const unsigned char* begin, const unsigned char* end,
                                       tessera_wire_output* out) {
  const tessera_weight* weight =
      message == TESSERA_ONNX_IN_TENSOR ? tessera_onnx_weight_of(model, begin, end) : NULL;
  tessera_wire_field field;
  while (tessera_wire_next(&begin, end, &field)) {
    const int child = tessera_onnx_child(message, field.number);
    if (weight && (field.number == TESSERA_ONNX_TENSOR_EXTERNAL_DATA ||
                   field.number == TESSERA_ONNX_TENSOR_DATA_LOCATION))
      continue;
    if (child == TESSERA_ONNX_IN_NOTHING || field.type != 2) {
      tessera_wire_put(out, field.begin, (uint64_t)(field.end - field.begin));
    } else {
      tessera_wire_output measured = {NULL, 0};
      if (!tessera_onnx_rewrite(model, child, field.content, field.end, &measured)) return 0;
      tessera_wire_put_head(out, field.number, measured.written);
      if (out->data)
        tessera_onnx_rewrite(model, child, field.content, field.end, out);
      else
        out->written += measured.written;
    }
  }
  if (weight) {
    tessera_wire_put_head(out, TESSERA_ONNX_TENSOR_RAW_DATA, weight->data_size);
    tessera_wire_put(out, weight->data, weight->data_size);
  }
  return begin == end;
}

/** Writes the model with its weights inside, as raw_data, to `out`, which has room for `capacity`
 * bytes. Returns how many bytes it has; nothing is written when that is more than `capacity` (call
 * with null and 0 to learn it), and 0 is returned when the message makes no sense. Weights without
 * data stay external. Time grows with the depth of nested graphs. */
static inline uint64_t tessera_inline_weights(const tessera_onnx_model* model, void* out,
                                              uint64_t capacity) {
  const unsigned char* begin = (const unsigned char*)model->proto;
  tessera_wire_output output = {NULL, 0};
  if (!tessera_onnx_rewrite(model, TESSERA_ONNX_IN_MODEL, begin, begin + model->proto_size,
                            &output))
    return 0;
  if (output.written > capacity || !out) return output.written;
  output.data = (unsigned char*)out;
  output.written = 0;
  tessera_onnx_rewrite(model, TESSERA_ONNX_IN_MODEL, begin, begin + model->proto_size, &output);
  return output.written;
}

#ifdef __cplusplus
} /* extern "C" */
#endif
