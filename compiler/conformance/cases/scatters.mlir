// Scatters of enough elements for several threads: slices that replace others, slices that are combined, elements along each
// dimension of several.

func.func private @scatter_slices(%a: tensor<70x240xf32>, %b: tensor<36x1xi64> {test.values = [-10, -37, 24, 51, -54, -67, 50, -4, -11, -21, 63, 31, 11, 40, -51, -41, 56, 54, 41, 48, 62, 67, -69, 15, -62, -50, 27, 5, -32, 43, 64, -36, 69, 6, 22, 47]}, %c: tensor<36x240xf32>) -> tensor<70x240xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "none"} : (tensor<70x240xf32>, tensor<36x1xi64>, tensor<36x240xf32>) -> tensor<70x240xf32>
  return %r : tensor<70x240xf32>
}

// The last update of a place counts.
func.func private @scatter_slices_twice(%a: tensor<7x240xf32>, %b: tensor<12x1xi64> {test.values = [3, 5, 3, -7, 0, 5, 6, -4, 1, 6, 0, 2]}, %c: tensor<12x240xf32>) -> tensor<7x240xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "none"} : (tensor<7x240xf32>, tensor<12x1xi64>, tensor<12x240xf32>) -> tensor<7x240xf32>
  return %r : tensor<7x240xf32>
}

// Of a batch of one.
func.func private @scatter_elements_of_one(%a: tensor<1x100x288xf32>, %b: tensor<1x60x288xi64> {test.range = [-100, 99]}, %c: tensor<1x60x288xf32>) -> tensor<1x100x288xf32> {
  %r = tsr.scatter_elements %a, %b, %c {axis = 1 : i64, reduction = "add"} : (tensor<1x100x288xf32>, tensor<1x60x288xi64>, tensor<1x60x288xf32>) -> tensor<1x100x288xf32>
  return %r : tensor<1x100x288xf32>
}

func.func private @scatter_slices_of_two(%a: tensor<9x8x5x50xf32>, %b: tensor<3x4x2xi64> {test.values = [6, -2, 6, -6, 7, -8, 2, -7, 5, -2, 1, -4, 0, -4, 8, -4, 7, -1, 1, -3, 2, -8, 5, -5]}, %c: tensor<3x4x5x50xf32>) -> tensor<9x8x5x50xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "none"} : (tensor<9x8x5x50xf32>, tensor<3x4x2xi64>, tensor<3x4x5x50xf32>) -> tensor<9x8x5x50xf32>
  return %r : tensor<9x8x5x50xf32>
}

func.func private @scatter_all_slices(%a: tensor<20x900xi64>, %b: tensor<20x1xi64> {test.values = [13, 9, 19, 16, 12, 18, 5, 8, 14, 6, 11, 3, 17, 7, 0, 2, 1, 4, 15, 10]}, %c: tensor<20x900xi64>) -> tensor<20x900xi64> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "none"} : (tensor<20x900xi64>, tensor<20x1xi64>, tensor<20x900xi64>) -> tensor<20x900xi64>
  return %r : tensor<20x900xi64>
}

func.func private @scatter_slices_add(%a: tensor<67x260xf32>, %b: tensor<90x1xi64> {test.range = [-67, 66]}, %c: tensor<90x260xf32>) -> tensor<67x260xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "add"} : (tensor<67x260xf32>, tensor<90x1xi64>, tensor<90x260xf32>) -> tensor<67x260xf32>
  return %r : tensor<67x260xf32>
}

func.func private @scatter_slices_mul(%a: tensor<67x260xf32>, %b: tensor<90x1xi64> {test.range = [-67, 66]}, %c: tensor<90x260xf32>) -> tensor<67x260xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "mul"} : (tensor<67x260xf32>, tensor<90x1xi64>, tensor<90x260xf32>) -> tensor<67x260xf32>
  return %r : tensor<67x260xf32>
}

func.func private @scatter_slices_max(%a: tensor<67x260xf32>, %b: tensor<90x1xi64> {test.range = [-67, 66]}, %c: tensor<90x260xf32>) -> tensor<67x260xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "max"} : (tensor<67x260xf32>, tensor<90x1xi64>, tensor<90x260xf32>) -> tensor<67x260xf32>
  return %r : tensor<67x260xf32>
}

func.func private @scatter_slices_add_of_two(%a: tensor<7x5x500xf32>, %b: tensor<4x9x2xi64> {test.range = [-5, 4]}, %c: tensor<4x9x500xf32>) -> tensor<7x5x500xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "add"} : (tensor<7x5x500xf32>, tensor<4x9x2xi64>, tensor<4x9x500xf32>) -> tensor<7x5x500xf32>
  return %r : tensor<7x5x500xf32>
}

func.func private @scatter_few_places_add(%a: tensor<3x6000xf32>, %b: tensor<9x1xi64> {test.range = [0, 2]}, %c: tensor<9x6000xf32>) -> tensor<3x6000xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "add"} : (tensor<3x6000xf32>, tensor<9x1xi64>, tensor<9x6000xf32>) -> tensor<3x6000xf32>
  return %r : tensor<3x6000xf32>
}

func.func private @scatter_rows_of_elements_add(%a: tensor<50x400xf32>, %b: tensor<60x390xi64> {test.range = [-50, 49]}, %c: tensor<60x390xf32>) -> tensor<50x400xf32> {
  %r = tsr.scatter_elements %a, %b, %c {axis = 0 : i64, reduction = "add"} : (tensor<50x400xf32>, tensor<60x390xi64>, tensor<60x390xf32>) -> tensor<50x400xf32>
  return %r : tensor<50x400xf32>
}

func.func private @scatter_columns_of_elements_add(%a: tensor<70x300xf32>, %b: tensor<61x30xi64> {test.range = [-300, 299]}, %c: tensor<61x30xf32>) -> tensor<70x300xf32> {
  %r = tsr.scatter_elements %a, %b, %c {axis = 1 : i64, reduction = "add"} : (tensor<70x300xf32>, tensor<61x30xi64>, tensor<61x30xf32>) -> tensor<70x300xf32>
  return %r : tensor<70x300xf32>
}

func.func private @scatter_elements_between_max(%a: tensor<33x20x40xf32>, %b: tensor<30x25x38xi64> {test.range = [0, 19]}, %c: tensor<30x25x38xf32>) -> tensor<33x20x40xf32> {
  %r = tsr.scatter_elements %a, %b, %c {axis = -2 : i64, reduction = "max"} : (tensor<33x20x40xf32>, tensor<30x25x38xi64>, tensor<30x25x38xf32>) -> tensor<33x20x40xf32>
  return %r : tensor<33x20x40xf32>
}

func.func private @scatter_columns_of_elements(%a: tensor<64x300xf32>, %b: tensor<64x3xi64> {test.values = [108, 293, 136, 145, 63, 32, 246, 247, 45, 176, 34, 210, 77, 10, 150, 218, 212, 60, 22, 23, 193, 169, 282, 142, 258, 120, 18, 158, 3, 39, 55, 274, 16, 101, 208, 149, 134, 79, 21, 173, 160, 184, 70, 193, 192, 235, 266, 197, 286, 52, 259, 138, 220, 121, 154, 223, 132, 266, 155, 280, 173, 5, 212, 296, 161, 10, 192, 68, 30, 170, 238, 180, 180, 142, 250, 11, 31, 10, 189, 128, 233, 152, 163, 90, 186, 94, 160, 189, 135, 153, 193, 53, 13, 291, 67, 158, 256, 113, 137, 122, 167, 95, 222, 49, 52, 164, 170, 114, 224, 86, 40, 172, 111, 291, 230, 138, 115, 61, 17, 271, 97, 161, 294, 93, 142, 174, 43, 176, 66, 215, 149, 265, 138, 237, 177, 213, 148, 214, 290, 209, 18, 211, 79, 102, 2, 244, 261, 222, 286, 113, 16, 233, 265, 147, 278, 174, 116, 34, 146, 61, 125, 23, 17, 262, 101, 220, 295, 25, 6, 246, 61, 87, 257, 153, 122, 10, 268, 274, 211, 27, 58, 174, 64, 129, 276, 244, 31, 180, 113, 101, 62, 273]}, %c: tensor<64x3xf32>) -> tensor<64x300xf32> {
  %r = tsr.scatter_elements %a, %b, %c {axis = 1 : i64, reduction = "none"} : (tensor<64x300xf32>, tensor<64x3xi64>, tensor<64x3xf32>) -> tensor<64x300xf32>
  return %r : tensor<64x300xf32>
}

func.func private @scatter_slices_open(%a: tensor<?x?x64xf32> {test.dims = [30, 9, 64]}, %b: tensor<?x1xi64> {test.dims = [4, 1], test.values = [0, 29, 3, 7]}, %c: tensor<?x?x64xf32> {test.dims = [4, 9, 64]}) -> tensor<?x?x64xf32> {
  %r = tsr.scatter_nd %a, %b, %c : (tensor<?x?x64xf32>, tensor<?x1xi64>, tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func private @scatter_places_open(%a: tensor<?x9x64xf32> {test.dims = [30, 9, 64]}, %b: tensor<?x2xi64> {test.dims = [4, 2], test.values = [0, 8, 29, 3, 29, -1, 7, -9]}, %c: tensor<?x64xf32> {test.dims = [4, 64]}) -> tensor<?x9x64xf32> {
  %r = tsr.scatter_nd %a, %b, %c : (tensor<?x9x64xf32>, tensor<?x2xi64>, tensor<?x64xf32>) -> tensor<?x9x64xf32>
  return %r : tensor<?x9x64xf32>
}

func.func private @scatter_places_add_open(%a: tensor<?x9x64xf32> {test.dims = [30, 9, 64]}, %b: tensor<?x2xi64> {test.dims = [70, 2], test.range = [-9, 8]}, %c: tensor<?x64xf32> {test.dims = [70, 64]}) -> tensor<?x9x64xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "add"} : (tensor<?x9x64xf32>, tensor<?x2xi64>, tensor<?x64xf32>) -> tensor<?x9x64xf32>
  return %r : tensor<?x9x64xf32>
}

func.func private @scatter_elements_open(%a: tensor<?x?xf32> {test.dims = [70, 300]}, %b: tensor<?x?xi64> {test.dims = [61, 30], test.range = [-300, 299]}, %c: tensor<?x?xf32> {test.dims = [61, 30]}) -> tensor<?x?xf32> {
  %r = tsr.scatter_elements %a, %b, %c {axis = 1 : i64, reduction = "add"} : (tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
