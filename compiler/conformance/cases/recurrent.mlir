// lstm, gru, rnn.

func.func private @lstm(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_no_bias(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}) -> tensor<5x1x2x4xf32> {
  %r = tsr.lstm %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> tensor<5x1x2x4xf32>
  return %r : tensor<5x1x2x4xf32>
}

func.func private @lstm_last_only(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>) -> tensor<1x2x4xf32> {
  %r = tsr.lstm %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 0, 1, 0>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>) -> tensor<1x2x4xf32>
  return %r : tensor<1x2x4xf32>
}

func.func private @lstm_reverse(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_both(%a: tensor<5x2x3xf32>, %b: tensor<2x16x3xf32>, %c: tensor<2x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x32xf32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<2x16x3xf32>, tensor<2x16x4xf32>, tensor<2x32xf32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @lstm_one_state(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>, %s: tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %s, %s {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_lengths(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>, %e: tensor<2xi32> {test.values = [3, 5]}) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<2xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_lengths_both(%a: tensor<5x2x3xf32>, %b: tensor<2x16x3xf32>, %c: tensor<2x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x32xf32>, %e: tensor<2xi32> {test.values = [2, 5]}) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<2x16x3xf32>, tensor<2x16x4xf32>, tensor<2x32xf32>, tensor<2xi32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @lstm_initial(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>, %e: tensor<1x2x4xf32>, %f: tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_batch_first(%a: tensor<2x5x3xf32>, %b: tensor<2x16x3xf32>, %c: tensor<2x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x32xf32>, %e: tensor<2x2x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e {direction = "bidirectional", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<2x5x3xf32>, tensor<2x16x3xf32>, tensor<2x16x4xf32>, tensor<2x32xf32>, tensor<2x2x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @lstm_clip(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {clip = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_open(%a: tensor<?x?x3xf32> {test.dims = [5, 2, 3]}, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>) -> (tensor<?x1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>) -> (tensor<?x1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>
}

func.func private @lstm_larger(%a: tensor<7x3x20xf32>, %b: tensor<1x132x20xf32>, %c: tensor<1x132x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x264xf32>) -> (tensor<7x1x3x33xf32>, tensor<1x3x33xf32>, tensor<1x3x33xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<7x3x20xf32>, tensor<1x132x20xf32>, tensor<1x132x33xf32>, tensor<1x264xf32>) -> (tensor<7x1x3x33xf32>, tensor<1x3x33xf32>, tensor<1x3x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<7x1x3x33xf32>, tensor<1x3x33xf32>, tensor<1x3x33xf32>
}

func.func private @gru(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_no_bias(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}) -> tensor<5x1x2x4xf32> {
  %r = tsr.gru %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> tensor<5x1x2x4xf32>
  return %r : tensor<5x1x2x4xf32>
}

func.func private @gru_last_only(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>) -> tensor<1x2x4xf32> {
  %r = tsr.gru %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 0, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> tensor<1x2x4xf32>
  return %r : tensor<1x2x4xf32>
}

func.func private @gru_reverse(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_both(%a: tensor<5x2x3xf32>, %b: tensor<2x12x3xf32>, %c: tensor<2x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x24xf32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>, tensor<2x24xf32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @gru_lengths(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>, %e: tensor<2xi32> {test.values = [3, 5]}) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<2xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_lengths_both(%a: tensor<5x2x3xf32>, %b: tensor<2x12x3xf32>, %c: tensor<2x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x24xf32>, %e: tensor<2xi32> {test.values = [2, 5]}) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>, tensor<2x24xf32>, tensor<2xi32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @gru_initial(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>, %e: tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_batch_first(%a: tensor<2x5x3xf32>, %b: tensor<2x12x3xf32>, %c: tensor<2x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x24xf32>, %e: tensor<2x2x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {direction = "bidirectional", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<2x5x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>, tensor<2x24xf32>, tensor<2x2x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<2x5x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @gru_clip(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {clip = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_open(%a: tensor<?x?x3xf32> {test.dims = [5, 2, 3]}, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>) -> (tensor<?x1x?x4xf32>, tensor<1x?x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<?x1x?x4xf32>, tensor<1x?x4xf32>)
  return %r#0, %r#1 : tensor<?x1x?x4xf32>, tensor<1x?x4xf32>
}

func.func private @gru_larger(%a: tensor<7x3x20xf32>, %b: tensor<1x99x20xf32>, %c: tensor<1x99x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x198xf32>) -> (tensor<7x1x3x33xf32>, tensor<1x3x33xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<7x3x20xf32>, tensor<1x99x20xf32>, tensor<1x99x33xf32>, tensor<1x198xf32>) -> (tensor<7x1x3x33xf32>, tensor<1x3x33xf32>)
  return %r#0, %r#1 : tensor<7x1x3x33xf32>, tensor<1x3x33xf32>
}

func.func private @rnn(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_no_bias(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}) -> tensor<5x1x2x4xf32> {
  %r = tsr.rnn %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32>
  return %r : tensor<5x1x2x4xf32>
}

func.func private @rnn_last_only(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> tensor<1x2x4xf32> {
  %r = tsr.rnn %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 0, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> tensor<1x2x4xf32>
  return %r : tensor<1x2x4xf32>
}

func.func private @rnn_reverse(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_both(%a: tensor<5x2x3xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x8xf32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x8xf32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @rnn_lengths(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>, %e: tensor<2xi32> {test.values = [3, 5]}) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<2xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_lengths_both(%a: tensor<5x2x3xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x8xf32>, %e: tensor<2xi32> {test.values = [2, 5]}) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x8xf32>, tensor<2xi32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @rnn_initial(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>, %e: tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_batch_first(%a: tensor<2x5x3xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x8xf32>, %e: tensor<2x2x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {direction = "bidirectional", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<2x5x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x8xf32>, tensor<2x2x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<2x5x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @rnn_clip(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {clip = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_open(%a: tensor<?x?x3xf32> {test.dims = [5, 2, 3]}, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<?x1x?x4xf32>, tensor<1x?x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<?x1x?x4xf32>, tensor<1x?x4xf32>)
  return %r#0, %r#1 : tensor<?x1x?x4xf32>, tensor<1x?x4xf32>
}

func.func private @rnn_larger(%a: tensor<7x3x20xf32>, %b: tensor<1x33x20xf32>, %c: tensor<1x33x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x66xf32>) -> (tensor<7x1x3x33xf32>, tensor<1x3x33xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<7x3x20xf32>, tensor<1x33x20xf32>, tensor<1x33x33xf32>, tensor<1x66xf32>) -> (tensor<7x1x3x33xf32>, tensor<1x3x33xf32>)
  return %r#0, %r#1 : tensor<7x1x3x33xf32>, tensor<1x3x33xf32>
}

func.func private @lstm_peepholes(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>, %e: tensor<1x2x4xf32>, %f: tensor<1x12xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 1>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x2x4xf32>, tensor<1x12xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_input_forget(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {input_forget = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_linear_before_reset(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {linear_before_reset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_linear_before_reset_no_bias(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c {linear_before_reset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_activations(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {activations = ["HardSigmoid", "Softsign", "Relu"], activation_alpha = [0.3 : f32], activation_beta = [0.4 : f32], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @gru_activations(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {activations = ["Sigmoid", "ScaledTanh"], activation_alpha = [1.5 : f32], activation_beta = [0.5 : f32], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_affine(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {activations = ["Affine"], clip = 3.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_elu(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {activations = ["Elu"], clip = 3.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_leakyrelu(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {activations = ["LeakyRelu"], clip = 3.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_softplus(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {activations = ["Softplus"], clip = 3.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @rnn_thresholdedrelu(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {activations = ["ThresholdedRelu"], clip = 3.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1 : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

func.func private @lstm_lengths_reverse_larger(%a: tensor<5x8x20xf32>, %b: tensor<1x132x20xf32>, %c: tensor<1x132x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x264xf32>, %e: tensor<8xi32> {test.values = [3, 5, 0, 1, 5, 2, 4, 3]}, %f: tensor<1x8x33xf32>, %g: tensor<1x8x33xf32>) -> (tensor<5x1x8x33xf32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f, %g {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x8x20xf32>, tensor<1x132x20xf32>, tensor<1x132x33xf32>, tensor<1x264xf32>, tensor<8xi32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>) -> (tensor<5x1x8x33xf32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x8x33xf32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>
}

func.func private @gru_lengths_late(%a: tensor<5x8x20xf32>, %b: tensor<2x99x20xf32>, %c: tensor<2x99x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x198xf32>, %e: tensor<8xi32> {test.values = [3, 5, 0, 1, 5, 2, 4, 3]}, %f: tensor<2x8x33xf32>) -> (tensor<5x2x8x33xf32>, tensor<2x8x33xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e, %f {direction = "bidirectional", linear_before_reset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x8x20xf32>, tensor<2x99x20xf32>, tensor<2x99x33xf32>, tensor<2x198xf32>, tensor<8xi32>, tensor<2x8x33xf32>) -> (tensor<5x2x8x33xf32>, tensor<2x8x33xf32>)
  return %r#0, %r#1 : tensor<5x2x8x33xf32>, tensor<2x8x33xf32>
}

func.func private @gru_lengths_reverse(%a: tensor<3x5x20xf32>, %b: tensor<1x99x20xf32>, %c: tensor<1x99x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x198xf32>, %e: tensor<3xi32> {test.values = [3, 0, 5]}, %f: tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e, %f {direction = "reverse", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<3x5x20xf32>, tensor<1x99x20xf32>, tensor<1x99x33xf32>, tensor<1x198xf32>, tensor<3xi32>, tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>)
  return %r#0, %r#1 : tensor<3x5x1x33xf32>, tensor<3x1x33xf32>
}

func.func private @rnn_lengths_reverse(%a: tensor<3x5x20xf32>, %b: tensor<1x33x20xf32>, %c: tensor<1x33x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x66xf32>, %e: tensor<3xi32> {test.values = [3, 0, 5]}, %f: tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e, %f {direction = "reverse", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<3x5x20xf32>, tensor<1x33x20xf32>, tensor<1x33x33xf32>, tensor<1x66xf32>, tensor<3xi32>, tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>)
  return %r#0, %r#1 : tensor<3x5x1x33xf32>, tensor<3x1x33xf32>
}

// Of f64, and of a sequence without steps.
func.func private @lstm_lengths_f64(%a: tensor<5x3x3xf64>, %b: tensor<1x16x3xf64>, %c: tensor<1x16x4xf64> {test.range = [-1.0, 1.0]}, %d: tensor<1x32xf64>, %e: tensor<3xi32> {test.values = [3, 0, 5]}, %f: tensor<1x3x4xf64>, %g: tensor<1x3x4xf64>) -> (tensor<5x1x3x4xf64>, tensor<1x3x4xf64>, tensor<1x3x4xf64>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f, %g {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x3x3xf64>, tensor<1x16x3xf64>, tensor<1x16x4xf64>, tensor<1x32xf64>, tensor<3xi32>, tensor<1x3x4xf64>, tensor<1x3x4xf64>) -> (tensor<5x1x3x4xf64>, tensor<1x3x4xf64>, tensor<1x3x4xf64>)
  return %r#0, %r#1, %r#2 : tensor<5x1x3x4xf64>, tensor<1x3x4xf64>, tensor<1x3x4xf64>
}

// Sequences that are all shorter than the layer has steps.
func.func private @lstm_short_both(%a: tensor<5x2x3xf32>, %b: tensor<2x16x3xf32>, %c: tensor<2x16x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x32xf32>, %e: tensor<2xi32> {test.values = [2, 3]}) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x2x3xf32>, tensor<2x16x3xf32>, tensor<2x16x4xf32>, tensor<2x32xf32>, tensor<2xi32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @lstm_short_reverse_larger(%a: tensor<5x8x20xf32>, %b: tensor<1x132x20xf32>, %c: tensor<1x132x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x264xf32>, %e: tensor<8xi32> {test.values = [3, 2, 0, 1, 1, 2, 3, 3]}, %f: tensor<1x8x33xf32>, %g: tensor<1x8x33xf32>) -> (tensor<5x1x8x33xf32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f, %g {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x8x20xf32>, tensor<1x132x20xf32>, tensor<1x132x33xf32>, tensor<1x264xf32>, tensor<8xi32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>) -> (tensor<5x1x8x33xf32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x8x33xf32>, tensor<1x8x33xf32>, tensor<1x8x33xf32>
}

func.func private @gru_short_late(%a: tensor<5x8x20xf32>, %b: tensor<2x99x20xf32>, %c: tensor<2x99x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x198xf32>, %e: tensor<8xi32> {test.values = [3, 4, 0, 1, 4, 2, 4, 3]}, %f: tensor<2x8x33xf32>) -> (tensor<5x2x8x33xf32>, tensor<2x8x33xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e, %f {direction = "bidirectional", linear_before_reset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x8x20xf32>, tensor<2x99x20xf32>, tensor<2x99x33xf32>, tensor<2x198xf32>, tensor<8xi32>, tensor<2x8x33xf32>) -> (tensor<5x2x8x33xf32>, tensor<2x8x33xf32>)
  return %r#0, %r#1 : tensor<5x2x8x33xf32>, tensor<2x8x33xf32>
}

func.func private @gru_short_reverse(%a: tensor<3x5x20xf32>, %b: tensor<1x99x20xf32>, %c: tensor<1x99x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x198xf32>, %e: tensor<3xi32> {test.values = [3, 0, 2]}, %f: tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e, %f {direction = "reverse", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<3x5x20xf32>, tensor<1x99x20xf32>, tensor<1x99x33xf32>, tensor<1x198xf32>, tensor<3xi32>, tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>)
  return %r#0, %r#1 : tensor<3x5x1x33xf32>, tensor<3x1x33xf32>
}

func.func private @rnn_short_reverse(%a: tensor<3x5x20xf32>, %b: tensor<1x33x20xf32>, %c: tensor<1x33x33xf32> {test.range = [-1.0, 1.0]}, %d: tensor<1x66xf32>, %e: tensor<3xi32> {test.values = [2, 0, 1]}, %f: tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e, %f {direction = "reverse", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<3x5x20xf32>, tensor<1x33x20xf32>, tensor<1x33x33xf32>, tensor<1x66xf32>, tensor<3xi32>, tensor<3x1x33xf32>) -> (tensor<3x5x1x33xf32>, tensor<3x1x33xf32>)
  return %r#0, %r#1 : tensor<3x5x1x33xf32>, tensor<3x1x33xf32>
}

func.func private @rnn_no_steps(%a: tensor<5x2x3xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x4x4xf32> {test.range = [-1.0, 1.0]}, %d: tensor<2x8xf32>, %e: tensor<2xi32> {test.values = [0, 0]}) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x8xf32>, tensor<2xi32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<5x2x2x4xf32>, tensor<2x2x4xf32>
}

// Batches whose sums are made a few gates at a time.
func.func private @lstm_batch_5(%a: tensor<5x5x7xf32>, %b: tensor<1x68x7xf32>, %c: tensor<1x68x17xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x136xf32>) -> (tensor<5x1x5x17xf32>, tensor<1x5x17xf32>, tensor<1x5x17xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x5x7xf32>, tensor<1x68x7xf32>, tensor<1x68x17xf32>, tensor<1x136xf32>) -> (tensor<5x1x5x17xf32>, tensor<1x5x17xf32>, tensor<1x5x17xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x5x17xf32>, tensor<1x5x17xf32>, tensor<1x5x17xf32>
}

func.func private @lstm_batch_7_peepholes(%a: tensor<5x7x7xf32>, %b: tensor<1x132x7xf32>, %c: tensor<1x132x33xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x264xf32>, %f: tensor<1x7x33xf32>, %g: tensor<1x7x33xf32>, %p: tensor<1x99xf32>) -> (tensor<5x1x7x33xf32>, tensor<1x7x33xf32>, tensor<1x7x33xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %f, %g, %p {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x7x7xf32>, tensor<1x132x7xf32>, tensor<1x132x33xf32>, tensor<1x264xf32>, tensor<1x7x33xf32>, tensor<1x7x33xf32>, tensor<1x99xf32>) -> (tensor<5x1x7x33xf32>, tensor<1x7x33xf32>, tensor<1x7x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x7x33xf32>, tensor<1x7x33xf32>, tensor<1x7x33xf32>
}

func.func private @lstm_batch_8_both(%a: tensor<5x8x7xf32>, %b: tensor<2x76x7xf32>, %c: tensor<2x76x19xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x152xf32>, %e: tensor<8xi32> {test.values = [0, 1, 2, 3, 4, 5, 0, 1]}) -> (tensor<5x2x8x19xf32>, tensor<2x8x19xf32>, tensor<2x8x19xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e {clip = 0.7 : f32, direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x8x7xf32>, tensor<2x76x7xf32>, tensor<2x76x19xf32>, tensor<2x152xf32>, tensor<8xi32>) -> (tensor<5x2x8x19xf32>, tensor<2x8x19xf32>, tensor<2x8x19xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x2x8x19xf32>, tensor<2x8x19xf32>, tensor<2x8x19xf32>
}

func.func private @lstm_batch_13(%a: tensor<5x13x7xf32>, %b: tensor<1x300x7xf32>, %c: tensor<1x300x75xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x600xf32>, %e: tensor<13xi32> {test.values = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0]}, %f: tensor<1x13x75xf32>, %g: tensor<1x13x75xf32>) -> (tensor<5x1x13x75xf32>, tensor<1x13x75xf32>, tensor<1x13x75xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f, %g {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x13x7xf32>, tensor<1x300x7xf32>, tensor<1x300x75xf32>, tensor<1x600xf32>, tensor<13xi32>, tensor<1x13x75xf32>, tensor<1x13x75xf32>) -> (tensor<5x1x13x75xf32>, tensor<1x13x75xf32>, tensor<1x13x75xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x13x75xf32>, tensor<1x13x75xf32>, tensor<1x13x75xf32>
}

func.func private @lstm_batch_16(%a: tensor<5x16x7xf32>, %b: tensor<1x164x7xf32>, %c: tensor<1x164x41xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x328xf32>) -> (tensor<5x1x16x41xf32>, tensor<1x16x41xf32>, tensor<1x16x41xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<5x16x7xf32>, tensor<1x164x7xf32>, tensor<1x164x41xf32>, tensor<1x328xf32>) -> (tensor<5x1x16x41xf32>, tensor<1x16x41xf32>, tensor<1x16x41xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x1x16x41xf32>, tensor<1x16x41xf32>, tensor<1x16x41xf32>
}

func.func private @gru_batch_7(%a: tensor<5x7x7xf32>, %b: tensor<1x111x7xf32>, %c: tensor<1x111x37xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x222xf32>, %f: tensor<1x7x37xf32>) -> (tensor<5x1x7x37xf32>, tensor<1x7x37xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %f {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x7x7xf32>, tensor<1x111x7xf32>, tensor<1x111x37xf32>, tensor<1x222xf32>, tensor<1x7x37xf32>) -> (tensor<5x1x7x37xf32>, tensor<1x7x37xf32>)
  return %r#0, %r#1 : tensor<5x1x7x37xf32>, tensor<1x7x37xf32>
}

func.func private @gru_batch_13_both(%a: tensor<5x13x7xf32>, %b: tensor<2x63x7xf32>, %c: tensor<2x63x21xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x126xf32>, %e: tensor<13xi32> {test.values = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0]}) -> (tensor<5x2x13x21xf32>, tensor<2x13x21xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {clip = 0.7 : f32, direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x13x7xf32>, tensor<2x63x7xf32>, tensor<2x63x21xf32>, tensor<2x126xf32>, tensor<13xi32>) -> (tensor<5x2x13x21xf32>, tensor<2x13x21xf32>)
  return %r#0, %r#1 : tensor<5x2x13x21xf32>, tensor<2x13x21xf32>
}

func.func private @gru_batch_5_late(%a: tensor<5x5x7xf32>, %b: tensor<1x99x7xf32>, %c: tensor<1x99x33xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x198xf32>) -> (tensor<5x1x5x33xf32>, tensor<1x5x33xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {direction = "reverse", linear_before_reset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x5x7xf32>, tensor<1x99x7xf32>, tensor<1x99x33xf32>, tensor<1x198xf32>) -> (tensor<5x1x5x33xf32>, tensor<1x5x33xf32>)
  return %r#0, %r#1 : tensor<5x1x5x33xf32>, tensor<1x5x33xf32>
}

func.func private @gru_batch_16_late(%a: tensor<5x16x7xf32>, %b: tensor<2x225x7xf32>, %c: tensor<2x225x75xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x450xf32>, %f: tensor<2x16x75xf32>) -> (tensor<5x2x16x75xf32>, tensor<2x16x75xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %f {direction = "bidirectional", linear_before_reset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x16x7xf32>, tensor<2x225x7xf32>, tensor<2x225x75xf32>, tensor<2x450xf32>, tensor<2x16x75xf32>) -> (tensor<5x2x16x75xf32>, tensor<2x16x75xf32>)
  return %r#0, %r#1 : tensor<5x2x16x75xf32>, tensor<2x16x75xf32>
}

func.func private @rnn_batch_13(%a: tensor<5x13x7xf32>, %b: tensor<1x75x7xf32>, %c: tensor<1x75x75xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x150xf32>) -> (tensor<5x1x13x75xf32>, tensor<1x13x75xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x13x7xf32>, tensor<1x75x7xf32>, tensor<1x75x75xf32>, tensor<1x150xf32>) -> (tensor<5x1x13x75xf32>, tensor<1x13x75xf32>)
  return %r#0, %r#1 : tensor<5x1x13x75xf32>, tensor<1x13x75xf32>
}

func.func private @rnn_batch_30_both(%a: tensor<5x30x7xf32>, %b: tensor<2x21x7xf32>, %c: tensor<2x21x21xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x42xf32>, %e: tensor<30xi32> {test.values = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]}) -> (tensor<5x2x30x21xf32>, tensor<2x30x21xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<5x30x7xf32>, tensor<2x21x7xf32>, tensor<2x21x21xf32>, tensor<2x42xf32>, tensor<30xi32>) -> (tensor<5x2x30x21xf32>, tensor<2x30x21xf32>)
  return %r#0, %r#1 : tensor<5x2x30x21xf32>, tensor<2x30x21xf32>
}

func.func private @lstm_open_one(%a: tensor<?x?x7xf32> {test.dims = [6, 1, 7]}, %b: tensor<1x132x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<1x132x33xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x264xf32>, %f: tensor<1x?x33xf32> {test.dims = [1, 1, 33]}, %g: tensor<1x?x33xf32> {test.dims = [1, 1, 33]}) -> (tensor<?x1x?x33xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %f, %g {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x?x7xf32>, tensor<1x132x7xf32>, tensor<1x132x33xf32>, tensor<1x264xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>) -> (tensor<?x1x?x33xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x1x?x33xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>
}

func.func private @lstm_open_few(%a: tensor<?x?x7xf32> {test.dims = [4, 5, 7]}, %b: tensor<1x132x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<1x132x33xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x264xf32>, %f: tensor<1x?x33xf32> {test.dims = [1, 5, 33]}, %g: tensor<1x?x33xf32> {test.dims = [1, 5, 33]}) -> (tensor<?x1x?x33xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %f, %g {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x?x7xf32>, tensor<1x132x7xf32>, tensor<1x132x33xf32>, tensor<1x264xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>) -> (tensor<?x1x?x33xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x1x?x33xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>
}

func.func private @lstm_open_many(%a: tensor<?x?x7xf32> {test.dims = [3, 50, 7]}, %b: tensor<2x80x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<2x80x20xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x160xf32>, %f: tensor<2x?x20xf32> {test.dims = [2, 50, 20]}) -> (tensor<?x2x?x20xf32>, tensor<2x?x20xf32>, tensor<2x?x20xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %f {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x?x7xf32>, tensor<2x80x7xf32>, tensor<2x80x20xf32>, tensor<2x160xf32>, tensor<2x?x20xf32>) -> (tensor<?x2x?x20xf32>, tensor<2x?x20xf32>, tensor<2x?x20xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x2x?x20xf32>, tensor<2x?x20xf32>, tensor<2x?x20xf32>
}

func.func private @lstm_open_lengths(%a: tensor<?x?x7xf32> {test.dims = [4, 5, 7]}, %b: tensor<2x80x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<2x80x20xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x160xf32>, %e: tensor<?xi32> {test.dims = [4], test.values = [2, 0, 3, 1]}, %f: tensor<?x2x20xf32> {test.dims = [4, 2, 20]}) -> (tensor<?x?x2x20xf32>, tensor<?x2x20xf32>, tensor<?x2x20xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f {direction = "bidirectional", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x?x7xf32>, tensor<2x80x7xf32>, tensor<2x80x20xf32>, tensor<2x160xf32>, tensor<?xi32>, tensor<?x2x20xf32>) -> (tensor<?x?x2x20xf32>, tensor<?x2x20xf32>, tensor<?x2x20xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x?x2x20xf32>, tensor<?x2x20xf32>, tensor<?x2x20xf32>
}

func.func private @lstm_open_no_steps(%a: tensor<?x?x7xf32> {test.dims = [0, 3, 7]}, %b: tensor<1x80x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<1x80x20xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x160xf32>, %f: tensor<1x?x20xf32> {test.dims = [1, 3, 20]}, %g: tensor<1x?x20xf32> {test.dims = [1, 3, 20]}) -> (tensor<?x1x?x20xf32>, tensor<1x?x20xf32>, tensor<1x?x20xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %f, %g {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x?x7xf32>, tensor<1x80x7xf32>, tensor<1x80x20xf32>, tensor<1x160xf32>, tensor<1x?x20xf32>, tensor<1x?x20xf32>) -> (tensor<?x1x?x20xf32>, tensor<1x?x20xf32>, tensor<1x?x20xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x1x?x20xf32>, tensor<1x?x20xf32>, tensor<1x?x20xf32>
}

func.func private @lstm_open_no_entries(%a: tensor<?x?x7xf32> {test.dims = [4, 0, 7]}, %b: tensor<2x80x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<2x80x20xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x160xf32>, %f: tensor<2x?x20xf32> {test.dims = [2, 0, 20]}) -> (tensor<?x2x?x20xf32>, tensor<2x?x20xf32>, tensor<2x?x20xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %f {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x?x7xf32>, tensor<2x80x7xf32>, tensor<2x80x20xf32>, tensor<2x160xf32>, tensor<2x?x20xf32>) -> (tensor<?x2x?x20xf32>, tensor<2x?x20xf32>, tensor<2x?x20xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x2x?x20xf32>, tensor<2x?x20xf32>, tensor<2x?x20xf32>
}

func.func private @gru_open_many(%a: tensor<?x?x7xf32> {test.dims = [3, 31, 7]}, %b: tensor<1x225x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<1x225x75xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x450xf32>) -> (tensor<?x1x?x75xf32>, tensor<1x?x75xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {linear_before_reset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x?x7xf32>, tensor<1x225x7xf32>, tensor<1x225x75xf32>, tensor<1x450xf32>) -> (tensor<?x1x?x75xf32>, tensor<1x?x75xf32>)
  return %r#0, %r#1 : tensor<?x1x?x75xf32>, tensor<1x?x75xf32>
}

func.func private @gru_open_both(%a: tensor<?x?x7xf32> {test.dims = [7, 4, 7]}, %b: tensor<2x99x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<2x99x33xf32> {test.range = [-0.5, 0.5]}, %d: tensor<2x198xf32>, %f: tensor<?x2x33xf32> {test.dims = [7, 2, 33]}) -> (tensor<?x?x2x33xf32>, tensor<?x2x33xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %f {direction = "bidirectional", layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x?x7xf32>, tensor<2x99x7xf32>, tensor<2x99x33xf32>, tensor<2x198xf32>, tensor<?x2x33xf32>) -> (tensor<?x?x2x33xf32>, tensor<?x2x33xf32>)
  return %r#0, %r#1 : tensor<?x?x2x33xf32>, tensor<?x2x33xf32>
}

func.func private @gru_open_no_steps(%a: tensor<?x?x7xf32> {test.dims = [0, 1, 7]}, %b: tensor<1x60x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<1x60x20xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x120xf32>) -> (tensor<?x1x?x20xf32>, tensor<1x?x20xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x?x7xf32>, tensor<1x60x7xf32>, tensor<1x60x20xf32>, tensor<1x120xf32>) -> (tensor<?x1x?x20xf32>, tensor<1x?x20xf32>)
  return %r#0, %r#1 : tensor<?x1x?x20xf32>, tensor<1x?x20xf32>
}

func.func private @rnn_open_many(%a: tensor<?x?x7xf32> {test.dims = [3, 97, 7]}, %b: tensor<1x40x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<1x40x40xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x80xf32>) -> (tensor<?x1x?x40xf32>, tensor<1x?x40xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d {direction = "reverse", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x?x7xf32>, tensor<1x40x7xf32>, tensor<1x40x40xf32>, tensor<1x80xf32>) -> (tensor<?x1x?x40xf32>, tensor<1x?x40xf32>)
  return %r#0, %r#1 : tensor<?x1x?x40xf32>, tensor<1x?x40xf32>
}

func.func private @rnn_open_lengths(%a: tensor<?x?x7xf32> {test.dims = [5, 13, 7]}, %b: tensor<1x40x7xf32> {test.range = [-0.5, 0.5]}, %c: tensor<1x40x40xf32> {test.range = [-0.5, 0.5]}, %d: tensor<1x80xf32>, %e: tensor<?xi32> {test.dims = [13], test.values = [5, 1, 0, 2, 3, 4, 4, 4, 1, 2, 3, 1, 1]}) -> (tensor<?x1x?x40xf32>, tensor<1x?x40xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x?x7xf32>, tensor<1x40x7xf32>, tensor<1x40x40xf32>, tensor<1x80xf32>, tensor<?xi32>) -> (tensor<?x1x?x40xf32>, tensor<1x?x40xf32>)
  return %r#0, %r#1 : tensor<?x1x?x40xf32>, tensor<1x?x40xf32>
}

// Layers without steps end in zeros, whatever their initial states.
func.func private @rnn_known_no_steps(%a: tensor<0x2x3xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x4x4xf32>, %d: tensor<2x8xf32>, %e: tensor<2x2x4xf32>) -> (tensor<0x2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<0x2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x8xf32>, tensor<2x2x4xf32>) -> (tensor<0x2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<0x2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @gru_known_no_steps(%a: tensor<0x2x3xf32>, %b: tensor<2x12x3xf32>, %c: tensor<2x12x4xf32>, %d: tensor<2x24xf32>, %e: tensor<2x2x4xf32>) -> (tensor<0x2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<0x2x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>, tensor<2x24xf32>, tensor<2x2x4xf32>) -> (tensor<0x2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1 : tensor<0x2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @lstm_known_no_steps(%a: tensor<0x2x3xf32>, %b: tensor<2x16x3xf32>, %c: tensor<2x16x4xf32>, %d: tensor<2x32xf32>, %e: tensor<2x2x4xf32>, %f: tensor<2x2x4xf32>) -> (tensor<0x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<0x2x3xf32>, tensor<2x16x3xf32>, tensor<2x16x4xf32>, tensor<2x32xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> (tensor<0x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<0x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

func.func private @rnn_no_steps_f64(%a: tensor<?x2x3xf64> {test.dims = [0, 2, 3]}, %b: tensor<2x4x3xf64>, %c: tensor<2x4x4xf64>, %d: tensor<2x8xf64>, %e: tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>) {
  %r:2 = tsr.rnn %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x2x3xf64>, tensor<2x4x3xf64>, tensor<2x4x4xf64>, tensor<2x8xf64>, tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>)
  return %r#0, %r#1 : tensor<?x2x2x4xf64>, tensor<2x2x4xf64>
}

func.func private @gru_no_steps_f64(%a: tensor<?x2x3xf64> {test.dims = [0, 2, 3]}, %b: tensor<2x12x3xf64>, %c: tensor<2x12x4xf64>, %d: tensor<2x24xf64>, %e: tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x2x3xf64>, tensor<2x12x3xf64>, tensor<2x12x4xf64>, tensor<2x24xf64>, tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>)
  return %r#0, %r#1 : tensor<?x2x2x4xf64>, tensor<2x2x4xf64>
}

func.func private @lstm_no_steps_f64(%a: tensor<?x2x3xf64> {test.dims = [0, 2, 3]}, %b: tensor<2x16x3xf64>, %c: tensor<2x16x4xf64>, %d: tensor<2x32xf64>, %e: tensor<2x2x4xf64>, %f: tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>, tensor<2x2x4xf64>) {
  %r:3 = tsr.lstm %a, %b, %c, %d, %e, %f {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?x2x3xf64>, tensor<2x16x3xf64>, tensor<2x16x4xf64>, tensor<2x32xf64>, tensor<2x2x4xf64>, tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>, tensor<2x2x4xf64>)
  return %r#0, %r#1, %r#2 : tensor<?x2x2x4xf64>, tensor<2x2x4xf64>, tensor<2x2x4xf64>
}

func.func private @gru_some_steps_f64(%a: tensor<?x2x3xf64> {test.dims = [3, 2, 3]}, %b: tensor<2x12x3xf64>, %c: tensor<2x12x4xf64>, %d: tensor<2x24xf64>, %e: tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>) {
  %r:2 = tsr.gru %a, %b, %c, %d, %e {direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<?x2x3xf64>, tensor<2x12x3xf64>, tensor<2x12x4xf64>, tensor<2x24xf64>, tensor<2x2x4xf64>) -> (tensor<?x2x2x4xf64>, tensor<2x2x4xf64>)
  return %r#0, %r#1 : tensor<?x2x2x4xf64>, tensor<2x2x4xf64>
}
