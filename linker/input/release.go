package input

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/ar"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
	"github.com/culink/culink/linker/offload"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/slab"
)

// grain is how many files a goroutine takes at once: most are small.
const grain = 16

// Release is what inputs say about the CUDA release that made them.
type Release struct {
	// Word is the largest version word that is readable without unpacking: ten times the release, 124 for 12.4. Of
	// compressed entries only the ABI is known; a link finds out more.
	Word int
	// ABI8 is set when some device code has ABI 8 (CUDA 13).
	ABI8 bool
	// Zstd is set when some code is compressed with zstd, as releases from 12.8 on can.
	Zstd bool
	// Found is set when there was any device code.
	Found bool
	// whole is what objects with code that is linked already say. It counts where nothing else is found: the image, an empty
	// one, is for the release whose other code stands beside it.
	whole *Release
}

// words of the two first releases of the ABIs.
const (
	wordABI7 = 120
	wordABI8 = 130
)

// FindRelease looks at headers only, of each file and of the libraries that would be found; of an archive it looks at the first member
// with device code. Files that cannot be read say nothing: Load reports them.
func FindRelease(o Options) Release {
	var r Release
	o.readAhead()
	for _, name := range o.Files {
		r.open(&o, o.in(name), name)
	}
	for _, lib := range o.Libraries {
		for _, dir := range append(append([]string(nil), o.LibraryDirs...), o.LibraryPath...) {
			if dir != "" && r.open(&o, o.in(strings.TrimSuffix(dir, "/")+"/lib"+lib+".a"), "") {
				break
			}
		}
	}
	if !r.Found && r.whole != nil {
		return *r.whole
	}
	return r
}

// readAhead opens the files in parallel, for a cache to keep.
func (o *Options) readAhead() {
	if o.Cache == nil || len(o.Files) < 2 {
		return
	}
	loop := parallel.Loop{Jobs: o.Jobs, Grain: grain}
	pools := make([]slab.Pool[byte], loop.Workers(len(o.Files)))
	_ = loop.Do(len(o.Files), func(worker, i int) error {
		_, _ = o.Cache.openInto(o.in(o.Files[i]), &pools[worker]) // Load reports what cannot be opened
		return nil
	})
}

// open looks at one file and reports whether there is one.
func (r *Release) open(o *Options, path, name string) bool {
	f, err := o.Cache.open(path)
	if err != nil {
		return false
	}
	if strings.HasSuffix(name, ".so") {
		return true
	}
	_ = guarded(func() error { // Load reports what was cut short
		r.data(f.data)
		return nil
	})
	_ = f.close() // a mapping that was only read
	return true
}

func (r *Release) data(data []byte) {
	switch contentOf(data) {
	case contentArchive:
		r.archive(data)
	case contentCubin:
		r.cubin(data)
	case contentHost:
		if o, err := hostobj.Read(data); err == nil {
			r.container(o.Fatbin)
			if o.Linked && !r.Found {
				if r.whole == nil {
					r.whole = &Release{}
				}
				r.whole.container(o.LinkedFatbin)
			}
			images, _ := offload.Parse(o.Offload) // Load reports what is wrong with them
			for i := range images {
				if images[i].CUDA() {
					r.cubin(images[i].Data)
				}
			}
		}
	case contentFatbin:
		r.container(data)
	case contentPTX:
		r.ptx(data)
	}
}

func (r *Release) archive(data []byte) {
	a, err := ar.NewReader(data)
	if err != nil {
		return
	}
	var inner Release
	for !inner.Found {
		m, err := a.Next()
		if err != nil || errors.Is(err, io.EOF) {
			break
		}
		if contentOf(m.Data) != contentArchive {
			inner.data(m.Data)
		}
	}
	r.merge(inner)
}

func (r *Release) merge(s Release) {
	if r.whole == nil {
		r.whole = s.whole
	}
	r.Word, r.ABI8, r.Zstd, r.Found = max(r.Word, s.Word), r.ABI8 || s.ABI8, r.Zstd || s.Zstd, r.Found || s.Found
}

func (r *Release) cubin(data []byte) {
	h, err := cubin.ReadHeader(data)
	if err != nil {
		return
	}
	if h.OSABI == cubin.OSABI8 {
		r.merge(Release{Word: wordABI8, ABI8: true, Found: true})
	} else if h.Version < 1000 {
		r.merge(Release{Word: int(h.Version), Found: true})
	}
}

func (r *Release) container(data []byte) {
	c, err := fatbin.Parse(data)
	if err != nil {
		return
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		r.Zstd = r.Zstd || e.Flags&fatbin.FlagZstd != 0 && e.Flags&fatbin.FlagLZ4 == 0
		switch {
		case e.Kind == fatbin.KindPTX:
			r.merge(Release{Word: wordOfPTX(int(e.Major), int(e.Minor)), Found: true})
		case e.Minor == cubin.ABIVersion8:
			r.merge(Release{Word: wordABI8, ABI8: true, Found: true})
		default:
			r.merge(Release{Word: wordABI7, Found: true})
		}
	}
}

// ptx reads the .version directive of a text.
func (r *Release) ptx(text []byte) {
	_, rest, ok := bytes.Cut(text, []byte(".version"))
	if !ok {
		return
	}
	f := strings.Fields(string(rest[:min(len(rest), 32)]))
	if len(f) == 0 {
		return
	}
	major, minor, _ := strings.Cut(f[0], ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if errA == nil && errB == nil {
		r.merge(Release{Word: wordOfPTX(a, b), Found: true})
	}
}

// wordOfPTX is the release that introduced a PTX version: 8.0 to 8.4 came with 12.0 to 12.4, 8.5 to 8.8 with 12.5 to 12.9.
// PTX itself is understood by every later release, so that anything from 9.0 on counts as 13.0.
func wordOfPTX(major, minor int) int {
	switch {
	case major > 8:
		return wordABI8
	case major == 8 && minor > 4:
		return min(wordABI7+minor, wordABI8-1)
	case major == 8:
		return wordABI7 + minor
	}
	return wordABI7
}
