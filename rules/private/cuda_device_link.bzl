"""The device link."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":host.bzl", "device_code_of", "host_cc_info")
load(":providers.bzl", "CudaDeviceInfo")

_TOOLCHAIN_TYPE = "//toolchain:toolchain_type"

# The paths of both actions are all in Args, and nothing else of the configuration is in what they write. (A $(execpath) in linkopts is
# text, in which Bazel maps nothing.)
_EXECUTION_REQUIREMENTS = {"supports-path-mapping": "1"}

def _quoted(file):
    """One argument of an options file, in which white space separates and a backslash takes the next character as it is."""
    return file.path.replace("\\", "\\\\").replace("\"", "\\\"").replace(" ", "\\ ").replace("\t", "\\\t")

def _inputs(ctx):
    direct = list(ctx.files.srcs)
    transitive = []
    for dep in ctx.attr.deps:
        if CudaDeviceInfo in dep:
            transitive.append(dep[CudaDeviceInfo].objects)
        else:
            direct.extend(device_code_of(dep))
    return depset(direct, transitive = transitive, order = "preorder")

def _resources(_os, inputs):
    """Memory grows with the inputs, which the linker maps; a link without a given number of threads uses what there is."""
    return {"cpu": 2, "memory": 64 + inputs // 4}

def _link(ctx, linker, inputs, outputs):
    args = ctx.actions.args()
    args.use_param_file("--options-file=%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add(ctx.attr.arch, format = "--arch=%s")
    additional = ctx.files.additional_linker_inputs
    args.add_all([ctx.expand_location(opt, ctx.attr.additional_linker_inputs) for opt in ctx.attr.linkopts])
    args.add_all(inputs, map_each = _quoted)
    for option, file in outputs.items():
        args.add(option)
        args.add_all([file], map_each = _quoted)
    if "--host-object" in outputs:
        aarch64 = ctx.attr._aarch64[platform_common.ConstraintValueInfo]
        args.add("--cpu-arch=" + ("AARCH64" if ctx.target_platform_has_constraint(aarch64) else "X86_64"))
    ctx.actions.run(
        executable = linker,
        arguments = [args],
        inputs = depset(additional, transitive = [inputs]),
        outputs = outputs.values(),
        mnemonic = "CudaDeviceLink",
        progress_message = "Linking device code of %{label}",
        execution_requirements = {} if additional else _EXECUTION_REQUIREMENTS,
        resource_set = _resources,
        toolchain = _TOOLCHAIN_TYPE,
    )

def _dump(ctx, linker, image, text):
    args = ctx.actions.args()
    args.add("dump")
    args.add("-o", text)
    args.add(image)
    ctx.actions.run(
        executable = linker,
        arguments = [args],
        inputs = [image],
        outputs = [text],
        mnemonic = "CudaDeviceDump",
        progress_message = "Describing device image %{input}",
        execution_requirements = _EXECUTION_REQUIREMENTS,
        toolchain = _TOOLCHAIN_TYPE,
    )

def _cuda_device_link_impl(ctx):
    linker = ctx.toolchains[_TOOLCHAIN_TYPE].culink.linker
    inputs = _inputs(ctx)
    several = "," in ctx.attr.arch
    if several and not (ctx.attr.fatbin or ctx.attr.host_object):
        fail("%s: several architectures need fatbin = True or host_object = True: an image is for one" % ctx.label)
    if several and ctx.attr.dump:
        fail("%s: dump = True describes one image, so arch can name one architecture only" % ctx.label)

    outputs = {}  # the linker's option -> the file it writes
    groups = {}
    if not several:
        outputs["-o"] = ctx.actions.declare_file(ctx.label.name + ".cubin")
        groups["image"] = depset([outputs["-o"]])
    if ctx.attr.fatbin:
        outputs["--fatbin"] = ctx.actions.declare_file(ctx.label.name + ".fatbin")
        groups["fatbin"] = depset([outputs["--fatbin"]])
    if ctx.attr.host_object:
        outputs["--host-object"] = ctx.actions.declare_file(ctx.label.name + ".o")
        groups["host_object"] = depset([outputs["--host-object"]])
    _link(ctx, linker, inputs, outputs)

    files = outputs.values()
    if ctx.attr.dump:
        text = ctx.actions.declare_file(ctx.label.name + ".dump.txt")
        _dump(ctx, linker, outputs["-o"], text)
        groups["dump"] = depset([text])
        files = files + [text]

    providers = [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files = files)),
        CudaDeviceInfo(
            arch = "" if several else ctx.attr.arch,
            image = outputs.get("-o"),
            objects = depset(order = "preorder"),
        ),
        OutputGroupInfo(**groups),
    ]
    if ctx.attr.host_object:
        host = host_cc_info(ctx, outputs["--host-object"])
        providers.append(cc_common.merge_cc_infos(
            direct_cc_infos = [host],
            cc_infos = [dep[CcInfo] for dep in ctx.attr.deps if CcInfo in dep],
        ))
    return providers

cuda_device_link = rule(
    implementation = _cuda_device_link_impl,
    doc = """Links relocatable device code into a device image, as NVIDIA's `nvlink` does, in one action.

The inputs are what `nvcc -rdc=true`, `nvcc -dc`, `ptxas -c` and clang write. The link needs no CUDA toolkit and no GPU.

```starlark
cuda_device_link(
    name = "kernels",
    srcs = ["main.cubin", "math.cubin"],
    arch = "sm_90",
    dump = True,
)
```

Writes `NAME.cubin`, the image (output group `image`), and on request `NAME.dump.txt` (group `dump`), `NAME.fatbin`
(group `fatbin`) and `NAME.o` (group `host_object`). Link code once, on top: the result is not an input of another
device link.""",
    attrs = {
        "additional_linker_inputs": attr.label_list(
            doc = "Files that `linkopts` name with `$(execpath LABEL)`, such as the index file of `--uidx-file`. They are inputs of " +
                  "the action, not of the link.",
            allow_files = True,
        ),
        "arch": attr.string(
            doc = "The architecture to link for, such as `sm_90` or `sm_90a`: it has to fit the inputs. With `fatbin` " +
                  "or `host_object` it may name several, separated by commas; then there is no single image.",
            mandatory = True,
        ),
        "deps": attr.label_list(
            doc = "Targets with device code to take in: `cuda_device_library`, or C++ libraries whose objects carry " +
                  "relocatable device code. They come after `srcs`, in this order.",
            providers = [[CudaDeviceInfo], [CcInfo]],
        ),
        "dump": attr.bool(
            doc = "Also write a readable description of the image: header, sections, symbols, attributes, relocations.",
        ),
        "fatbin": attr.bool(
            doc = "Also write a fatbin with the image or images.",
        ),
        "host_object": attr.bool(
            doc = "Also write a host object that carries the image and registers it with the CUDA runtime when the " +
                  "program starts. The target then is a C++ dependency as well: a `cc_binary` that has it in `deps` " +
                  "links the host object and the C++ libraries among `deps`.",
        ),
        "linkopts": attr.string_list(
            doc = "Options of the linker, in nvlink's own forms, such as `-g` or `--kernels-used=main`. Each is one " +
                  "line of an options file: quote white space as the linker wants it there. `$(execpath LABEL)` is the path of " +
                  "one of `additional_linker_inputs`.",
        ),
        "srcs": attr.label_list(
            doc = "Relocatable cubins, fatbins, host objects and archives, in the order of the linker's command line. " +
                  "The order decides addresses and numbers in the image: write `# do not sort` above the first " +
                  "where buildifier's order is not the one you want.",
            allow_files = [".cubin", ".fatbin", ".o", ".obj", ".a", ".lib"],
        ),
        "_aarch64": attr.label(default = "@platforms//cpu:aarch64"),
    },
    fragments = ["cpp"],
    provides = [CudaDeviceInfo],
    toolchains = [config_common.toolchain_type(_TOOLCHAIN_TYPE)] + use_cc_toolchain(),
)
