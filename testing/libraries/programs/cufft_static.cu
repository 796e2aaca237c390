// A load and a store callback, as cuFFT calls them through a pointer that the host reads from a symbol.
using load_function = float2 (*)(void *, size_t, void *, void *);
using store_function = void (*)(void *, size_t, float2, void *, void *);

__device__ float2 scaled(void *data, size_t at, void *scale, void *) {
  float2 v = static_cast<float2 *>(data)[at];
  float f = *static_cast<float *>(scale);
  return make_float2(v.x * f, v.y * f);
}

__device__ void conjugated(void *data, size_t at, float2 v, void *, void *) {
  static_cast<float2 *>(data)[at] = make_float2(v.x, -v.y);
}

__device__ load_function load_scaled = scaled;
__device__ store_function store_conjugated = conjugated;

int main() {
  void *p = nullptr;
  cudaMemcpyFromSymbol(&p, load_scaled, sizeof p);
  cudaMemcpyFromSymbol(&p, store_conjugated, sizeof p);
}
