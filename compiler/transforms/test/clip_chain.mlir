// A chain of thousands of operators that become one takes a second, not minutes: names of nodes are joined once.
// RUN: %python -c "n = 16000; print('func.func @main(%%v0: tensor<4xf32>) -> tensor<4xf32> {'); [print(f'%%v{i + 1} = tsr.relu %%v{i} : (tensor<4xf32>) -> tensor<4xf32> loc(\"n{i}\")') for i in range(n)]; print(f'return %%v{n} : tensor<4xf32>\n}}')" > %t.mlir
// RUN: timeout 40 tessera-opt %t.mlir -tessera-simplify-normalize-arithmetic | FileCheck %s

// CHECK: [[Y:%.*]] = tsr.relu %arg0
// CHECK-NEXT: return [[Y]]
