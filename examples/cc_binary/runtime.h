// A stand-in for the CUDA runtime, so that the example links and starts on a machine with neither toolkit nor GPU. It
// has the entry points that nvcc's objects call and remembers what was registered; it launches nothing. A real program
// links libcudart in its place.
#pragma once

#include <string>
#include <vector>

struct Registered {
  int images = 0;                    // device images that look like one
  std::vector<std::string> kernels;  // device names of the kernels
  int launches = 0;                  // launches of registered kernels
};

// What the program has registered so far.
const Registered &registered();
