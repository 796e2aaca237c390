#!/usr/bin/env bash
# Compiles kernel.cu and scale.cu to the relocatable host objects beside them. They are committed, so that the example
# builds on a machine without a CUDA toolkit; run this again after a change of the source.
#
#   NVCC=/usr/local/cuda/bin/nvcc ./compile.sh [options of nvcc]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for name in kernel scale; do
  "${NVCC:-nvcc}" -arch=sm_90 -dc -Xcompiler -fPIC "$@" -o "$name.o" "$name.cu"
done
