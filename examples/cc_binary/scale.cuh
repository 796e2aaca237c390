// What scale.cu defines and main.cu uses. The call crosses files, so that it takes a device linker to resolve it.
#pragma once

struct Factor {
  float value;
};

extern __constant__ Factor factor;

__device__ float scaled(float x);
