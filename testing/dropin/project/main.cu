#include <cstdio>

extern __device__ int twice(int);

__global__ void apply(int *p) { *p = twice(*p); }

int main() {
  int *p = nullptr;
  std::printf("allocate: %s\n", cudaGetErrorString(cudaMalloc(&p, sizeof *p)));
  int x = 21;
  cudaMemcpy(p, &x, sizeof x, cudaMemcpyHostToDevice);
  apply<<<1, 1>>>(p);
  std::printf("launch: %s\n", cudaGetErrorString(cudaGetLastError()));
  cudaMemcpy(&x, p, sizeof x, cudaMemcpyDeviceToHost);
  std::printf("result: %d\n", x);
}
