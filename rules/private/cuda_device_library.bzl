"""Relocatable device code that is linked further up."""

load(":providers.bzl", "CudaDeviceInfo")

def _cuda_device_library_impl(ctx):
    objects = depset(
        ctx.files.srcs,
        transitive = [dep[CudaDeviceInfo].objects for dep in ctx.attr.deps],
        order = "preorder",
    )
    return [
        DefaultInfo(files = depset(ctx.files.srcs)),
        CudaDeviceInfo(arch = "", image = None, objects = objects),
    ]

cuda_device_library = rule(
    implementation = _cuda_device_library_impl,
    doc = """Groups relocatable device code, so that several links can share it. It runs no action.

The link happens once, in the `cuda_device_link` on top.""",
    attrs = {
        "deps": attr.label_list(
            doc = "Libraries whose device code this one calls. They come after `srcs` on the linker's command line.",
            providers = [CudaDeviceInfo],
        ),
        "srcs": attr.label_list(
            doc = "Relocatable cubins, and host objects or archives with relocatable device code.",
            allow_files = [".cubin", ".fatbin", ".o", ".obj", ".a", ".lib"],
        ),
    },
    provides = [CudaDeviceInfo],
)
