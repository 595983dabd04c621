// Where values are: parts of others, outputs, and what is copied.

func.func private @concat_in_place(%x: tensor<1x2x3x3xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x4x3x3xf32> {
  %0 = tsr.relu %x : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = tsr.conv %0, %w : (tensor<1x2x3x3xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %2 = tsr.concat %0, %1 {axis = 1 : i64} : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %2 : tensor<1x4x3x3xf32>
}
func.func private @concat_of_one_twice(%x: tensor<1x2xf32>) -> tensor<1x4xf32> {
  %0 = tsr.neg %x : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %1 = tsr.concat %0, %0 {axis = 1 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func private @concat_of_concats(%x: tensor<1x2xf32>, %z: tensor<1x3xf32>) -> (tensor<1x8xf32>, tensor<1x4xf32>) {
  %4 = tsr.constant dense<5.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %0 = tsr.neg %x : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %1 = tsr.abs %z : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %2 = tsr.concat %0, %x {axis = 1 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %3 = tsr.concat %2, %1, %4 {axis = 1 : i64} : (tensor<1x4xf32>, tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x8xf32>
  return %3, %2 : tensor<1x8xf32>, tensor<1x4xf32>
}
func.func private @concat_inner(%x: tensor<3x2xf32>, %z: tensor<3x3xf32>) -> tensor<3x5xf32> {
  %0 = tsr.neg %x : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = tsr.concat %0, %z {axis = 1 : i64} : (tensor<3x2xf32>, tensor<3x3xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
func.func private @split_then_joined(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0:2 = tsr.split %x {axis = 0 : i64, num_outputs = 2 : i64} : (tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %1 = tsr.sub %0#1, %0#0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tsr.concat %1, %0#0 {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
func.func private @one_value_returned_twice(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = tsr.neg %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0, %0 : tensor<5xf32>, tensor<5xf32>
}
func.func private @views_returned(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<3xf32>) {
  %shape = tsr.constant dense<[6]> : tensor<1xi64> -> tensor<1xi64>
  %0 = tsr.reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  %1 = tsr.neg %0 : (tensor<6xf32>) -> tensor<6xf32>
  %starts = tsr.constant dense<[3]> : tensor<1xi64> -> tensor<1xi64>
  %ends = tsr.constant dense<[6]> : tensor<1xi64> -> tensor<1xi64>
  %2 = tsr.slice %1, %starts, %ends {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  return %1, %2 : tensor<6xf32>, tensor<3xf32>
}
func.func private @nothing_but_views(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = tsr.flatten %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<1x6xf32>
  %axes = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %1 = tsr.squeeze %0, %axes : (tensor<1x6xf32>, tensor<1xi64>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}
func.func private @constants(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = tsr.constant dense<-0.5> : tensor<f32> -> tensor<f32>
  %c = tsr.constant dense<[1.5, -2.5, 1.0e-30]> : tensor<3xf32> -> tensor<3xf32>
  %0 = tsr.sub %s, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tsr.neg %s : (tensor<f32>) -> tensor<f32>
  %2 = tsr.mul %0, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = tsr.add %2, %1 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}
func.func private @composite(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = tsr.composite "silu"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%a: tensor<3x4xf32>):
    %1 = tsr.sigmoid %a : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %2 = tsr.mul %a, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    tsr.yield %2 : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}
