/* For compile halves without protobuf: what the graph of a tessera_onnx_model says, read from its
 * bytes. Each call reads its message from the front. Header only; C11 and C++. */
#pragma once

#include "tessera/onnx_weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/** More fields of onnx.proto, beside those of onnx_weights.h. */
enum {
  TESSERA_ONNX_GRAPH_INPUT = 11,
  TESSERA_ONNX_GRAPH_OUTPUT = 12,
  TESSERA_ONNX_GRAPH_VALUE_INFO = 13,
  TESSERA_ONNX_VALUE_NAME = 1, /**< Of inputs, outputs and value_info. */
  TESSERA_ONNX_VALUE_TYPE = 2,
  TESSERA_ONNX_NODE_INPUT = 1,
  TESSERA_ONNX_NODE_OUTPUT = 2,
  TESSERA_ONNX_NODE_OP_TYPE = 4,
  TESSERA_ONNX_NODE_DOMAIN = 7
};

/** The `index`-th field `number` inside of a message; 0 when there is none. */
static inline int tessera_wire_find(tessera_wire_field message, uint32_t number, uint32_t index,
                                    tessera_wire_field* field) {
  while (tessera_wire_next(&message.content, message.end, field)) {
    if (field->number == number && index-- == 0) return 1;
  }
  return 0;
}

/** Whether two fields hold the same bytes. */
static inline int tessera_wire_equal(tessera_wire_field a, tessera_wire_field b) {
  const size_t size = (size_t)(a.end - a.content);
  return size == (size_t)(b.end - b.content) &&
         (size == 0 || memcmp(a.content, b.content, size) == 0);
}

/** Whether a field holds this text. */
static inline int tessera_wire_is(tessera_wire_field field, const char* text) {
  tessera_wire_field other = field;
  other.content = (const unsigned char*)text;
  other.end = other.content + strlen(text);
  return tessera_wire_equal(field, other);
}

/** The number inside of `message`; 0 when it has none. */
static inline uint64_t tessera_wire_number(tessera_wire_field message, uint32_t number) {
  tessera_wire_field field;
  uint64_t value = 0;
  if (!tessera_wire_find(message, number, 0, &field) || field.type != 0) return 0;
  return tessera_wire_varint(&field.content, field.end, &value) ? value : 0;
}

/** The graph of a model; one without anything when the bytes make no sense. */
static inline tessera_wire_field tessera_onnx_graph(const tessera_onnx_model* model) {
  tessera_wire_field whole, graph;
  memset(&whole, 0, sizeof whole);
  whole.begin = whole.content = (const unsigned char*)model->proto;
  whole.end = whole.content + model->proto_size;
  if (tessera_wire_find(whole, TESSERA_ONNX_MODEL_GRAPH, 0, &graph)) return graph;
  whole.end = whole.content;
  return whole;
}

/** Where the list `number` of a graph (nodes, inputs, ...) has the entry whose field `key` is
 * `name`; the length of the list when it has none. */
static inline uint32_t tessera_onnx_position(tessera_wire_field graph, uint32_t number,
                                             uint32_t key, tessera_wire_field name) {
  uint32_t index = 0;
  tessera_wire_field entry, text;
  for (; tessera_wire_find(graph, number, index, &entry); ++index) {
    if (tessera_wire_find(entry, key, 0, &text) && tessera_wire_equal(text, name)) break;
  }
  return index;
}

/** The type of the value `name`, which nodes read or write: *element is TensorProto.DataType,
 * `dims` has room for `max_rank` sizes, -1 for those known at run time. Returns the rank; -1 for
 * what is no tensor, an initializer, a rank that is not known or greater. */
static inline int32_t tessera_onnx_type(tessera_wire_field graph, tessera_wire_field name,
                                        uint32_t* element, int64_t* dims, int32_t max_rank) {
  tessera_wire_field value, type, tensor, shape, dim, size;
  uint32_t list;
  int32_t rank = 0;
  for (list = TESSERA_ONNX_GRAPH_INPUT; list <= TESSERA_ONNX_GRAPH_VALUE_INFO; ++list) {
    const uint32_t at = tessera_onnx_position(graph, list, TESSERA_ONNX_VALUE_NAME, name);
    if (tessera_wire_find(graph, list, at, &value)) break;
  }
  /* TypeProto.tensor_type, its elem_type and shape, that one's dim, their dim_value. */
  if (list > TESSERA_ONNX_GRAPH_VALUE_INFO ||
      !tessera_wire_find(value, TESSERA_ONNX_VALUE_TYPE, 0, &type) ||
      !tessera_wire_find(type, 1, 0, &tensor) || !tessera_wire_find(tensor, 2, 0, &shape))
    return -1;
  *element = (uint32_t)tessera_wire_number(tensor, 1);
  for (; tessera_wire_find(shape, 1, (uint32_t)rank, &dim); ++rank) {
    if (rank == max_rank) return -1;
    dims[rank] =
        tessera_wire_find(dim, 1, 0, &size) ? (int64_t)tessera_wire_number(dim, 1) : (int64_t)-1;
  }
  return rank;
}

#ifdef __cplusplus
} /* extern "C" */
#endif
