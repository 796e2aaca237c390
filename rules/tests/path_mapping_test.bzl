"""A test of what the link action is told where Bazel maps paths: the same in every configuration.

.bazelrc switches path mapping on (--experimental_output_paths=strip), which a transition cannot do.
"""

load("@bazel_skylib//rules:diff_test.bzl", "diff_test")
load("//rules:defs.bzl", "CudaDeviceInfo")

def _recorder_impl(_settings, _attr):
    return {"//command_line_option:extra_toolchains": ["//rules/tests:recorder_toolchain"]}

_with_recorder = transition(
    implementation = _recorder_impl,
    inputs = [],
    outputs = ["//command_line_option:extra_toolchains"],
)

def _recorded_options_impl(ctx):
    return [DefaultInfo(files = depset([ctx.attr.link[0][CudaDeviceInfo].image]))]

_recorded_options = rule(
    implementation = _recorded_options_impl,
    doc = "The options file of a link, which runs with the recorder in the linker's place.",
    attrs = {
        "link": attr.label(
            doc = "The link.",
            cfg = _with_recorder,
            mandatory = True,
            providers = [CudaDeviceInfo],
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

def path_mapping_test(name, link, options):
    """Compares the options file of a link with an expected one.

    Args:
        name: the name of the test.
        link: a cuda_device_link.
        options: the expected file.
    """
    _recorded_options(
        name = name + "_recorded",
        link = link,
        tags = ["manual"],
        testonly = True,
    )
    diff_test(
        name = name,
        size = "small",
        file1 = options,
        file2 = name + "_recorded",
    )
