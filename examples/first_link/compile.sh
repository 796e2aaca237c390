#!/usr/bin/env bash
# Compiles main.cu and scale.cu to the relocatable cubins beside them. They are committed, so that the example links on
# a machine without a CUDA toolkit; run this again after a change of the source.
#
#   NVCC=/usr/local/cuda/bin/nvcc ./compile.sh [options of nvcc]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for name in main scale; do
  "${NVCC:-nvcc}" -arch=sm_90 -rdc=true -cubin "$@" -o "$name.cubin" "$name.cu"
done
