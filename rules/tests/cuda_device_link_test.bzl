"""Analysis tests of cuda_device_link: its actions, their inputs and outputs, its providers and errors."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:defs.bzl", "CudaDeviceInfo")

def _action(env, mnemonic):
    found = [a for a in analysistest.target_actions(env) if a.mnemonic == mnemonic]
    asserts.equals(env, 1, len(found), "number of actions " + mnemonic)
    return found[0]

def _names(files):
    return [f.basename for f in files]

def _link_action_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _action(env, "CudaDeviceLink")
    asserts.equals(env, ["link.cubin", "link.fatbin"], _names(action.outputs.to_list()))

    inputs = [n for n in _names(action.inputs.to_list()) if n.endswith(".cubin")]
    asserts.equals(env, ["a.cubin", "below.cubin", "library.cubin", "z.cubin"], sorted(inputs))

    # Sources, then dependencies, each before what it depends on itself: the linker numbers by order of arrival.
    asserts.equals(
        env,
        ["--arch=sm_90", "-g", "z.cubin", "a.cubin", "library.cubin", "below.cubin", "-o", "link.cubin", "--fatbin", "link.fatbin"],
        [arg.split("/")[-1] for arg in action.argv[1:]],
    )
    return analysistest.end(env)

link_action_test = analysistest.make(_link_action_test_impl)

def _dump_action_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _action(env, "CudaDeviceDump")
    asserts.equals(env, ["link.dump.txt"], _names(action.outputs.to_list()))
    asserts.equals(env, ["dump", "-o"], action.argv[1:3])
    return analysistest.end(env)

dump_action_test = analysistest.make(_dump_action_test_impl)

def _providers_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, "sm_90", target[CudaDeviceInfo].arch)
    asserts.equals(env, "link.cubin", target[CudaDeviceInfo].image.basename)
    asserts.equals(env, [], target[CudaDeviceInfo].objects.to_list(), "a linked image is not linked again")
    groups = target[OutputGroupInfo]
    asserts.equals(env, ["link.cubin"], _names(groups.image.to_list()))
    asserts.equals(env, ["link.fatbin"], _names(groups.fatbin.to_list()))
    asserts.equals(env, ["link.dump.txt"], _names(groups.dump.to_list()))
    return analysistest.end(env)

providers_test = analysistest.make(_providers_test_impl)

def _several_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, None, target[CudaDeviceInfo].image)
    asserts.equals(env, ["several.fatbin"], _names(target[DefaultInfo].files.to_list()))
    return analysistest.end(env)

several_test = analysistest.make(_several_test_impl)

def _additional_input_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _action(env, "CudaDeviceLink")
    asserts.true(env, "made.cubin" in _names(action.inputs.to_list()), "the file is an input of the action")

    # The option has the whole path, and the file is not linked.
    named = [arg for arg in action.argv if arg.endswith("made.cubin")]
    asserts.equals(env, 1, len(named))
    asserts.true(env, named[0].startswith("--uidx-file=") and "/rules/tests/made.cubin" in named[0], named[0])
    return analysistest.end(env)

additional_input_test = analysistest.make(_additional_input_test_impl)

def _failure_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, ctx.attr.message)
    return analysistest.end(env)

failure_test = analysistest.make(
    _failure_test_impl,
    attrs = {"message": attr.string(mandatory = True)},
    expect_failure = True,
)

def _library_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, ["library.cubin", "below.cubin"], _names(target[CudaDeviceInfo].objects.to_list()))
    asserts.equals(env, [], analysistest.target_actions(env), "grouping runs nothing")
    return analysistest.end(env)

library_test = analysistest.make(_library_test_impl)

def cuda_device_link_test_suite(name):
    """All tests of this file.

    Args:
        name: the name of the suite.
    """
    tests = {
        "dump_action": (dump_action_test, {"target_under_test": ":link"}),
        "dump_of_several_fails": (failure_test, {
            "message": "arch can name one architecture only",
            "target_under_test": ":dump_of_several",
        }),
        "library": (library_test, {"target_under_test": ":library"}),
        "link_action": (link_action_test, {"target_under_test": ":link"}),
        "providers": (providers_test, {"target_under_test": ":link"}),
        "additional_input": (additional_input_test, {"target_under_test": ":with_index"}),
        "several_architectures": (several_test, {"target_under_test": ":several"}),
        "several_images_fail": (failure_test, {
            "message": "an image is for one",
            "target_under_test": ":several_images",
        }),
    }
    for suffix, (test, attributes) in tests.items():
        test(name = name + "_" + suffix, **attributes)
    native.test_suite(
        name = name,
        tests = [name + "_" + suffix for suffix in tests],
    )
