// Launches a kernel from a kernel, and a further one behind it: the launch functions come from the device runtime.
#include <cstdio>

__device__ int done;

__global__ void leaf(int depth) { atomicAdd(&done, depth); }

__global__ void tail() { printf("%d\n", done); }

__global__ void root(int width) {
  leaf<<<width, 32>>>(threadIdx.x);
  tail<<<1, 1, 0, cudaStreamTailLaunch>>>();
  cudaStream_t stream;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
    leaf<<<1, width, 64, stream>>>(2);
    cudaStreamDestroy(stream);
  }
}

int main() { root<<<1, 1>>>(4); }
