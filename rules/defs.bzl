"""What a BUILD file loads to link CUDA device code with culink.

```starlark
load("@culink//rules:defs.bzl", "cuda_device_link")
```
"""

load("//rules/private:cuda_device_library.bzl", _cuda_device_library = "cuda_device_library")
load("//rules/private:cuda_device_link.bzl", _cuda_device_link = "cuda_device_link")
load("//rules/private:providers.bzl", _CudaDeviceInfo = "CudaDeviceInfo", _CulinkToolchainInfo = "CulinkToolchainInfo")
load("//rules/private:toolchain.bzl", _culink_toolchain = "culink_toolchain")

CudaDeviceInfo = _CudaDeviceInfo
CulinkToolchainInfo = _CulinkToolchainInfo
cuda_device_library = _cuda_device_library
cuda_device_link = _cuda_device_link
culink_toolchain = _culink_toolchain
