// A file with pointers in constant memory to an instance of a template and to an inline variable. Two of them make a program:
//   nvcc -std=c++17 -rdc=true -cubin -arch=sm_100 -DTABLE=table_c -DPOINTER=pointer_c -DKERNEL=kernel_c table.cu -o c-sm_100.cubin
typedef float (*op)(float, float);
template <class T> __device__ __noinline__ T add(T a, T b) { return a + b; }
template <class T> __device__ __noinline__ T mul(T a, T b) { return a * b; }
inline __device__ int value[4] = {5, 6, 7, 8};
__constant__ op TABLE[2] = {add<float>, mul<float>};
__constant__ int *POINTER = &value[1];
__global__ void KERNEL(float *o, int i) { o[0] = TABLE[i](o[1], o[2]) + *POINTER; }
