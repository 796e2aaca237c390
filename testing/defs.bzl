"""Tests of what the linker writes."""

load("//testing/private:golden_test.bzl", _golden_test = "golden_test")

def culink_golden_test(name, cases, data, size = "small", **kwargs):
    """Links what a cases.json lists and compares images, texts and exit statuses with the expected ones, byte for byte.

    On a difference the test prints what `culink diff` says of the two images. `bazel run //testing:update` rewrites the
    expected files of all suites.

    Args:
        name: the name of the test.
        cases: the cases.json of the suite; its folder is the folder of the suite.
        data: all other files of the suite. A file that no case accounts for fails the test, and so does a missing one.
        size: as of any test.
        **kwargs: other attributes of tests, such as shard_count.
    """
    _golden_test(
        name = name,
        size = size,
        cases = cases,
        data = data,
        **kwargs
    )
