"""The rule behind culink_golden_test."""

def _golden_test_impl(ctx):
    runner = ctx.executable._runner
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = runner, is_executable = True)
    runfiles = ctx.runfiles(files = [runner] + ctx.files.data)
    return [DefaultInfo(
        executable = executable,
        runfiles = runfiles.merge_all([
            target[DefaultInfo].default_runfiles
            for target in ctx.attr.data + [ctx.attr._runner]
        ]),
    )]

_golden_test = rule(
    implementation = _golden_test_impl,
    doc = "Runs the golden suite runner on one cases.json.",
    attrs = {
        "data": attr.label_list(
            doc = "The linker and the files of the suite.",
            allow_files = True,
        ),
        "_runner": attr.label(
            default = "//testing/golden/run",
            cfg = "target",
            executable = True,
        ),
    },
    test = True,
)

_LINKER = str(Label("//linker/cmd/culink"))

def golden_test(name, cases, data, **kwargs):
    """Hands the runner the linker and the suite.

    Args:
        name: the name of the test.
        cases: label of the cases.json.
        data: labels of the other files of the suite.
        **kwargs: attributes of the rule.
    """
    _golden_test(
        name = name,
        args = [
            "-linker=$(rlocationpath %s)" % _LINKER,
            "-cases=$(rlocationpath %s)" % cases,
        ],
        data = [_LINKER, cases] + [label for label in data if label != cases],
        **kwargs
    )
