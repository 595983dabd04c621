// Attention: scores, scale and mask, softmax and values, which one kernel computes; its views and masks.

func.func private @plain(%q: tensor<2x3x20x16xf32>, %k: tensor<2x3x33x16xf32>, %v: tensor<2x3x33x32xf32>) -> tensor<2x3x20x32xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x33x16xf32>) -> tensor<2x3x16x33xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x20x16xf32>, tensor<2x3x16x33xf32>) -> tensor<2x3x20x33xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x20x33xf32>, tensor<f32>) -> tensor<2x3x20x33xf32>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x3x20x33xf32>) -> tensor<2x3x20x33xf32>
  %5 = tsr.matmul %4, %v : (tensor<2x3x20x33xf32>, tensor<2x3x33x32xf32>) -> tensor<2x3x20x32xf32>
  return %5 : tensor<2x3x20x32xf32>
}

func.func private @no_batch(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x9xf32>) -> tensor<5x9xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 1, 0>} : (tensor<7x8xf32>) -> tensor<8x7xf32>
  %1 = tsr.matmul %q, %0 : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %2 = tsr.softmax %1 {axis = -1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = tsr.matmul %2, %v : (tensor<5x7xf32>, tensor<7x9xf32>) -> tensor<5x9xf32>
  return %3 : tensor<5x9xf32>
}

func.func private @odd(%q: tensor<3x29x19xf32>, %k: tensor<3x31x19xf32>, %v: tensor<3x31x21xf32>) -> tensor<3x29x21xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<3x31x19xf32>) -> tensor<3x19x31xf32>
  %1 = tsr.matmul %q, %0 : (tensor<3x29x19xf32>, tensor<3x19x31xf32>) -> tensor<3x29x31xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<3x29x31xf32>, tensor<f32>) -> tensor<3x29x31xf32>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<3x29x31xf32>) -> tensor<3x29x31xf32>
  %5 = tsr.matmul %4, %v : (tensor<3x29x31xf32>, tensor<3x31x21xf32>) -> tensor<3x29x21xf32>
  return %5 : tensor<3x29x21xf32>
}

func.func private @one_query(%q: tensor<2x4x1x24xf32>, %k: tensor<2x4x37x24xf32>, %v: tensor<2x4x37x24xf32>) -> tensor<2x4x1x24xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x4x37x24xf32>) -> tensor<2x4x24x37xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x4x1x24xf32>, tensor<2x4x24x37xf32>) -> tensor<2x4x1x37xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x4x1x37xf32>, tensor<f32>) -> tensor<2x4x1x37xf32>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x4x1x37xf32>) -> tensor<2x4x1x37xf32>
  %5 = tsr.matmul %4, %v : (tensor<2x4x1x37xf32>, tensor<2x4x37x24xf32>) -> tensor<2x4x1x24xf32>
  return %5 : tensor<2x4x1x24xf32>
}

func.func private @one_key(%q: tensor<2x5x8xf32>, %k: tensor<2x1x8xf32>, %v: tensor<2x1x24xf32>) -> tensor<2x5x24xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x1x8xf32>) -> tensor<2x8x1xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x5x8xf32>, tensor<2x8x1xf32>) -> tensor<2x5x1xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5x1xf32>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %5 = tsr.matmul %4, %v : (tensor<2x5x1xf32>, tensor<2x1x24xf32>) -> tensor<2x5x24xf32>
  return %5 : tensor<2x5x24xf32>
}

// Keys that come transposed, read where they lie with few queries, and packed with many.
func.func private @keys_transposed(%q: tensor<2x19x16xf32>, %k: tensor<2x16x32xf32>, %v: tensor<2x32x16xf32>) -> tensor<2x19x16xf32> {
  %0 = tsr.matmul %q, %k : (tensor<2x19x16xf32>, tensor<2x16x32xf32>) -> tensor<2x19x32xf32>
  %1 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %2 = tsr.div %0, %1 : (tensor<2x19x32xf32>, tensor<f32>) -> tensor<2x19x32xf32>
  %3 = tsr.softmax %2 {axis = -1 : i64} : (tensor<2x19x32xf32>) -> tensor<2x19x32xf32>
  %4 = tsr.matmul %3, %v : (tensor<2x19x32xf32>, tensor<2x32x16xf32>) -> tensor<2x19x16xf32>
  return %4 : tensor<2x19x16xf32>
}

func.func private @keys_transposed_many(%q: tensor<2x70x16xf32>, %k: tensor<2x16x45xf32>, %v: tensor<2x45x16xf32>) -> tensor<2x70x16xf32> {
  %0 = tsr.matmul %q, %k : (tensor<2x70x16xf32>, tensor<2x16x45xf32>) -> tensor<2x70x45xf32>
  %1 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %2 = tsr.div %0, %1 : (tensor<2x70x45xf32>, tensor<f32>) -> tensor<2x70x45xf32>
  %3 = tsr.softmax %2 {axis = -1 : i64} : (tensor<2x70x45xf32>) -> tensor<2x70x45xf32>
  %4 = tsr.matmul %3, %v : (tensor<2x70x45xf32>, tensor<2x45x16xf32>) -> tensor<2x70x16xf32>
  return %4 : tensor<2x70x16xf32>
}

// Masks that are added: of each entry, of each head, of one row, a column, all.
func.func private @added_mask(%q: tensor<2x3x18x16xf32>, %k: tensor<2x3x21x16xf32>, %v: tensor<2x3x21x16xf32>, %mask: tensor<2x1x1x21xf32>) -> tensor<2x3x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x21x16xf32>) -> tensor<2x3x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x18x16xf32>, tensor<2x3x16x21xf32>) -> tensor<2x3x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x18x21xf32>, tensor<f32>) -> tensor<2x3x18x21xf32>
  %4 = tsr.add %3, %mask : (tensor<2x3x18x21xf32>, tensor<2x1x1x21xf32>) -> tensor<2x3x18x21xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %6 = tsr.matmul %5, %v : (tensor<2x3x18x21xf32>, tensor<2x3x21x16xf32>) -> tensor<2x3x18x16xf32>
  return %6 : tensor<2x3x18x16xf32>
}

func.func private @added_mask_of_heads(%q: tensor<2x3x18x16xf32>, %k: tensor<2x3x21x16xf32>, %v: tensor<2x3x21x16xf32>, %mask: tensor<3x18x21xf32>) -> tensor<2x3x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x21x16xf32>) -> tensor<2x3x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x18x16xf32>, tensor<2x3x16x21xf32>) -> tensor<2x3x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x18x21xf32>, tensor<f32>) -> tensor<2x3x18x21xf32>
  %4 = tsr.add %3, %mask : (tensor<2x3x18x21xf32>, tensor<3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %6 = tsr.matmul %5, %v : (tensor<2x3x18x21xf32>, tensor<2x3x21x16xf32>) -> tensor<2x3x18x16xf32>
  return %6 : tensor<2x3x18x16xf32>
}

func.func private @added_mask_column(%q: tensor<2x3x18x16xf32>, %k: tensor<2x3x21x16xf32>, %v: tensor<2x3x21x16xf32>, %mask: tensor<2x3x18x1xf32>) -> tensor<2x3x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x21x16xf32>) -> tensor<2x3x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x18x16xf32>, tensor<2x3x16x21xf32>) -> tensor<2x3x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x18x21xf32>, tensor<f32>) -> tensor<2x3x18x21xf32>
  %4 = tsr.add %3, %mask : (tensor<2x3x18x21xf32>, tensor<2x3x18x1xf32>) -> tensor<2x3x18x21xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %6 = tsr.matmul %5, %v : (tensor<2x3x18x21xf32>, tensor<2x3x21x16xf32>) -> tensor<2x3x18x16xf32>
  return %6 : tensor<2x3x18x16xf32>
}

func.func private @added_mask_all(%q: tensor<2x3x18x16xf32>, %k: tensor<2x3x21x16xf32>, %v: tensor<2x3x21x16xf32>, %mask: tensor<2x3x18x21xf32>) -> tensor<2x3x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x21x16xf32>) -> tensor<2x3x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x18x16xf32>, tensor<2x3x16x21xf32>) -> tensor<2x3x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x18x21xf32>, tensor<f32>) -> tensor<2x3x18x21xf32>
  %4 = tsr.add %3, %mask : (tensor<2x3x18x21xf32>, tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %6 = tsr.matmul %5, %v : (tensor<2x3x18x21xf32>, tensor<2x3x21x16xf32>) -> tensor<2x3x18x16xf32>
  return %6 : tensor<2x3x18x16xf32>
}

func.func private @added_mask_number(%q: tensor<2x18x16xf32>, %k: tensor<2x21x16xf32>, %v: tensor<2x21x16xf32>, %mask: tensor<1xf32>) -> tensor<2x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x21x16xf32>) -> tensor<2x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x18x16xf32>, tensor<2x16x21xf32>) -> tensor<2x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x18x21xf32>, tensor<f32>) -> tensor<2x18x21xf32>
  %4 = tsr.add %3, %mask : (tensor<2x18x21xf32>, tensor<1xf32>) -> tensor<2x18x21xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<2x18x21xf32>) -> tensor<2x18x21xf32>
  %6 = tsr.matmul %5, %v : (tensor<2x18x21xf32>, tensor<2x21x16xf32>) -> tensor<2x18x16xf32>
  return %6 : tensor<2x18x16xf32>
}

// Masks that choose, and both.
func.func private @chosen(%q: tensor<2x3x18x16xf32>, %k: tensor<2x3x21x16xf32>, %v: tensor<2x3x21x16xf32>, %mask: tensor<18x21xi1>) -> tensor<2x3x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x21x16xf32>) -> tensor<2x3x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x18x16xf32>, tensor<2x3x16x21xf32>) -> tensor<2x3x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x18x21xf32>, tensor<f32>) -> tensor<2x3x18x21xf32>
  %4 = tsr.constant dense<-1.0e+04> : tensor<f32> -> tensor<f32>
  %5 = tsr.where %mask, %3, %4 : (tensor<18x21xi1>, tensor<2x3x18x21xf32>, tensor<f32>) -> tensor<2x3x18x21xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %7 = tsr.matmul %6, %v : (tensor<2x3x18x21xf32>, tensor<2x3x21x16xf32>) -> tensor<2x3x18x16xf32>
  return %7 : tensor<2x3x18x16xf32>
}

func.func private @chosen_not(%q: tensor<2x3x18x16xf32>, %k: tensor<2x3x21x16xf32>, %v: tensor<2x3x21x16xf32>, %mask: tensor<2x1x18x21xi1> {test.values = [1, 0, 0, 1, 0]}) -> tensor<2x3x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x21x16xf32>) -> tensor<2x3x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x18x16xf32>, tensor<2x3x16x21xf32>) -> tensor<2x3x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x18x21xf32>, tensor<f32>) -> tensor<2x3x18x21xf32>
  %4 = tsr.constant dense<0xFF800000> : tensor<f32> -> tensor<f32>
  %5 = tsr.where %mask, %4, %3 : (tensor<2x1x18x21xi1>, tensor<f32>, tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<2x3x18x21xf32>) -> tensor<2x3x18x21xf32>
  %7 = tsr.matmul %6, %v : (tensor<2x3x18x21xf32>, tensor<2x3x21x16xf32>) -> tensor<2x3x18x16xf32>
  return %7 : tensor<2x3x18x16xf32>
}

// Queries and keys that are scaled themselves.
func.func private @scaled_query(%q: tensor<2x18x16xf32>, %k: tensor<2x21x16xf32>, %v: tensor<2x21x16xf32>) -> tensor<2x18x16xf32> {
  %0 = tsr.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %1 = tsr.mul %q, %0 : (tensor<2x18x16xf32>, tensor<f32>) -> tensor<2x18x16xf32>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x21x16xf32>) -> tensor<2x16x21xf32>
  %3 = tsr.matmul %1, %2 : (tensor<2x18x16xf32>, tensor<2x16x21xf32>) -> tensor<2x18x21xf32>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x18x21xf32>) -> tensor<2x18x21xf32>
  %5 = tsr.matmul %4, %v : (tensor<2x18x21xf32>, tensor<2x21x16xf32>) -> tensor<2x18x16xf32>
  return %5 : tensor<2x18x16xf32>
}

func.func private @scaled_both(%q: tensor<2x18x16xf32>, %k: tensor<2x21x16xf32>, %v: tensor<2x21x16xf32>) -> tensor<2x18x16xf32> {
  %0 = tsr.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %1 = tsr.mul %q, %0 : (tensor<2x18x16xf32>, tensor<f32>) -> tensor<2x18x16xf32>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x21x16xf32>) -> tensor<2x16x21xf32>
  %3 = tsr.constant dense<1.5> : tensor<f32> -> tensor<f32>
  %4 = tsr.div %2, %3 : (tensor<2x16x21xf32>, tensor<f32>) -> tensor<2x16x21xf32>
  %5 = tsr.matmul %1, %4 : (tensor<2x18x16xf32>, tensor<2x16x21xf32>) -> tensor<2x18x21xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<2x18x21xf32>) -> tensor<2x18x21xf32>
  %7 = tsr.matmul %6, %v : (tensor<2x18x21xf32>, tensor<2x21x16xf32>) -> tensor<2x18x16xf32>
  return %7 : tensor<2x18x16xf32>
}

// Heads that lie beside each other.
func.func private @heads(%q: tensor<2x19x3x16xf32>, %k: tensor<2x21x3x16xf32>, %v: tensor<2x21x3x16xf32>) -> tensor<2x19x3x16xf32> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x19x3x16xf32>) -> tensor<2x3x19x16xf32>
  %1 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x21x3x16xf32>) -> tensor<2x3x16x21xf32>
  %2 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x21x3x16xf32>) -> tensor<2x3x21x16xf32>
  %3 = tsr.matmul %0, %1 : (tensor<2x3x19x16xf32>, tensor<2x3x16x21xf32>) -> tensor<2x3x19x21xf32>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<2x3x19x21xf32>, tensor<f32>) -> tensor<2x3x19x21xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<2x3x19x21xf32>) -> tensor<2x3x19x21xf32>
  %7 = tsr.matmul %6, %2 : (tensor<2x3x19x21xf32>, tensor<2x3x21x16xf32>) -> tensor<2x3x19x16xf32>
  %8 = tsr.transpose %7 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x3x19x16xf32>) -> tensor<2x19x3x16xf32>
  return %8 : tensor<2x19x3x16xf32>
}

func.func private @heads_masked(%q: tensor<2x70x3x16xf32>, %k: tensor<2x70x3x16xf32>, %v: tensor<2x70x3x20xf32>, %mask: tensor<2x1x1x70xf32>) -> tensor<2x70x3x20xf32> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x70x3x16xf32>) -> tensor<2x3x70x16xf32>
  %1 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x70x3x16xf32>) -> tensor<2x3x16x70xf32>
  %2 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x70x3x20xf32>) -> tensor<2x3x70x20xf32>
  %3 = tsr.matmul %0, %1 : (tensor<2x3x70x16xf32>, tensor<2x3x16x70xf32>) -> tensor<2x3x70x70xf32>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<2x3x70x70xf32>, tensor<f32>) -> tensor<2x3x70x70xf32>
  %6 = tsr.add %5, %mask : (tensor<2x3x70x70xf32>, tensor<2x1x1x70xf32>) -> tensor<2x3x70x70xf32>
  %7 = tsr.softmax %6 {axis = -1 : i64} : (tensor<2x3x70x70xf32>) -> tensor<2x3x70x70xf32>
  %8 = tsr.matmul %7, %2 : (tensor<2x3x70x70xf32>, tensor<2x3x70x20xf32>) -> tensor<2x3x70x20xf32>
  %9 = tsr.transpose %8 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x3x70x20xf32>) -> tensor<2x70x3x20xf32>
  return %9 : tensor<2x70x3x20xf32>
}

func.func private @heads_few(%q: tensor<2x6x4x32xf32>, %k: tensor<2x32x4x32xf32>, %v: tensor<2x32x4x32xf32>) -> tensor<2x6x4x32xf32> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x6x4x32xf32>) -> tensor<2x4x6x32xf32>
  %1 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x32x4x32xf32>) -> tensor<2x4x32x32xf32>
  %2 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x32x4x32xf32>) -> tensor<2x4x32x32xf32>
  %3 = tsr.matmul %0, %1 : (tensor<2x4x6x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x6x32xf32>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<2x4x6x32xf32>, tensor<f32>) -> tensor<2x4x6x32xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<2x4x6x32xf32>) -> tensor<2x4x6x32xf32>
  %7 = tsr.matmul %6, %2 : (tensor<2x4x6x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x6x32xf32>
  %8 = tsr.transpose %7 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x6x32xf32>) -> tensor<2x6x4x32xf32>
  return %8 : tensor<2x6x4x32xf32>
}

func.func private @values_transposed(%q: tensor<2x18x16xf32>, %k: tensor<2x21x16xf32>, %v: tensor<2x20x21xf32>) -> tensor<2x18x20xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x21x16xf32>) -> tensor<2x16x21xf32>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1>} : (tensor<2x20x21xf32>) -> tensor<2x21x20xf32>
  %2 = tsr.matmul %q, %0 : (tensor<2x18x16xf32>, tensor<2x16x21xf32>) -> tensor<2x18x21xf32>
  %3 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %4 = tsr.div %2, %3 : (tensor<2x18x21xf32>, tensor<f32>) -> tensor<2x18x21xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<2x18x21xf32>) -> tensor<2x18x21xf32>
  %6 = tsr.matmul %5, %1 : (tensor<2x18x21xf32>, tensor<2x21x20xf32>) -> tensor<2x18x20xf32>
  return %6 : tensor<2x18x20xf32>
}

func.func private @batch_of_rows(%q: tensor<19x6x16xf32>, %k: tensor<23x6x16xf32>, %v: tensor<23x6x16xf32>) -> tensor<19x6x16xf32> {
  %0 = tsr.transpose %q {perm = array<i64: 1, 0, 2>} : (tensor<19x6x16xf32>) -> tensor<6x19x16xf32>
  %1 = tsr.transpose %k {perm = array<i64: 1, 2, 0>} : (tensor<23x6x16xf32>) -> tensor<6x16x23xf32>
  %2 = tsr.transpose %v {perm = array<i64: 1, 0, 2>} : (tensor<23x6x16xf32>) -> tensor<6x23x16xf32>
  %3 = tsr.matmul %0, %1 : (tensor<6x19x16xf32>, tensor<6x16x23xf32>) -> tensor<6x19x23xf32>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<6x19x23xf32>, tensor<f32>) -> tensor<6x19x23xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<6x19x23xf32>) -> tensor<6x19x23xf32>
  %7 = tsr.matmul %6, %2 : (tensor<6x19x23xf32>, tensor<6x23x16xf32>) -> tensor<6x19x16xf32>
  %8 = tsr.transpose %7 {perm = array<i64: 1, 0, 2>} : (tensor<6x19x16xf32>) -> tensor<19x6x16xf32>
  return %8 : tensor<19x6x16xf32>
}

// Keys and values of all heads, or of all entries.
func.func private @shared_keys(%q: tensor<2x4x18x16xf32>, %k: tensor<2x1x21x16xf32>, %v: tensor<2x1x21x16xf32>, %mask: tensor<18x21xi1>) -> tensor<2x4x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x1x21x16xf32>) -> tensor<2x1x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x4x18x16xf32>, tensor<2x1x16x21xf32>) -> tensor<2x4x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x4x18x21xf32>, tensor<f32>) -> tensor<2x4x18x21xf32>
  %4 = tsr.constant dense<-1.0e+04> : tensor<f32> -> tensor<f32>
  %5 = tsr.where %mask, %3, %4 : (tensor<18x21xi1>, tensor<2x4x18x21xf32>, tensor<f32>) -> tensor<2x4x18x21xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<2x4x18x21xf32>) -> tensor<2x4x18x21xf32>
  %7 = tsr.matmul %6, %v : (tensor<2x4x18x21xf32>, tensor<2x1x21x16xf32>) -> tensor<2x4x18x16xf32>
  return %7 : tensor<2x4x18x16xf32>
}

func.func private @shared_by_all(%q: tensor<2x4x18x16xf32>, %k: tensor<21x16xf32>, %v: tensor<2x1x21x16xf32>) -> tensor<2x4x18x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 1, 0>} : (tensor<21x16xf32>) -> tensor<16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x4x18x16xf32>, tensor<16x21xf32>) -> tensor<2x4x18x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x4x18x21xf32>, tensor<f32>) -> tensor<2x4x18x21xf32>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x4x18x21xf32>) -> tensor<2x4x18x21xf32>
  %5 = tsr.matmul %4, %v : (tensor<2x4x18x21xf32>, tensor<2x1x21x16xf32>) -> tensor<2x4x18x16xf32>
  return %5 : tensor<2x4x18x16xf32>
}

// More keys than fit: in blocks.
func.func private @long(%q: tensor<2x17x16xf32>, %k: tensor<2x2100x16xf32>, %v: tensor<2x2100x24xf32>) -> tensor<2x17x24xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x2100x16xf32>) -> tensor<2x16x2100xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x17x16xf32>, tensor<2x16x2100xf32>) -> tensor<2x17x2100xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x17x2100xf32>, tensor<f32>) -> tensor<2x17x2100xf32>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x17x2100xf32>) -> tensor<2x17x2100xf32>
  %5 = tsr.matmul %4, %v : (tensor<2x17x2100xf32>, tensor<2x2100x24xf32>) -> tensor<2x17x24xf32>
  return %5 : tensor<2x17x24xf32>
}

func.func private @long_masked(%q: tensor<2x3x9x16xf32>, %k: tensor<2x3x1999x16xf32>, %v: tensor<2x3x1999x16xf32>, %mask: tensor<2x1x1x1999xf32> {test.values = [0.0, 0xFFF0000000000000 : f64, 1.0, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64]}) -> tensor<2x3x9x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x1999x16xf32>) -> tensor<2x3x16x1999xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x9x16xf32>, tensor<2x3x16x1999xf32>) -> tensor<2x3x9x1999xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x9x1999xf32>, tensor<f32>) -> tensor<2x3x9x1999xf32>
  %4 = tsr.add %3, %mask : (tensor<2x3x9x1999xf32>, tensor<2x1x1x1999xf32>) -> tensor<2x3x9x1999xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<2x3x9x1999xf32>) -> tensor<2x3x9x1999xf32>
  %6 = tsr.matmul %5, %v : (tensor<2x3x9x1999xf32>, tensor<2x3x1999x16xf32>) -> tensor<2x3x9x16xf32>
  return %6 : tensor<2x3x9x16xf32>
}

func.func private @long_transposed(%q: tensor<1x33x2x16xf32>, %k: tensor<1x1536x2x16xf32>, %v: tensor<1x1536x2x16xf32>) -> tensor<1x33x2x16xf32> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x33x2x16xf32>) -> tensor<1x2x33x16xf32>
  %1 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x1536x2x16xf32>) -> tensor<1x2x16x1536xf32>
  %2 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x1536x2x16xf32>) -> tensor<1x2x1536x16xf32>
  %3 = tsr.matmul %0, %1 : (tensor<1x2x33x16xf32>, tensor<1x2x16x1536xf32>) -> tensor<1x2x33x1536xf32>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<1x2x33x1536xf32>, tensor<f32>) -> tensor<1x2x33x1536xf32>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<1x2x33x1536xf32>) -> tensor<1x2x33x1536xf32>
  %7 = tsr.matmul %6, %2 : (tensor<1x2x33x1536xf32>, tensor<1x2x1536x16xf32>) -> tensor<1x2x33x16xf32>
  %8 = tsr.transpose %7 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x2x33x16xf32>) -> tensor<1x33x2x16xf32>
  return %8 : tensor<1x33x2x16xf32>
}

// Rows that are masked whole or in part, and those with an infinity or a NaN.
func.func private @rows_not_finite(%q: tensor<1x6x16xf32>, %k: tensor<1x21x16xf32>, %v: tensor<1x21x16xf32>, %mask: tensor<6x21xf32> {test.values = [0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0xFFF0000000000000 : f64, 0.5, 0.5, 0.5, 0.5, 0x7FF0000000000000 : f64, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0.0, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]}) -> tensor<1x6x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<1x21x16xf32>) -> tensor<1x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<1x6x16xf32>, tensor<1x16x21xf32>) -> tensor<1x6x21xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<1x6x21xf32>, tensor<f32>) -> tensor<1x6x21xf32>
  %4 = tsr.add %3, %mask : (tensor<1x6x21xf32>, tensor<6x21xf32>) -> tensor<1x6x21xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<1x6x21xf32>) -> tensor<1x6x21xf32>
  %6 = tsr.matmul %5, %v : (tensor<1x6x21xf32>, tensor<1x21x16xf32>) -> tensor<1x6x16xf32>
  return %6 : tensor<1x6x16xf32>
}

func.func private @long_rows_not_finite(%q: tensor<1x5x16xf32>, %k: tensor<1x1600x16xf32>, %v: tensor<1x1600x16xf32>, %mask: tensor<5x1xf32> {test.values = [0xFFF0000000000000 : f64, 0.0, 0x7FF0000000000000 : f64, 0x7FF8000000000000 : f64, 1.0]}) -> tensor<1x5x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<1x1600x16xf32>) -> tensor<1x16x1600xf32>
  %1 = tsr.matmul %q, %0 : (tensor<1x5x16xf32>, tensor<1x16x1600xf32>) -> tensor<1x5x1600xf32>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<1x5x1600xf32>, tensor<f32>) -> tensor<1x5x1600xf32>
  %4 = tsr.add %3, %mask : (tensor<1x5x1600xf32>, tensor<5x1xf32>) -> tensor<1x5x1600xf32>
  %5 = tsr.softmax %4 {axis = -1 : i64} : (tensor<1x5x1600xf32>) -> tensor<1x5x1600xf32>
  %6 = tsr.matmul %5, %v : (tensor<1x5x1600xf32>, tensor<1x1600x16xf32>) -> tensor<1x5x16xf32>
  return %6 : tensor<1x5x16xf32>
}

// Open numbers of entries, queries and keys.
func.func private @open(%q: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [2, 3, 20, 16]}, %k: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 33, 16]}, %v: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 33, 16]}) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

func.func private @open_ragged(%q: tensor<?x3x?x19xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [1, 3, 29, 19]}, %k: tensor<?x3x?x19xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [1, 3, 19, 19]}, %v: tensor<?x3x?x21xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [1, 3, 19, 21]}) -> tensor<?x3x?x21xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x19xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x19x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x19xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x19x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x21xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x21xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x21xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

func.func private @open_one_query(%q: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [2, 3, 1, 16]}, %k: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 37, 16]}, %v: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 37, 16]}) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

func.func private @open_one_key(%q: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [2, 3, 5, 16]}, %k: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 1, 16]}, %v: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 1, 16]}) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

func.func private @open_no_keys(%q: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [2, 3, 5, 16]}, %k: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 0, 16]}, %v: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 0, 16]}) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

func.func private @open_no_queries(%q: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [2, 3, 0, 16]}, %k: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 5, 16]}, %v: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [2, 3, 5, 16]}) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

func.func private @open_no_entries(%q: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [0, 3, 3, 16]}, %k: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [0, 3, 5, 16]}, %v: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [0, 3, 5, 16]}) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

func.func private @open_long(%q: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {test.dims = [1, 3, 15, 16]}, %k: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [1, 3, 1100, 16]}, %v: tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>> {test.dims = [1, 3, 1100, 16]}) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  return %5 : tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
}

// The same with heads beside each other, masked.
func.func private @open_heads(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [2, 23, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 41, 3, 16]}, %v: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 41, 3, 16]}) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.softmax %5 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %7 = tsr.matmul %6, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %8 = tsr.transpose %7 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>
  return %8 : tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>
}

func.func private @open_heads_masked(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [2, 31, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 31, 3, 16]}, %v: tensor<?x?x3x24xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 31, 3, 24]}, %mask: tensor<?x1x1x?xf32, #tsr.layout<dims = ["b", "", "", "m"]>> {test.dims = [2, 1, 1, 31]}) -> tensor<?x?x3x24xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x24xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x24xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.add %5, %mask : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x1x1x?xf32, #tsr.layout<dims = ["b", "", "", "m"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %7 = tsr.softmax %6 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %8 = tsr.matmul %7, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x?x24xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x24xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %9 = tsr.transpose %8 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x24xf32, #tsr.layout<dims = ["b", "", "s", ""]>>) -> tensor<?x?x3x24xf32, #tsr.layout<dims = ["b", "s", "", ""]>>
  return %9 : tensor<?x?x3x24xf32, #tsr.layout<dims = ["b", "s", "", ""]>>
}

func.func private @open_heads_odd_values(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [2, 31, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 31, 3, 16]}, %v: tensor<?x?x3x20xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 31, 3, 20]}, %mask: tensor<?x1x1x?xf32, #tsr.layout<dims = ["b", "", "", "m"]>> {test.dims = [2, 1, 1, 31]}) -> tensor<?x?x3x20xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x20xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x20xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.add %5, %mask : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x1x1x?xf32, #tsr.layout<dims = ["b", "", "", "m"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %7 = tsr.softmax %6 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %8 = tsr.matmul %7, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x?x20xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x20xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %9 = tsr.transpose %8 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x20xf32, #tsr.layout<dims = ["b", "", "s", ""]>>) -> tensor<?x?x3x20xf32, #tsr.layout<dims = ["b", "s", "", ""]>>
  return %9 : tensor<?x?x3x20xf32, #tsr.layout<dims = ["b", "s", "", ""]>>
}

func.func private @open_heads_masked_by_one(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [2, 31, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 31, 3, 16]}, %v: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 31, 3, 16]}, %mask: tensor<?x1x1x?xf32, #tsr.layout<dims = ["n", "", "", "m"]>> {test.dims = [1, 1, 1, 1]}) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["", "s", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.add %5, %mask : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x1x1x?xf32, #tsr.layout<dims = ["n", "", "", "m"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "s", ""]>>
  %7 = tsr.softmax %6 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "s", ""]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "s", ""]>>
  %8 = tsr.matmul %7, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "s", ""]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["", "", "s", ""]>>
  %9 = tsr.transpose %8 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["", "", "s", ""]>>) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["", "s", "", ""]>>
  return %9 : tensor<?x?x3x16xf32, #tsr.layout<dims = ["", "s", "", ""]>>
}

func.func private @open_heads_chosen(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [2, 17, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 17, 3, 16]}, %v: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 17, 3, 16]}, %mask: tensor<1x1x?x?xi1, #tsr.layout<dims = ["", "", "r", "m"]>> {test.dims = [1, 1, 17, 17]}) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.constant dense<-1.0e+04> : tensor<f32> -> tensor<f32>
  %7 = tsr.where %mask, %5, %6 : (tensor<1x1x?x?xi1, #tsr.layout<dims = ["", "", "r", "m"]>>, tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %8 = tsr.softmax %7 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %9 = tsr.matmul %8, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %10 = tsr.transpose %9 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  return %10 : tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
}

func.func private @open_heads_chosen_long(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [1, 4, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [1, 600, 3, 16]}, %v: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [1, 600, 3, 16]}, %mask: tensor<1x1x?x?xi1, #tsr.layout<dims = ["", "", "r", "m"]>> {test.dims = [1, 1, 4, 600], test.values = [1, 0, 0, 1, 0, 0, 0]}) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.constant dense<0xFF800000> : tensor<f32> -> tensor<f32>
  %7 = tsr.where %mask, %5, %6 : (tensor<1x1x?x?xi1, #tsr.layout<dims = ["", "", "r", "m"]>>, tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %8 = tsr.softmax %7 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %9 = tsr.matmul %8, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %10 = tsr.transpose %9 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  return %10 : tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
}

// Masks of more rows and entries than there are of queries.
func.func private @open_more_masks_than_queries(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [2, 1, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 17, 3, 16]}, %v: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [2, 17, 3, 16]}, %mask: tensor<?x1x?x?xf32, #tsr.layout<dims = ["b", "", "r", "m"]>> {test.dims = [2, 1, 6, 17]}) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.add %5, %mask : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x1x?x?xf32, #tsr.layout<dims = ["b", "", "r", "m"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %7 = tsr.softmax %6 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %8 = tsr.matmul %7, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "", ""]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  %9 = tsr.transpose %8 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
  return %9 : tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
}

func.func private @open_more_masks_than_entries(%q: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>> {test.dims = [1, 5, 3, 16]}, %k: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [1, 17, 3, 16]}, %v: tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>> {test.dims = [1, 17, 3, 16]}, %mask: tensor<?x1x?x?xf32, #tsr.layout<dims = ["n", "", "r", "m"]>> {test.dims = [3, 1, 5, 17]}) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["", "", "", ""]>> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "s", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>
  %1 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
  %2 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x16xf32, #tsr.layout<dims = ["b", "t", "", ""]>>) -> tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %3 = tsr.matmul %0, %2 : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "s", ""]>>, tensor<?x3x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %4 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %5 = tsr.div %3, %4 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<f32>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>
  %6 = tsr.add %5, %mask : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["b", "", "s", "t"]>>, tensor<?x1x?x?xf32, #tsr.layout<dims = ["n", "", "r", "m"]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "", ""]>>
  %7 = tsr.softmax %6 {axis = -1 : i64} : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "", ""]>>) -> tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "", ""]>>
  %8 = tsr.matmul %7, %1 : (tensor<?x3x?x?xf32, #tsr.layout<dims = ["", "", "", ""]>>, tensor<?x3x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>) -> tensor<?x3x?x16xf32, #tsr.layout<dims = ["", "", "", ""]>>
  %9 = tsr.transpose %8 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x3x?x16xf32, #tsr.layout<dims = ["", "", "", ""]>>) -> tensor<?x?x3x16xf32, #tsr.layout<dims = ["", "", "", ""]>>
  return %9 : tensor<?x?x3x16xf32, #tsr.layout<dims = ["", "", "", ""]>>
}

func.func private @open_keys_transposed(%q: tensor<2x?x16xf32, #tsr.layout<dims = ["", "s", ""]>> {test.dims = [2, 18, 16]}, %k: tensor<2x16x?xf32, #tsr.layout<dims = ["", "", "t"]>> {test.dims = [2, 16, 27]}, %v: tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [2, 27, 32]}) -> tensor<2x?x32xf32, #tsr.layout<dims = ["", "s", ""]>> {
  %0 = tsr.matmul %q, %k : (tensor<2x?x16xf32, #tsr.layout<dims = ["", "s", ""]>>, tensor<2x16x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<2x?x?xf32, #tsr.layout<dims = ["", "s", "t"]>>
  %1 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %2 = tsr.div %0, %1 : (tensor<2x?x?xf32, #tsr.layout<dims = ["", "s", "t"]>>, tensor<f32>) -> tensor<2x?x?xf32, #tsr.layout<dims = ["", "s", "t"]>>
  %3 = tsr.softmax %2 {axis = -1 : i64} : (tensor<2x?x?xf32, #tsr.layout<dims = ["", "s", "t"]>>) -> tensor<2x?x?xf32, #tsr.layout<dims = ["", "s", "t"]>>
  %4 = tsr.matmul %3, %v : (tensor<2x?x?xf32, #tsr.layout<dims = ["", "s", "t"]>>, tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<2x?x32xf32, #tsr.layout<dims = ["", "s", ""]>>
  return %4 : tensor<2x?x32xf32, #tsr.layout<dims = ["", "s", ""]>>
}

func.func private @open_keys_only(%q: tensor<2x18x16xf32> {test.dims = [2, 18, 16]}, %k: tensor<2x?x16xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [2, 27, 16]}, %v: tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [2, 27, 32]}) -> tensor<2x18x32xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x?x16xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<2x16x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<2x18x16xf32>, tensor<2x16x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<2x18x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x18x?xf32, #tsr.layout<dims = ["", "", "t"]>>, tensor<f32>) -> tensor<2x18x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x18x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<2x18x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<2x18x?xf32, #tsr.layout<dims = ["", "", "t"]>>, tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<2x18x32xf32>
  return %5 : tensor<2x18x32xf32>
}

func.func private @open_queries_only(%q: tensor<2x?x16xf32, #tsr.layout<dims = ["", "s", ""]>> {test.dims = [2, 18, 16]}, %k: tensor<2x21x16xf32> {test.dims = [2, 21, 16]}, %v: tensor<2x21x32xf32> {test.dims = [2, 21, 32]}) -> tensor<2x?x32xf32, #tsr.layout<dims = ["", "s", ""]>> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x21x16xf32>) -> tensor<2x16x21xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x?x16xf32, #tsr.layout<dims = ["", "s", ""]>>, tensor<2x16x21xf32>) -> tensor<2x?x21xf32, #tsr.layout<dims = ["", "s", ""]>>
  %2 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x?x21xf32, #tsr.layout<dims = ["", "s", ""]>>, tensor<f32>) -> tensor<2x?x21xf32, #tsr.layout<dims = ["", "s", ""]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<2x?x21xf32, #tsr.layout<dims = ["", "s", ""]>>) -> tensor<2x?x21xf32, #tsr.layout<dims = ["", "s", ""]>>
  %5 = tsr.matmul %4, %v : (tensor<2x?x21xf32, #tsr.layout<dims = ["", "s", ""]>>, tensor<2x21x32xf32>) -> tensor<2x?x32xf32, #tsr.layout<dims = ["", "s", ""]>>
  return %5 : tensor<2x?x32xf32, #tsr.layout<dims = ["", "s", ""]>>
}

// Few queries, whose number is known, with an open number of keys.
func.func private @open_keys_one_query(%q: tensor<2x1x20xf32>, %k: tensor<2x?x20xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [2, 37, 20]}, %v: tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [2, 37, 32]}) -> tensor<2x1x32xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x?x20xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<2x20x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<2x1x20xf32>, tensor<2x20x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<2x1x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %2 = tsr.softmax %1 {axis = -1 : i64} : (tensor<2x1x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<2x1x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %3 = tsr.matmul %2, %v : (tensor<2x1x?xf32, #tsr.layout<dims = ["", "", "t"]>>, tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<2x1x32xf32>
  return %3 : tensor<2x1x32xf32>
}

func.func private @open_keys_few_queries(%q: tensor<2x3x20xf32>, %k: tensor<2x?x20xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [2, 600, 20]}, %v: tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [2, 600, 32]}) -> tensor<2x3x32xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x?x20xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<2x20x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x20xf32>, tensor<2x20x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<2x3x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %2 = tsr.softmax %1 {axis = -1 : i64} : (tensor<2x3x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<2x3x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %3 = tsr.matmul %2, %v : (tensor<2x3x?xf32, #tsr.layout<dims = ["", "", "t"]>>, tensor<2x?x32xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<2x3x32xf32>
  return %3 : tensor<2x3x32xf32>
}

// A block of keys that is masked whole in front of one that is not.
func.func private @open_block_masked(%q: tensor<1x5x16xf32>, %k: tensor<1x?x16xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [1, 530, 16]}, %v: tensor<1x?x16xf32, #tsr.layout<dims = ["", "t", ""]>> {test.dims = [1, 530, 16]}, %mask: tensor<?xi1, #tsr.layout<dims = ["t"]>> {test.dims = [530], test.values = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}) -> tensor<1x5x16xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<1x?x16xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<1x16x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %1 = tsr.matmul %q, %0 : (tensor<1x5x16xf32>, tensor<1x16x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<1x5x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %2 = tsr.constant dense<0xFF800000> : tensor<f32> -> tensor<f32>
  %3 = tsr.where %mask, %1, %2 : (tensor<?xi1, #tsr.layout<dims = ["t"]>>, tensor<1x5x?xf32, #tsr.layout<dims = ["", "", "t"]>>, tensor<f32>) -> tensor<1x5x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %4 = tsr.softmax %3 {axis = -1 : i64} : (tensor<1x5x?xf32, #tsr.layout<dims = ["", "", "t"]>>) -> tensor<1x5x?xf32, #tsr.layout<dims = ["", "", "t"]>>
  %5 = tsr.matmul %4, %v : (tensor<1x5x?xf32, #tsr.layout<dims = ["", "", "t"]>>, tensor<1x?x16xf32, #tsr.layout<dims = ["", "t", ""]>>) -> tensor<1x5x16xf32>
  return %5 : tensor<1x5x16xf32>
}

// Windows of two images: a bias of each head, then a mask of each window between reshapes of the batch.
func.func private @windows(%x: tensor<8x9x3x3x16xf32>, %bias: tensor<1x3x9x9xf32>, %mask: tensor<1x4x1x9x9xf32>) -> tensor<8x9x3x16xf32> {
  %0 = tsr.transpose %x {perm = array<i64: 2, 0, 3, 1, 4>} : (tensor<8x9x3x3x16xf32>) -> tensor<3x8x3x9x16xf32>
  %zero = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %one = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %two = tsr.constant dense<2> : tensor<i64> -> tensor<i64>
  %1 = tsr.gather %0, %zero {axis = 0 : i64} : (tensor<3x8x3x9x16xf32>, tensor<i64>) -> tensor<8x3x9x16xf32>
  %2 = tsr.gather %0, %one {axis = 0 : i64} : (tensor<3x8x3x9x16xf32>, tensor<i64>) -> tensor<8x3x9x16xf32>
  %3 = tsr.gather %0, %two {axis = 0 : i64} : (tensor<3x8x3x9x16xf32>, tensor<i64>) -> tensor<8x3x9x16xf32>
  %4 = tsr.transpose %2 {perm = array<i64: 0, 1, 3, 2>} : (tensor<8x3x9x16xf32>) -> tensor<8x3x16x9xf32>
  %5 = tsr.matmul %1, %4 : (tensor<8x3x9x16xf32>, tensor<8x3x16x9xf32>) -> tensor<8x3x9x9xf32>
  %6 = tsr.add %5, %bias : (tensor<8x3x9x9xf32>, tensor<1x3x9x9xf32>) -> tensor<8x3x9x9xf32>
  %7 = tsr.constant dense<[2, 4, 3, 9, 9]> : tensor<5xi64> -> tensor<5xi64>
  %8 = tsr.reshape %6, %7 : (tensor<8x3x9x9xf32>, tensor<5xi64>) -> tensor<2x4x3x9x9xf32>
  %9 = tsr.add %8, %mask : (tensor<2x4x3x9x9xf32>, tensor<1x4x1x9x9xf32>) -> tensor<2x4x3x9x9xf32>
  %10 = tsr.constant dense<[8, 3, 9, 9]> : tensor<4xi64> -> tensor<4xi64>
  %11 = tsr.reshape %9, %10 : (tensor<2x4x3x9x9xf32>, tensor<4xi64>) -> tensor<8x3x9x9xf32>
  %12 = tsr.softmax %11 {axis = -1 : i64} : (tensor<8x3x9x9xf32>) -> tensor<8x3x9x9xf32>
  %13 = tsr.matmul %12, %3 : (tensor<8x3x9x9xf32>, tensor<8x3x9x16xf32>) -> tensor<8x3x9x16xf32>
  %14 = tsr.transpose %13 {perm = array<i64: 0, 2, 1, 3>} : (tensor<8x3x9x16xf32>) -> tensor<8x9x3x16xf32>
  return %14 : tensor<8x9x3x16xf32>
}

// Masks in front of, between and behind reshapes, which take the batch apart in different places.
func.func private @batches_taken_apart(%q: tensor<12x5x8xf32>, %k: tensor<12x8x7xf32>, %v: tensor<2x6x7x16xf32>, %first: tensor<12x1x7xf32>, %second: tensor<3x1x5x7xf32>, %third: tensor<2x1x1x7xi1>) -> tensor<2x6x5x16xf32> {
  %0 = tsr.matmul %q, %k : (tensor<12x5x8xf32>, tensor<12x8x7xf32>) -> tensor<12x5x7xf32>
  %1 = tsr.mul %first, %0 : (tensor<12x1x7xf32>, tensor<12x5x7xf32>) -> tensor<12x5x7xf32>
  %2 = tsr.constant dense<[2, 3, 2, 5, 7]> : tensor<5xi64> -> tensor<5xi64>
  %3 = tsr.reshape %1, %2 : (tensor<12x5x7xf32>, tensor<5xi64>) -> tensor<2x3x2x5x7xf32>
  %4 = tsr.add %3, %second : (tensor<2x3x2x5x7xf32>, tensor<3x1x5x7xf32>) -> tensor<2x3x2x5x7xf32>
  %5 = tsr.constant dense<[2, 6, 5, 7]> : tensor<4xi64> -> tensor<4xi64>
  %6 = tsr.reshape %4, %5 : (tensor<2x3x2x5x7xf32>, tensor<4xi64>) -> tensor<2x6x5x7xf32>
  %7 = tsr.constant dense<-3.0> : tensor<f32> -> tensor<f32>
  %8 = tsr.where %third, %6, %7 : (tensor<2x1x1x7xi1>, tensor<2x6x5x7xf32>, tensor<f32>) -> tensor<2x6x5x7xf32>
  %9 = tsr.softmax %8 {axis = -1 : i64} : (tensor<2x6x5x7xf32>) -> tensor<2x6x5x7xf32>
  %10 = tsr.matmul %9, %v : (tensor<2x6x5x7xf32>, tensor<2x6x7x16xf32>) -> tensor<2x6x5x16xf32>
  return %10 : tensor<2x6x5x16xf32>
}

// Images and heads are one dimension for the products, two between them and behind.
func.func private @batch_joined_for_products(%q: tensor<2x19x4x8xf32>, %k: tensor<2x23x4x8xf32>, %v: tensor<2x23x4x16xf32>, %mask: tensor<2x1x1x23xf32>) -> tensor<2x19x4x16xf32> {
  %0 = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x19x4x8xf32>) -> tensor<2x4x19x8xf32>
  %1 = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x23x4x8xf32>) -> tensor<2x4x8x23xf32>
  %2 = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x23x4x16xf32>) -> tensor<2x4x23x16xf32>
  %3 = tsr.constant dense<[8, 19, 8]> : tensor<3xi64> -> tensor<3xi64>
  %4 = tsr.reshape %0, %3 : (tensor<2x4x19x8xf32>, tensor<3xi64>) -> tensor<8x19x8xf32>
  %5 = tsr.constant dense<[8, 8, 23]> : tensor<3xi64> -> tensor<3xi64>
  %6 = tsr.reshape %1, %5 : (tensor<2x4x8x23xf32>, tensor<3xi64>) -> tensor<8x8x23xf32>
  %7 = tsr.constant dense<[8, 23, 16]> : tensor<3xi64> -> tensor<3xi64>
  %8 = tsr.reshape %2, %7 : (tensor<2x4x23x16xf32>, tensor<3xi64>) -> tensor<8x23x16xf32>
  %9 = tsr.matmul %4, %6 : (tensor<8x19x8xf32>, tensor<8x8x23xf32>) -> tensor<8x19x23xf32>
  %10 = tsr.constant dense<[2, 4, 19, 23]> : tensor<4xi64> -> tensor<4xi64>
  %11 = tsr.reshape %9, %10 : (tensor<8x19x23xf32>, tensor<4xi64>) -> tensor<2x4x19x23xf32>
  %12 = tsr.add %11, %mask : (tensor<2x4x19x23xf32>, tensor<2x1x1x23xf32>) -> tensor<2x4x19x23xf32>
  %13 = tsr.softmax %12 {axis = -1 : i64} : (tensor<2x4x19x23xf32>) -> tensor<2x4x19x23xf32>
  %14 = tsr.constant dense<[8, 19, 23]> : tensor<3xi64> -> tensor<3xi64>
  %15 = tsr.reshape %13, %14 : (tensor<2x4x19x23xf32>, tensor<3xi64>) -> tensor<8x19x23xf32>
  %16 = tsr.matmul %15, %8 : (tensor<8x19x23xf32>, tensor<8x23x16xf32>) -> tensor<8x19x16xf32>
  %17 = tsr.constant dense<[2, 4, 19, 16]> : tensor<4xi64> -> tensor<4xi64>
  %18 = tsr.reshape %16, %17 : (tensor<8x19x16xf32>, tensor<4xi64>) -> tensor<2x4x19x16xf32>
  %19 = tsr.transpose %18 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x19x16xf32>) -> tensor<2x19x4x16xf32>
  return %19 : tensor<2x19x4x16xf32>
}

// The result alone takes the batch apart.
func.func private @batch_apart_behind(%q: tensor<6x5x8xf32>, %k: tensor<6x8x7xf32>, %v: tensor<6x7x16xf32>) -> tensor<2x5x3x16xf32> {
  %0 = tsr.matmul %q, %k : (tensor<6x5x8xf32>, tensor<6x8x7xf32>) -> tensor<6x5x7xf32>
  %1 = tsr.softmax %0 {axis = -1 : i64} : (tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %2 = tsr.matmul %1, %v : (tensor<6x5x7xf32>, tensor<6x7x16xf32>) -> tensor<6x5x16xf32>
  %3 = tsr.constant dense<[2, 3, 5, 16]> : tensor<4xi64> -> tensor<4xi64>
  %4 = tsr.reshape %2, %3 : (tensor<6x5x16xf32>, tensor<4xi64>) -> tensor<2x3x5x16xf32>
  %5 = tsr.transpose %4 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x3x5x16xf32>) -> tensor<2x5x3x16xf32>
  return %5 : tensor<2x5x3x16xf32>
}

// Keys and values of two heads, each repeated for three heads of queries.
func.func private @grouped_heads(%q: tensor<2x6x18x16xf32>, %k: tensor<2x2x21x16xf32>, %v: tensor<2x2x21x16xf32>, %mask: tensor<2x6x1x21xf32>) -> tensor<2x18x6x16xf32> {
  %0 = tsr.constant dense<[2, 2, 1, 21, 16]> : tensor<5xi64> -> tensor<5xi64>
  %1 = tsr.constant dense<[2, 2, 3, 21, 16]> : tensor<5xi64> -> tensor<5xi64>
  %2 = tsr.constant dense<[2, 6, 21, 16]> : tensor<4xi64> -> tensor<4xi64>
  %3 = tsr.reshape %k, %0 : (tensor<2x2x21x16xf32>, tensor<5xi64>) -> tensor<2x2x1x21x16xf32>
  %4 = tsr.expand %3, %1 : (tensor<2x2x1x21x16xf32>, tensor<5xi64>) -> tensor<2x2x3x21x16xf32>
  %5 = tsr.reshape %4, %2 : (tensor<2x2x3x21x16xf32>, tensor<4xi64>) -> tensor<2x6x21x16xf32>
  %6 = tsr.transpose %5 {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x6x21x16xf32>) -> tensor<2x6x16x21xf32>
  %7 = tsr.reshape %v, %0 : (tensor<2x2x21x16xf32>, tensor<5xi64>) -> tensor<2x2x1x21x16xf32>
  %8 = tsr.expand %7, %1 : (tensor<2x2x1x21x16xf32>, tensor<5xi64>) -> tensor<2x2x3x21x16xf32>
  %9 = tsr.reshape %8, %2 : (tensor<2x2x3x21x16xf32>, tensor<4xi64>) -> tensor<2x6x21x16xf32>
  %10 = tsr.matmul %q, %6 : (tensor<2x6x18x16xf32>, tensor<2x6x16x21xf32>) -> tensor<2x6x18x21xf32>
  %11 = tsr.add %10, %mask : (tensor<2x6x18x21xf32>, tensor<2x6x1x21xf32>) -> tensor<2x6x18x21xf32>
  %12 = tsr.softmax %11 {axis = -1 : i64} : (tensor<2x6x18x21xf32>) -> tensor<2x6x18x21xf32>
  %13 = tsr.matmul %12, %9 : (tensor<2x6x18x21xf32>, tensor<2x6x21x16xf32>) -> tensor<2x6x18x16xf32>
  %14 = tsr.transpose %13 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x6x18x16xf32>) -> tensor<2x18x6x16xf32>
  return %14 : tensor<2x18x6x16xf32>
}

// One query for an open number of keys.
!grouped_keys = tensor<?x2x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
!grouped_one = tensor<?x2x1x?x16xf32, #tsr.layout<dims = ["b", "", "", "t", ""]>>
!grouped_all = tensor<?x2x3x?x16xf32, #tsr.layout<dims = ["b", "", "", "t", ""]>>
!repeated_keys = tensor<?x6x?x16xf32, #tsr.layout<dims = ["b", "", "t", ""]>>
!grouped_query = tensor<?x6x1x16xf32, #tsr.layout<dims = ["b", "", "", ""]>>
!grouped_scores = tensor<?x6x1x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
func.func private @open_grouped_heads(%q: !grouped_query {test.dims = [2, 6, 1, 16]}, %k: !grouped_keys {test.dims = [2, 2, 21, 16]}, %v: !grouped_keys {test.dims = [2, 2, 21, 16]}, %mask: tensor<?x1x1x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>> {test.dims = [2, 1, 1, 21]}) -> !grouped_query {
  %sizes = tsr.shape %k : (!grouped_keys) -> tensor<4xi64>
  %zero = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %two = tsr.constant dense<2> : tensor<1xi64> -> tensor<1xi64>
  %b = tsr.gather %sizes, %zero {axis = 0 : i64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %t = tsr.gather %sizes, %two {axis = 0 : i64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %one = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %three = tsr.constant dense<3> : tensor<1xi64> -> tensor<1xi64>
  %six = tsr.constant dense<6> : tensor<1xi64> -> tensor<1xi64>
  %depth = tsr.constant dense<16> : tensor<1xi64> -> tensor<1xi64>
  %0 = tsr.concat %b, %two, %one, %t, %depth {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %1 = tsr.concat %b, %two, %three, %t, %depth {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %2 = tsr.concat %b, %six, %t, %depth {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %3 = tsr.reshape %k, %0 : (!grouped_keys, tensor<5xi64>) -> !grouped_one
  %4 = tsr.expand %3, %1 : (!grouped_one, tensor<5xi64>) -> !grouped_all
  %5 = tsr.reshape %4, %2 : (!grouped_all, tensor<4xi64>) -> !repeated_keys
  %6 = tsr.transpose %5 {perm = array<i64: 0, 1, 3, 2>} : (!repeated_keys) -> tensor<?x6x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>
  %7 = tsr.reshape %v, %0 : (!grouped_keys, tensor<5xi64>) -> !grouped_one
  %8 = tsr.expand %7, %1 : (!grouped_one, tensor<5xi64>) -> !grouped_all
  %9 = tsr.reshape %8, %2 : (!grouped_all, tensor<4xi64>) -> !repeated_keys
  %10 = tsr.matmul %q, %6 : (!grouped_query, tensor<?x6x16x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> !grouped_scores
  %11 = tsr.add %10, %mask : (!grouped_scores, tensor<?x1x1x?xf32, #tsr.layout<dims = ["b", "", "", "t"]>>) -> !grouped_scores
  %12 = tsr.softmax %11 {axis = -1 : i64} : (!grouped_scores) -> !grouped_scores
  %13 = tsr.matmul %12, %9 : (!grouped_scores, !repeated_keys) -> !grouped_query
  return %13 : !grouped_query
}

// Scores that are capped, c * tanh(s / c), in front of the mask.
func.func private @capped(%q: tensor<2x3x20x16xf32>, %k: tensor<2x3x33x16xf32>, %v: tensor<2x3x33x32xf32>, %mask: tensor<20x33xf32>) -> tensor<2x3x20x32xf32> {
  %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x33x16xf32>) -> tensor<2x3x16x33xf32>
  %1 = tsr.matmul %q, %0 : (tensor<2x3x20x16xf32>, tensor<2x3x16x33xf32>) -> tensor<2x3x20x33xf32>
  %2 = tsr.constant dense<1.5> : tensor<f32> -> tensor<f32>
  %3 = tsr.div %1, %2 : (tensor<2x3x20x33xf32>, tensor<f32>) -> tensor<2x3x20x33xf32>
  %4 = tsr.tanh %3 : (tensor<2x3x20x33xf32>) -> tensor<2x3x20x33xf32>
  %5 = tsr.mul %4, %2 : (tensor<2x3x20x33xf32>, tensor<f32>) -> tensor<2x3x20x33xf32>
  %6 = tsr.add %5, %mask : (tensor<2x3x20x33xf32>, tensor<20x33xf32>) -> tensor<2x3x20x33xf32>
  %7 = tsr.softmax %6 {axis = -1 : i64} : (tensor<2x3x20x33xf32>) -> tensor<2x3x20x33xf32>
  %8 = tsr.matmul %7, %v : (tensor<2x3x20x33xf32>, tensor<2x3x33x32xf32>) -> tensor<2x3x20x32xf32>
  return %8 : tensor<2x3x20x32xf32>
}
