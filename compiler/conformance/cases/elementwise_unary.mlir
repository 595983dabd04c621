// Elementwise operators of one operand: every one, element types, attributes, special values.

func.func private @abs(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.abs %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @abs_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.abs %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @acos(%a: tensor<3x37xf32> {test.range = [-1.0, 1.0]}) -> tensor<3x37xf32> {
  %r = tsr.acos %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @acos_f64(%a: tensor<7xf64> {test.range = [-1.0, 1.0]}) -> tensor<7xf64> {
  %r = tsr.acos %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @acosh(%a: tensor<3x37xf32> {test.range = [1.0, 9.0]}) -> tensor<3x37xf32> {
  %r = tsr.acosh %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @acosh_f64(%a: tensor<7xf64> {test.range = [1.0, 9.0]}) -> tensor<7xf64> {
  %r = tsr.acosh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @asin(%a: tensor<3x37xf32> {test.range = [-1.0, 1.0]}) -> tensor<3x37xf32> {
  %r = tsr.asin %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @asin_f64(%a: tensor<7xf64> {test.range = [-1.0, 1.0]}) -> tensor<7xf64> {
  %r = tsr.asin %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @asinh(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.asinh %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @asinh_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.asinh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @atan(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.atan %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @atan_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.atan %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @atanh(%a: tensor<3x37xf32> {test.range = [-0.9, 0.9]}) -> tensor<3x37xf32> {
  %r = tsr.atanh %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @atanh_f64(%a: tensor<7xf64> {test.range = [-0.9, 0.9]}) -> tensor<7xf64> {
  %r = tsr.atanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @ceil(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.ceil %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @ceil_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.ceil %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @cos(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.cos %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @cos_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.cos %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @cosh(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.cosh %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @cosh_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.cosh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @erf(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.erf %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @erf_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.erf %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @exp(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.exp %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @exp_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.exp %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @floor(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.floor %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @floor_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.floor %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @identity(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.identity %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @identity_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.identity %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @log(%a: tensor<3x37xf32> {test.range = [0.01, 9.0]}) -> tensor<3x37xf32> {
  %r = tsr.log %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @log_of_denormals(%a: tensor<6xf32> {test.values = [1.0e-40, 9.8e-45, 1.17e-38, 1.18e-38, 0.0, 1.0]}) -> tensor<6xf32> {
  %r = tsr.log %a : (tensor<6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func private @log_f64(%a: tensor<7xf64> {test.range = [0.01, 9.0]}) -> tensor<7xf64> {
  %r = tsr.log %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @neg(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.neg %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @neg_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.neg %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @reciprocal(%a: tensor<3x37xf32> {test.range = [0.5, 3.0]}) -> tensor<3x37xf32> {
  %r = tsr.reciprocal %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @reciprocal_f64(%a: tensor<7xf64> {test.range = [0.5, 3.0]}) -> tensor<7xf64> {
  %r = tsr.reciprocal %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @round(%a: tensor<3x37xf32> {test.range = [-9.0, 9.0]}) -> tensor<3x37xf32> {
  %r = tsr.round %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @round_f64(%a: tensor<7xf64> {test.range = [-9.0, 9.0]}) -> tensor<7xf64> {
  %r = tsr.round %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @sigmoid(%a: tensor<3x37xf32> {test.range = [-9.0, 9.0]}) -> tensor<3x37xf32> {
  %r = tsr.sigmoid %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @sigmoid_f64(%a: tensor<7xf64> {test.range = [-9.0, 9.0]}) -> tensor<7xf64> {
  %r = tsr.sigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @sign(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.sign %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @sign_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.sign %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @sin(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.sin %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @sin_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.sin %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @sinh(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.sinh %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @sinh_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.sinh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @sqrt(%a: tensor<3x37xf32> {test.range = [0.0, 9.0]}) -> tensor<3x37xf32> {
  %r = tsr.sqrt %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @sqrt_f64(%a: tensor<7xf64> {test.range = [0.0, 9.0]}) -> tensor<7xf64> {
  %r = tsr.sqrt %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @tan(%a: tensor<3x37xf32> {test.range = [-1.4, 1.4]}) -> tensor<3x37xf32> {
  %r = tsr.tan %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @tan_f64(%a: tensor<7xf64> {test.range = [-1.4, 1.4]}) -> tensor<7xf64> {
  %r = tsr.tan %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @tanh(%a: tensor<3x37xf32> {test.range = [-5.0, 5.0]}) -> tensor<3x37xf32> {
  %r = tsr.tanh %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @tanh_f64(%a: tensor<7xf64> {test.range = [-5.0, 5.0]}) -> tensor<7xf64> {
  %r = tsr.tanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @relu(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.relu %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @relu_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @leaky_relu(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.leaky_relu %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @leaky_relu_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.leaky_relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @elu(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.elu %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @elu_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.elu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @selu(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.selu %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @selu_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.selu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @celu(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.celu %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @celu_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.celu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @thresholded_relu(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.thresholded_relu %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @thresholded_relu_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.thresholded_relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @hard_sigmoid(%a: tensor<3x37xf32> {test.range = [-5.0, 5.0]}) -> tensor<3x37xf32> {
  %r = tsr.hard_sigmoid %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @hard_sigmoid_f64(%a: tensor<7xf64> {test.range = [-5.0, 5.0]}) -> tensor<7xf64> {
  %r = tsr.hard_sigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @hard_swish(%a: tensor<3x37xf32> {test.range = [-5.0, 5.0]}) -> tensor<3x37xf32> {
  %r = tsr.hard_swish %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @hard_swish_f64(%a: tensor<7xf64> {test.range = [-5.0, 5.0]}) -> tensor<7xf64> {
  %r = tsr.hard_swish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @mish(%a: tensor<3x37xf32> {test.range = [-6.0, 6.0]}) -> tensor<3x37xf32> {
  %r = tsr.mish %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @mish_f64(%a: tensor<7xf64> {test.range = [-6.0, 6.0]}) -> tensor<7xf64> {
  %r = tsr.mish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @softplus(%a: tensor<3x37xf32> {test.range = [-9.0, 30.0]}) -> tensor<3x37xf32> {
  %r = tsr.softplus %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @softplus_f64(%a: tensor<7xf64> {test.range = [-9.0, 30.0]}) -> tensor<7xf64> {
  %r = tsr.softplus %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @softsign(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.softsign %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @softsign_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.softsign %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @shrink(%a: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %r = tsr.shrink %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @shrink_f64(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = tsr.shrink %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @gelu(%a: tensor<3x37xf32> {test.range = [-5.0, 5.0]}) -> tensor<3x37xf32> {
  %r = tsr.gelu %a : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

func.func private @gelu_f64(%a: tensor<7xf64> {test.range = [-5.0, 5.0]}) -> tensor<7xf64> {
  %r = tsr.gelu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func private @leaky_relu_alpha(%a: tensor<50xf32>) -> tensor<50xf32> {
  %r = tsr.leaky_relu %a {alpha = 0.2 : f32} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @elu_alpha(%a: tensor<50xf32>) -> tensor<50xf32> {
  %r = tsr.elu %a {alpha = 2.5 : f32} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @celu_alpha(%a: tensor<50xf32>) -> tensor<50xf32> {
  %r = tsr.celu %a {alpha = 2.5 : f32} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @selu_both(%a: tensor<50xf32>) -> tensor<50xf32> {
  %r = tsr.selu %a {alpha = 2.5 : f32, gamma = 3.0 : f32} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @gelu_tanh(%a: tensor<50xf32> {test.range = [-5.0, 5.0]}) -> tensor<50xf32> {
  %r = tsr.gelu %a {approximate = "tanh"} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @shrink_integers(%a: tensor<37xi8>) -> tensor<37xi8> {
  %r = tsr.shrink %a {bias = 0.125 : f32, lambd = -1.5 : f32} : (tensor<37xi8>) -> tensor<37xi8>
  return %r : tensor<37xi8>
}

func.func private @shrink_both(%a: tensor<50xf32>) -> tensor<50xf32> {
  %r = tsr.shrink %a {bias = 0.3 : f32, lambd = 1.0 : f32} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @hard_sigmoid_both(%a: tensor<50xf32>) -> tensor<50xf32> {
  %r = tsr.hard_sigmoid %a {alpha = 0.5 : f32, beta = 0.6 : f32} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @thresholded_relu_alpha(%a: tensor<50xf32>) -> tensor<50xf32> {
  %r = tsr.thresholded_relu %a {alpha = 0.5 : f32} : (tensor<50xf32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}

func.func private @abs_i8(%a: tensor<2x9xi8> {test.range = [-9, 9]}) -> tensor<2x9xi8> {
  %r = tsr.abs %a : (tensor<2x9xi8>) -> tensor<2x9xi8>
  return %r : tensor<2x9xi8>
}

func.func private @neg_i8(%a: tensor<2x9xi8> {test.range = [-9, 9]}) -> tensor<2x9xi8> {
  %r = tsr.neg %a : (tensor<2x9xi8>) -> tensor<2x9xi8>
  return %r : tensor<2x9xi8>
}

func.func private @sign_i8(%a: tensor<2x9xi8> {test.range = [-9, 9]}) -> tensor<2x9xi8> {
  %r = tsr.sign %a : (tensor<2x9xi8>) -> tensor<2x9xi8>
  return %r : tensor<2x9xi8>
}

func.func private @relu_i8(%a: tensor<2x9xi8> {test.range = [-9, 9]}) -> tensor<2x9xi8> {
  %r = tsr.relu %a : (tensor<2x9xi8>) -> tensor<2x9xi8>
  return %r : tensor<2x9xi8>
}

func.func private @bitwise_not_i8(%a: tensor<2x9xi8> {test.range = [-9, 9]}) -> tensor<2x9xi8> {
  %r = tsr.bitwise_not %a : (tensor<2x9xi8>) -> tensor<2x9xi8>
  return %r : tensor<2x9xi8>
}

func.func private @identity_i8(%a: tensor<2x9xi8> {test.range = [-9, 9]}) -> tensor<2x9xi8> {
  %r = tsr.identity %a : (tensor<2x9xi8>) -> tensor<2x9xi8>
  return %r : tensor<2x9xi8>
}

func.func private @abs_i32(%a: tensor<2x9xi32> {test.range = [-9, 9]}) -> tensor<2x9xi32> {
  %r = tsr.abs %a : (tensor<2x9xi32>) -> tensor<2x9xi32>
  return %r : tensor<2x9xi32>
}

func.func private @neg_i32(%a: tensor<2x9xi32> {test.range = [-9, 9]}) -> tensor<2x9xi32> {
  %r = tsr.neg %a : (tensor<2x9xi32>) -> tensor<2x9xi32>
  return %r : tensor<2x9xi32>
}

func.func private @sign_i32(%a: tensor<2x9xi32> {test.range = [-9, 9]}) -> tensor<2x9xi32> {
  %r = tsr.sign %a : (tensor<2x9xi32>) -> tensor<2x9xi32>
  return %r : tensor<2x9xi32>
}

func.func private @relu_i32(%a: tensor<2x9xi32> {test.range = [-9, 9]}) -> tensor<2x9xi32> {
  %r = tsr.relu %a : (tensor<2x9xi32>) -> tensor<2x9xi32>
  return %r : tensor<2x9xi32>
}

func.func private @bitwise_not_i32(%a: tensor<2x9xi32> {test.range = [-9, 9]}) -> tensor<2x9xi32> {
  %r = tsr.bitwise_not %a : (tensor<2x9xi32>) -> tensor<2x9xi32>
  return %r : tensor<2x9xi32>
}

func.func private @identity_i32(%a: tensor<2x9xi32> {test.range = [-9, 9]}) -> tensor<2x9xi32> {
  %r = tsr.identity %a : (tensor<2x9xi32>) -> tensor<2x9xi32>
  return %r : tensor<2x9xi32>
}

func.func private @abs_i64(%a: tensor<2x9xi64> {test.range = [-9, 9]}) -> tensor<2x9xi64> {
  %r = tsr.abs %a : (tensor<2x9xi64>) -> tensor<2x9xi64>
  return %r : tensor<2x9xi64>
}

func.func private @neg_i64(%a: tensor<2x9xi64> {test.range = [-9, 9]}) -> tensor<2x9xi64> {
  %r = tsr.neg %a : (tensor<2x9xi64>) -> tensor<2x9xi64>
  return %r : tensor<2x9xi64>
}

func.func private @sign_i64(%a: tensor<2x9xi64> {test.range = [-9, 9]}) -> tensor<2x9xi64> {
  %r = tsr.sign %a : (tensor<2x9xi64>) -> tensor<2x9xi64>
  return %r : tensor<2x9xi64>
}

func.func private @relu_i64(%a: tensor<2x9xi64> {test.range = [-9, 9]}) -> tensor<2x9xi64> {
  %r = tsr.relu %a : (tensor<2x9xi64>) -> tensor<2x9xi64>
  return %r : tensor<2x9xi64>
}

func.func private @bitwise_not_i64(%a: tensor<2x9xi64> {test.range = [-9, 9]}) -> tensor<2x9xi64> {
  %r = tsr.bitwise_not %a : (tensor<2x9xi64>) -> tensor<2x9xi64>
  return %r : tensor<2x9xi64>
}

func.func private @identity_i64(%a: tensor<2x9xi64> {test.range = [-9, 9]}) -> tensor<2x9xi64> {
  %r = tsr.identity %a : (tensor<2x9xi64>) -> tensor<2x9xi64>
  return %r : tensor<2x9xi64>
}

func.func private @abs_u8(%a: tensor<20xui8> {test.range = [0, 255]}) -> tensor<20xui8> {
  %r = tsr.abs %a : (tensor<20xui8>) -> tensor<20xui8>
  return %r : tensor<20xui8>
}

func.func private @sign_u8(%a: tensor<20xui8> {test.range = [0, 255]}) -> tensor<20xui8> {
  %r = tsr.sign %a : (tensor<20xui8>) -> tensor<20xui8>
  return %r : tensor<20xui8>
}

func.func private @bitwise_not_u8(%a: tensor<20xui8> {test.range = [0, 255]}) -> tensor<20xui8> {
  %r = tsr.bitwise_not %a : (tensor<20xui8>) -> tensor<20xui8>
  return %r : tensor<20xui8>
}

func.func private @not(%a: tensor<20xi1>) -> tensor<20xi1> {
  %r = tsr.not %a : (tensor<20xi1>) -> tensor<20xi1>
  return %r : tensor<20xi1>
}

func.func private @is_nan(%a: tensor<6xf32> {test.values = [1.0, 0x7FC00000 : f32, 0.0, 0x7F800000 : f32, -1.0, 0xFF800000 : f32]}) -> tensor<6xi1> {
  %r = tsr.is_nan %a : (tensor<6xf32>) -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func private @is_inf(%a: tensor<6xf32> {test.values = [1.0, 0x7FC00000 : f32, 0.0, 0x7F800000 : f32, -1.0, 0xFF800000 : f32]}) -> tensor<6xi1> {
  %r = tsr.is_inf %a : (tensor<6xf32>) -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func private @is_inf_positive(%a: tensor<6xf32> {test.values = [1.0, 0x7FC00000 : f32, 0.0, 0x7F800000 : f32, -1.0, 0xFF800000 : f32]}) -> tensor<6xi1> {
  %r = tsr.is_inf %a {detect_negative = 0 : i64} : (tensor<6xf32>) -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func private @is_inf_negative(%a: tensor<6xf32> {test.values = [1.0, 0x7FC00000 : f32, 0.0, 0x7F800000 : f32, -1.0, 0xFF800000 : f32]}) -> tensor<6xi1> {
  %r = tsr.is_inf %a {detect_positive = 0 : i64} : (tensor<6xf32>) -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func private @relu_special(%a: tensor<6xf32> {test.values = [1.0, 0x7FC00000 : f32, 0.0, 0x7F800000 : f32, -1.0, 0xFF800000 : f32]}) -> tensor<6xf32> {
  %r = tsr.relu %a : (tensor<6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func private @max_special(%a: tensor<6xf32> {test.values = [1.0, 0x7FC00000 : f32, 0.0, 0x7F800000 : f32, -1.0, 0xFF800000 : f32]}, %b: tensor<6xf32>) -> tensor<6xf32> {
  %r = tsr.max %a, %b : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
