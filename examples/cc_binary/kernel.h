// What kernel.cu offers to host code.
#pragma once

// Launches the kernel on count values in device memory.
void launch_scale_all(float *values, unsigned count);
