// Starts a program whose device code culink linked, and says what it registered with the runtime.
#include <cstdio>

#include "kernel.h"
#include "runtime.h"

int main() {
  const Registered &r = registered();
  std::printf("device images: %d\n", r.images);
  for (const std::string &name : r.kernels) {
    std::printf("kernel: %s\n", name.c_str());
  }
  launch_scale_all(nullptr, 1);
  std::printf("launches: %d\n", r.launches);
  return r.images > 0 && r.kernels.size() == 1 && r.launches == 1 ? 0 : 1;
}
