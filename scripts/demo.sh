#!/usr/bin/env bash
# demo.sh BUILD_DIR: from training to an answer. Trains examples/digits, compiles it, runs it on pictures and says where
# the time goes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
tessera=$1/bin/tessera
python=build/venv/bin/python
demo=build/demo

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { echo "\$ $*"; "$@"; }

mkdir -p "$demo"
step "1. Train a classifier of handwritten digits (numpy only) and write it as ONNX"
run "$python" examples/digits/train.py --output "$demo"

step "2. Compile it for eight pictures at a time"
run "$tessera" compile "$demo/digits.onnx" --dim batch=8 -o "$demo/digits.tsr"
ls -l "$demo/digits.onnx" "$demo/digits.tsr" | awk '{ printf "  %-26s %8d bytes\n", $NF, $5 }'

step "3. Run it on pictures it has never seen"
run "$tessera" run "$demo/digits.tsr" --input "picture=$demo/sample.npy" --output "$demo/answer.npz"
"$python" examples/digits/show.py "$demo" "$demo/answer.npz"

step "4. Where the time goes"
run "$tessera" bench "$demo/digits.tsr" --profile

step "What to try next"
cat <<TEXT
  What the artifact holds:
    $tessera inspect $demo/digits.tsr --regions
  The network as a module, to read, edit and compile again:
    $tessera compile $demo/digits.onnx --dim batch=8 --stop-after simplify --emit mlir -o $demo/digits.mlir
    $tessera compile $demo/digits.mlir -o $demo/same.tsr
  Generated kernels against the readable reference:
    $tessera compare $demo/digits.onnx --dim batch=8 --targets native,reference
  Your own network beside its ONNX test data:
    $tessera run model.onnx --data test_data_set_0
TEXT
