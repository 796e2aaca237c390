module github.com/culink/culink

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0 // differences of structures, in tests only
	github.com/klauspost/compress v1.20.3 // zstd frames in fatbin entries (CUDA 13)
	github.com/pierrec/lz4/v4 v4.1.33 // LZ4 blocks in fatbin entries (CUDA 12, and 13 on request)
	golang.org/x/sys v0.49.0 // read-only mapping of input files
)
