"""For workspaces that still have a WORKSPACE file: what culink needs, as repositories.

```starlark
load("@culink//rules:repositories.bzl", "culink_repositories", "culink_toolchains")

culink_repositories()  # after bazel_skylib, platforms, rules_cc, rules_go and gazelle

culink_toolchains()
```
"""

load("@bazel_gazelle//:deps.bzl", "go_repository")

# The Go modules of go.mod: repository, module, version, sum.
_GO_MODULES = [
    ("com_github_google_go_cmp", "github.com/google/go-cmp", "v0.7.0", "h1:wk8382ETsv4JYUZwIsn6YpYiWiBsYLSJiTsyBybVuN8="),
    ("com_github_ianlancetaylor_demangle", "github.com/ianlancetaylor/demangle", "v0.0.0-20260724033716-83e58baca724", "h1:QixF8Mcbe87ET7pK/fPbBJ9GXFddmEY8yYMepzMzo30="),
    ("com_github_klauspost_compress", "github.com/klauspost/compress", "v1.20.3", "h1:zWNoFqq/lSuYQRim3dUXlXeA0IqwuZGicdG5ZTfY5j4="),
    ("com_github_pierrec_lz4_v4", "github.com/pierrec/lz4/v4", "v4.1.33", "h1:GjG1TJ1V4IzKP8L96muuuDNpTwd7D+l2ccXrjAbe014="),
    ("com_github_rogpeppe_go_internal", "github.com/rogpeppe/go-internal", "v1.16.0", "h1:O9DK+vNMDVGLr2BeZqmpLeMjiMNkuXfcqntWbZV6S5g="),
    ("org_golang_x_sync", "golang.org/x/sync", "v0.24.0", "h1:iqiDrGoDgyuvAKrhLQthUEzU/R378N78gXbBjxed7oA="),
    ("org_golang_x_sys", "golang.org/x/sys", "v0.49.0", "h1:XbzkgYJHdqh/8m2Uu0W/dQv8nktxx4BFHp1M0gROTXA="),
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

# buildifier: disable=unnamed-macro
def culink_toolchains():
    """Registers the linker built from source. A toolchain registered before takes precedence."""
    native.register_toolchains("@culink//toolchain:from_source_toolchain")
