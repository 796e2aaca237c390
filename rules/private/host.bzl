"""The host side of a device link: what C++ rules give and take."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def device_code_of(dep):
    """Returns the files of a C++ dependency that may carry device code, in link order.

    Args:
        dep: a target with CcInfo.

    Returns:
        A list of File. An archive that is linked as a whole stands for its objects: the device linker has no option
        that says "all members".
    """
    files = []
    for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
        for library in linker_input.libraries:
            objects = library.pic_objects or library.objects
            archive = library.pic_static_library or library.static_library
            if objects and (library.alwayslink or not archive):
                files.extend(objects)
            elif archive:
                files.append(archive)
    return files

def host_cc_info(ctx, host_object):
    """Wraps a host object so that C++ rules link it, even where nothing refers to it: it registers its image itself.

    Args:
        ctx: the rule context; the rule declares the C++ toolchain type.
        host_object: File: position independent, so that it serves both kinds of link.

    Returns:
        CcInfo
    """
    cc_toolchain = find_cc_toolchain(ctx, mandatory = False)
    if not cc_toolchain:
        fail("%s: host_object = True needs a C++ toolchain for the target platform" % ctx.label)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    linking_context, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = depset([host_object]),
            pic_objects = depset([host_object]),
        ),
        alwayslink = True,
        disallow_dynamic_library = True,
    )
    return CcInfo(linking_context = linking_context)
