"""The toolchain that brings the linker."""

load(":providers.bzl", "CulinkToolchainInfo")

def _culink_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(
        culink = CulinkToolchainInfo(linker = ctx.attr.linker[DefaultInfo].files_to_run),
    )]

culink_toolchain = rule(
    implementation = _culink_toolchain_impl,
    doc = """Makes a culink executable usable by `cuda_device_link`.

Wrap it in a `toolchain` of type `@culink//toolchain:toolchain_type` and register that. The linker built from source is
registered already; a prebuilt one, registered by the root module, comes before it.""",
    attrs = {
        "linker": attr.label(
            doc = "The culink executable: a target that builds or brings one, or the file itself.",
            allow_files = True,
            mandatory = True,
            executable = True,
            cfg = "exec",
        ),
    },
)
