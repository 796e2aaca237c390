"""For workspaces that still have a WORKSPACE file: what culink needs, as repositories.

```starlark
load("@culink//rules:repositories.bzl", "culink_repositories", "culink_toolchains")

culink_repositories()  # after bazel_skylib, platforms, rules_cc, rules_go and gazelle

culink_toolchains()
```
"""

load("@bazel_gazelle//:deps.bzl", "go_repository")

# The Go modules of go.mod that the linker is built from. A test compares the list with go.mod and go.sum.
_GO_MODULES = [
]

def culink_repositories():
    """Declares the Go modules that the linker is built from, those excepted that the workspace has declared before."""
    for name, path, version, sum in _GO_MODULES:
        if not native.existing_rule(name):
            go_repository(
                name = name,
                importpath = path,
                sum = sum,
                version = version,
            )

def culink_toolchains():
    """Registers the linker built from source. A toolchain registered before takes precedence."""
    native.register_toolchains("@culink//toolchain:from_source_toolchain")
