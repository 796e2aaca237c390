"""Providers of the device link rules."""

CudaDeviceInfo = provider(
    doc = "Device code: what a device link takes, and what it made.",
    fields = {
        "arch": "string: the architecture of `image`, such as `sm_90`; empty where `image` is None.",
        "image": "File or None: the linked device image (an ELF for the GPU), which a program loads or embeds.",
        "objects": "depset of File, preorder: relocatable device code (cubins, host objects and archives that carry " +
                   "it) that a link further up still has to take in. Empty after a link: code is linked once.",
    },
)

CulinkToolchainInfo = provider(
    doc = "The device linker, as `platform_common.ToolchainInfo.culink` of a toolchain of type " +
          "`//toolchain:toolchain_type`.",
    fields = {
        "linker": "FilesToRunProvider: the culink executable with its runfiles, built for the execution platform.",
    },
)
