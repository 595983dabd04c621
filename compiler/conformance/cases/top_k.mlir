// The greatest and least elements.

func.func private @top_0_0(%a: tensor<4x3x9xf32>) -> (tensor<2x3x9xf32>, tensor<2x3x9xi64>) {
  %k0 = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 0 : i64, largest = 0 : i64} : (tensor<4x3x9xf32>, tensor<1xi64>) -> (tensor<2x3x9xf32>, tensor<2x3x9xi64>)
  return %r#0, %r#1 : tensor<2x3x9xf32>, tensor<2x3x9xi64>
}

func.func private @top_0_1(%a: tensor<4x3x9xf32>) -> (tensor<4x2x9xf32>, tensor<4x2x9xi64>) {
  %k0 = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 1 : i64, largest = 0 : i64} : (tensor<4x3x9xf32>, tensor<1xi64>) -> (tensor<4x2x9xf32>, tensor<4x2x9xi64>)
  return %r#0, %r#1 : tensor<4x2x9xf32>, tensor<4x2x9xi64>
}

func.func private @top_0_2(%a: tensor<4x3x9xf32>) -> (tensor<4x3x2xf32>, tensor<4x3x2xi64>) {
  %k0 = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = -1 : i64, largest = 0 : i64} : (tensor<4x3x9xf32>, tensor<1xi64>) -> (tensor<4x3x2xf32>, tensor<4x3x2xi64>)
  return %r#0, %r#1 : tensor<4x3x2xf32>, tensor<4x3x2xi64>
}

func.func private @top_0_i32(%a: tensor<5x12xi32> {test.range = [0, 6]}) -> (tensor<5x7xi32>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<5x12xi32>, tensor<1xi64>) -> (tensor<5x7xi32>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xi32>, tensor<5x7xi64>
}

func.func private @top_0_i64(%a: tensor<5x12xi64> {test.range = [0, 6]}) -> (tensor<5x7xi64>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<5x12xi64>, tensor<1xi64>) -> (tensor<5x7xi64>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xi64>, tensor<5x7xi64>
}

func.func private @top_0_u8(%a: tensor<5x12xui8> {test.range = [0, 6]}) -> (tensor<5x7xui8>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<5x12xui8>, tensor<1xi64>) -> (tensor<5x7xui8>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xui8>, tensor<5x7xi64>
}

func.func private @top_0_i8(%a: tensor<5x12xi8> {test.range = [0, 6]}) -> (tensor<5x7xi8>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<5x12xi8>, tensor<1xi64>) -> (tensor<5x7xi8>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xi8>, tensor<5x7xi64>
}

func.func private @top_1_0(%a: tensor<4x3x9xf32>) -> (tensor<2x3x9xf32>, tensor<2x3x9xi64>) {
  %k0 = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 0 : i64, largest = 1 : i64} : (tensor<4x3x9xf32>, tensor<1xi64>) -> (tensor<2x3x9xf32>, tensor<2x3x9xi64>)
  return %r#0, %r#1 : tensor<2x3x9xf32>, tensor<2x3x9xi64>
}

func.func private @top_1_1(%a: tensor<4x3x9xf32>) -> (tensor<4x2x9xf32>, tensor<4x2x9xi64>) {
  %k0 = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 1 : i64, largest = 1 : i64} : (tensor<4x3x9xf32>, tensor<1xi64>) -> (tensor<4x2x9xf32>, tensor<4x2x9xi64>)
  return %r#0, %r#1 : tensor<4x2x9xf32>, tensor<4x2x9xi64>
}

func.func private @top_1_2(%a: tensor<4x3x9xf32>) -> (tensor<4x3x2xf32>, tensor<4x3x2xi64>) {
  %k0 = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = -1 : i64, largest = 1 : i64} : (tensor<4x3x9xf32>, tensor<1xi64>) -> (tensor<4x3x2xf32>, tensor<4x3x2xi64>)
  return %r#0, %r#1 : tensor<4x3x2xf32>, tensor<4x3x2xi64>
}

func.func private @top_1_i32(%a: tensor<5x12xi32> {test.range = [0, 6]}) -> (tensor<5x7xi32>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<5x12xi32>, tensor<1xi64>) -> (tensor<5x7xi32>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xi32>, tensor<5x7xi64>
}

func.func private @top_1_i64(%a: tensor<5x12xi64> {test.range = [0, 6]}) -> (tensor<5x7xi64>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<5x12xi64>, tensor<1xi64>) -> (tensor<5x7xi64>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xi64>, tensor<5x7xi64>
}

func.func private @top_1_u8(%a: tensor<5x12xui8> {test.range = [0, 6]}) -> (tensor<5x7xui8>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<5x12xui8>, tensor<1xi64>) -> (tensor<5x7xui8>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xui8>, tensor<5x7xi64>
}

func.func private @top_1_i8(%a: tensor<5x12xi8> {test.range = [0, 6]}) -> (tensor<5x7xi8>, tensor<5x7xi64>) {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<5x12xi8>, tensor<1xi64>) -> (tensor<5x7xi8>, tensor<5x7xi64>)
  return %r#0, %r#1 : tensor<5x7xi8>, tensor<5x7xi64>
}

func.func private @all(%a: tensor<20xf32>) -> (tensor<20xf32>, tensor<20xi64>) {
  %k0 = tsr.constant dense<[20]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 : (tensor<20xf32>, tensor<1xi64>) -> (tensor<20xf32>, tensor<20xi64>)
  return %r#0, %r#1 : tensor<20xf32>, tensor<20xi64>
}

func.func private @by_value(%a: tensor<?x9xf32> {test.dims = [3, 9]}, %b: tensor<1xi64> {test.values = [4]}) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %r:2 = tsr.top_k %a, %b : (tensor<?x9xf32>, tensor<1xi64>) -> (tensor<?x?xf32>, tensor<?x?xi64>)
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi64>
}

func.func private @top_k_many_lines(%a: tensor<20x7x150xf32>) -> (tensor<20x7x3xf32>, tensor<20x7x3xi64>) {
  %k0 = tsr.constant dense<3> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 : (tensor<20x7x150xf32>, tensor<1xi64>) -> (tensor<20x7x3xf32>, tensor<20x7x3xi64>)
  return %r#0, %r#1 : tensor<20x7x3xf32>, tensor<20x7x3xi64>
}

// Many of long lines: equal elements, both zeros and NaN are in the order of their positions.
func.func private @greatest_special(%a: tensor<3x333xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40, -1.0e-40, 0.0, -0.0, 3.0, -2.0]}) -> (tensor<3x150xf32>, tensor<3x150xi64>) {
  %k0 = tsr.constant dense<[150]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<3x333xf32>, tensor<1xi64>) -> (tensor<3x150xf32>, tensor<3x150xi64>)
  return %r#0, %r#1 : tensor<3x150xf32>, tensor<3x150xi64>
}

func.func private @least_special(%a: tensor<3x333xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40, -1.0e-40, 0.0, -0.0, 3.0, -2.0]}) -> (tensor<3x150xf32>, tensor<3x150xi64>) {
  %k0 = tsr.constant dense<[150]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<3x333xf32>, tensor<1xi64>) -> (tensor<3x150xf32>, tensor<3x150xi64>)
  return %r#0, %r#1 : tensor<3x150xf32>, tensor<3x150xi64>
}

func.func private @greatest_special_f64(%a: tensor<2x77xf64> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40, -1.0e-40, 0.0, -0.0, 3.0, -2.0]}) -> (tensor<2x30xf64>, tensor<2x30xi64>) {
  %k0 = tsr.constant dense<[30]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<2x77xf64>, tensor<1xi64>) -> (tensor<2x30xf64>, tensor<2x30xi64>)
  return %r#0, %r#1 : tensor<2x30xf64>, tensor<2x30xi64>
}

func.func private @least_special_f64(%a: tensor<2x77xf64> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40, -1.0e-40, 0.0, -0.0, 3.0, -2.0]}) -> (tensor<2x30xf64>, tensor<2x30xi64>) {
  %k0 = tsr.constant dense<[30]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<2x77xf64>, tensor<1xi64>) -> (tensor<2x30xf64>, tensor<2x30xi64>)
  return %r#0, %r#1 : tensor<2x30xf64>, tensor<2x30xi64>
}

func.func private @greatest_extreme_i32(%a: tensor<2x100xi32> {test.values = [0, -2147483648, 2147483647, -1, 1, -2147483648, 2147483647]}) -> (tensor<2x40xi32>, tensor<2x40xi64>) {
  %k0 = tsr.constant dense<[40]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<2x100xi32>, tensor<1xi64>) -> (tensor<2x40xi32>, tensor<2x40xi64>)
  return %r#0, %r#1 : tensor<2x40xi32>, tensor<2x40xi64>
}

func.func private @least_extreme_i32(%a: tensor<2x100xi32> {test.values = [0, -2147483648, 2147483647, -1, 1, -2147483648, 2147483647]}) -> (tensor<2x40xi32>, tensor<2x40xi64>) {
  %k0 = tsr.constant dense<[40]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<2x100xi32>, tensor<1xi64>) -> (tensor<2x40xi32>, tensor<2x40xi64>)
  return %r#0, %r#1 : tensor<2x40xi32>, tensor<2x40xi64>
}

func.func private @greatest_extreme_u8(%a: tensor<2x100xui8> {test.values = [0, 128, 127, 255, 1, 254, 255]}) -> (tensor<2x40xui8>, tensor<2x40xi64>) {
  %k0 = tsr.constant dense<[40]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<2x100xui8>, tensor<1xi64>) -> (tensor<2x40xui8>, tensor<2x40xi64>)
  return %r#0, %r#1 : tensor<2x40xui8>, tensor<2x40xi64>
}

func.func private @many_across(%a: tensor<2x211x5xf32> {test.range = [-1.0, 1.0]}) -> (tensor<2x90x5xf32>, tensor<2x90x5xi64>) {
  %k0 = tsr.constant dense<[90]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 1 : i64, largest = 1 : i64} : (tensor<2x211x5xf32>, tensor<1xi64>) -> (tensor<2x90x5xf32>, tensor<2x90x5xi64>)
  return %r#0, %r#1 : tensor<2x90x5xf32>, tensor<2x90x5xi64>
}

func.func private @many_by_value(%a: tensor<?x?xf32> {test.dims = [3, 1200]}, %b: tensor<1xi64> {test.values = [130]}) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %r:2 = tsr.top_k %a, %b : (tensor<?x?xf32>, tensor<1xi64>) -> (tensor<?x?xf32>, tensor<?x?xi64>)
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi64>
}

func.func private @top_8_of_200(%a: tensor<3x200xf32>) -> (tensor<3x8xf32>, tensor<3x8xi64>) {
  %k0 = tsr.constant dense<[8]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<3x200xf32>, tensor<1xi64>) -> (tensor<3x8xf32>, tensor<3x8xi64>)
  return %r#0, %r#1 : tensor<3x8xf32>, tensor<3x8xi64>
}

func.func private @top_9_of_200(%a: tensor<3x200xf32>) -> (tensor<3x9xf32>, tensor<3x9xi64>) {
  %k0 = tsr.constant dense<[9]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<3x200xf32>, tensor<1xi64>) -> (tensor<3x9xf32>, tensor<3x9xi64>)
  return %r#0, %r#1 : tensor<3x9xf32>, tensor<3x9xi64>
}

func.func private @top_5_of_equal(%a: tensor<3x150xi32> {test.range = [0, 6]}) -> (tensor<3x5xi32>, tensor<3x5xi64>) {
  %k0 = tsr.constant dense<[5]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<3x150xi32>, tensor<1xi64>) -> (tensor<3x5xi32>, tensor<3x5xi64>)
  return %r#0, %r#1 : tensor<3x5xi32>, tensor<3x5xi64>
}

// Some tens of long lines, by a filter: many are equal, all are, NaN, a line of open size.
func.func private @filtered(%a: tensor<3x777xf32> {test.range = [-1.0, 1.0]}) -> (tensor<3x20xf32>, tensor<3x20xi64>) {
  %k0 = tsr.constant dense<[20]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<3x777xf32>, tensor<1xi64>) -> (tensor<3x20xf32>, tensor<3x20xi64>)
  return %r#0, %r#1 : tensor<3x20xf32>, tensor<3x20xi64>
}

// Four lines at a time, and one that is left; several of them have too many equal elements.
func.func private @filtered_lines(%a: tensor<3x3x260xf32> {test.values = [0.0, 3.0, 0.5, 1.0, -0.0, -2.0, 0.5]}) -> (tensor<3x3x30xf32>, tensor<3x3x30xi64>) {
  %k0 = tsr.constant dense<[30]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<3x3x260xf32>, tensor<1xi64>) -> (tensor<3x3x30xf32>, tensor<3x3x30xi64>)
  return %r#0, %r#1 : tensor<3x3x30xf32>, tensor<3x3x30xi64>
}

func.func private @filtered_open_lines(%a: tensor<?x300xf32> {test.dims = [6, 300], test.range = [-1.0, 1.0]}) -> (tensor<?x16xf32>, tensor<?x16xi64>) {
  %k0 = tsr.constant dense<[16]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<?x300xf32>, tensor<1xi64>) -> (tensor<?x16xf32>, tensor<?x16xi64>)
  return %r#0, %r#1 : tensor<?x16xf32>, tensor<?x16xi64>
}

func.func private @filtered_many_equal(%a: tensor<2x640xf32> {test.values = [0.0, -0.0, 0.0, 1.0, 0.0, -2.0, 0.0]}) -> (tensor<2x100xf32>, tensor<2x100xi64>) {
  %k0 = tsr.constant dense<[100]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<2x640xf32>, tensor<1xi64>) -> (tensor<2x100xf32>, tensor<2x100xi64>)
  return %r#0, %r#1 : tensor<2x100xf32>, tensor<2x100xi64>
}

func.func private @filtered_least_many_equal(%a: tensor<2x640xf32> {test.values = [0.0, -0.0, 0.0, 1.0, 0.0, -2.0, 0.0]}) -> (tensor<2x100xf32>, tensor<2x100xi64>) {
  %k0 = tsr.constant dense<[100]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<2x640xf32>, tensor<1xi64>) -> (tensor<2x100xf32>, tensor<2x100xi64>)
  return %r#0, %r#1 : tensor<2x100xf32>, tensor<2x100xi64>
}

func.func private @filtered_all_equal_i32(%a: tensor<2x300xi32> {test.values = [2147483647]}) -> (tensor<2x17xi32>, tensor<2x17xi64>) {
  %k0 = tsr.constant dense<[17]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<2x300xi32>, tensor<1xi64>) -> (tensor<2x17xi32>, tensor<2x17xi64>)
  return %r#0, %r#1 : tensor<2x17xi32>, tensor<2x17xi64>
}

func.func private @filtered_special(%a: tensor<3x333xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40, -1.0e-40, 0.0, -0.0, 3.0, -2.0]}) -> (tensor<3x90xf32>, tensor<3x90xi64>) {
  %k0 = tsr.constant dense<[90]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<3x333xf32>, tensor<1xi64>) -> (tensor<3x90xf32>, tensor<3x90xi64>)
  return %r#0, %r#1 : tensor<3x90xf32>, tensor<3x90xi64>
}

func.func private @filtered_least_special(%a: tensor<3x333xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40, -1.0e-40, 0.0, -0.0, 3.0, -2.0]}) -> (tensor<3x110xf32>, tensor<3x110xi64>) {
  %k0 = tsr.constant dense<[110]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 0 : i64} : (tensor<3x333xf32>, tensor<1xi64>) -> (tensor<3x110xf32>, tensor<3x110xi64>)
  return %r#0, %r#1 : tensor<3x110xf32>, tensor<3x110xi64>
}

func.func private @filtered_open(%a: tensor<?x?xf32> {test.dims = [2, 45], test.range = [-1.0, 1.0]}) -> (tensor<?x12xf32>, tensor<?x12xi64>) {
  %k0 = tsr.constant dense<[12]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {largest = 1 : i64} : (tensor<?x?xf32>, tensor<1xi64>) -> (tensor<?x12xf32>, tensor<?x12xi64>)
  return %r#0, %r#1 : tensor<?x12xf32>, tensor<?x12xi64>
}

// Lines side by side: some neighbours more than whole vectors; equal ones; long lines.
func.func private @neighbours(%a: tensor<2x40x37xf32> {test.range = [-1.0, 1.0]}) -> (tensor<2x5x37xf32>, tensor<2x5x37xi64>) {
  %k0 = tsr.constant dense<[5]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 1 : i64, largest = 1 : i64} : (tensor<2x40x37xf32>, tensor<1xi64>) -> (tensor<2x5x37xf32>, tensor<2x5x37xi64>)
  return %r#0, %r#1 : tensor<2x5x37xf32>, tensor<2x5x37xi64>
}

func.func private @neighbours_special(%a: tensor<2x300x9xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 0.0, -0.0, 3.0, -2.0]}) -> (tensor<2x3x9xf32>, tensor<2x3x9xi64>) {
  %k0 = tsr.constant dense<[3]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 1 : i64, largest = 1 : i64} : (tensor<2x300x9xf32>, tensor<1xi64>) -> (tensor<2x3x9xf32>, tensor<2x3x9xi64>)
  return %r#0, %r#1 : tensor<2x3x9xf32>, tensor<2x3x9xi64>
}

func.func private @neighbours_least_special(%a: tensor<12x16xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0x7FF8000000000000 : f64, 0.0, 1.0]}) -> (tensor<12x16xf32>, tensor<12x16xi64>) {
  %k0 = tsr.constant dense<[12]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 0 : i64, largest = 0 : i64} : (tensor<12x16xf32>, tensor<1xi64>) -> (tensor<12x16xf32>, tensor<12x16xi64>)
  return %r#0, %r#1 : tensor<12x16xf32>, tensor<12x16xi64>
}

func.func private @neighbours_open_i32(%a: tensor<?x?x?xi32> {test.dims = [2, 20, 19]}) -> (tensor<?x4x?xi32>, tensor<?x4x?xi64>) {
  %k0 = tsr.constant dense<[4]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %a, %k0 {axis = 1 : i64, largest = 0 : i64} : (tensor<?x?x?xi32>, tensor<1xi64>) -> (tensor<?x4x?xi32>, tensor<?x4x?xi64>)
  return %r#0, %r#1 : tensor<?x4x?xi32>, tensor<?x4x?xi64>
}
