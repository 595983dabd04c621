/* Programs of an invented machine. Its registers are vectors of num_elements f32: the inputs, then
 * the outputs, then one for each instruction. A blob is this header and the instructions. */
#pragma once

#include <stdint.h>

enum { MAGIC = 0x314d5845, RELU = 1, ADD, SUB, MUL, NUM_OPCODES };
typedef struct {
  uint64_t magic, num_inputs, num_outputs, num_instructions, num_elements;
} Header;
typedef struct {
  uint32_t opcode, operands[2], result;
} Instruction;
