module github.com/culink/culink

go 1.26.0

require (
	github.com/bazelbuild/buildtools v0.0.0-20260904073137-eaa4d125b423 // parser of Starlark, for the rule reference; buildifier
	github.com/bazelbuild/rules_go v0.60.0 // where Bazel puts the files that a test or tool reads
	github.com/google/go-cmp v0.7.0 // differences of structures, in tests only
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // names of C++ symbols in messages
	github.com/klauspost/compress v1.20.3 // zstd frames in fatbin entries (CUDA 13)
	github.com/pierrec/lz4/v4 v4.1.33 // LZ4 blocks in fatbin entries (CUDA 12, and 13 on request)
	github.com/rogpeppe/go-internal v1.16.0 // scripts that run whole command lines, in tests only
	golang.org/x/sync v0.24.0 // bounded groups of goroutines that stop at the first error
	golang.org/x/sys v0.49.0 // read-only mapping of input files
)

require (
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/google/safeopen v0.0.0-20260327150837-43626d6f4685 // indirect
	golang.org/x/tools v0.34.0 // indirect
	google.golang.org/protobuf v1.36.10 // indirect
)

// The formatter of Starlark files, pinned: a test runs it.
tool github.com/bazelbuild/buildtools/buildifier
