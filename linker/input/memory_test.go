package input

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// Payloads that are each within their limit may not become more together than is allowed, unless the files are large, too.
func TestPayloadsTogetherUnpackToNoMoreThanIsAllowed(t *testing.T) {
	const plain, floor = 64 << 10, 150 << 10
	zeros := func(name string) []byte { return packedContainer(t, code(80, name+strings.Repeat("\x00", plain))) }
	dir := tree(t, map[string][]byte{
		"a.fatbin": zeros("A"), "b.fatbin": zeros("B"), "c.fatbin": zeros("C"), "d.fatbin": zeros("D"),
		"large.cubin": code(80, "L\x00"+strings.Repeat("x", 8<<10)),
	})
	size := func(name string) uint64 {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return uint64(info.Size())
	}
	packed := size("a.fatbin")
	if 4*packed*totalRatio > floor {
		t.Fatalf("%d packed bytes earn more than the floor", packed)
	}
	one := uint64(len(code(80, "A"+strings.Repeat("\x00", plain))))
	refused := func(n uint64, name string) string {
		return fmt.Sprintf("%s: the inputs up to here unpack to %d bytes from %d", name, n*one, n*packed)
	}
	for _, test := range []struct {
		name, files string
		floor       uint64
		modules     string
		refused     []string
	}{
		{"within the floor", "a.fatbin b.fatbin", floor, "a.fatbin=A b.fatbin=B", nil},
		{"beyond the floor", "a.fatbin b.fatbin c.fatbin d.fatbin", floor, "", []string{refused(3, "c.fatbin")}},
		{"beyond the floor, but files are large", "large.cubin a.fatbin b.fatbin c.fatbin d.fatbin", floor,
			"large.cubin=L a.fatbin=A b.fatbin=B c.fatbin=C d.fatbin=D", nil},
		{"the default", "a.fatbin b.fatbin c.fatbin d.fatbin", 0, "a.fatbin=A b.fatbin=B c.fatbin=C d.fatbin=D", nil},
	} {
		for _, reference := range []bool{false, true} {
			got, _ := load(t, Options{Dir: dir, Files: strings.Fields(test.files), TotalFloor: test.floor, AsReference: reference})
			if diff := cmp.Diff(strings.Fields(test.modules), got.Modules, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", test.name, diff)
			}
			if got.Failed != (test.refused != nil) || len(got.Messages) != len(test.refused) {
				t.Fatalf("%s: %+v", test.name, got)
			}
			for i, text := range test.refused {
				if !strings.Contains(strings.ReplaceAll(got.Messages[i], "'", ""), text) {
					t.Errorf("%s: %q does not say %q", test.name, got.Messages[i], text)
				}
			}
		}
	}
}

// Of a large archive only headers and the chosen code are touched: members are slices of the mapping.
func TestLargeFilesAreMapped(t *testing.T) {
	big := string(code(80, strings.Repeat("x", mapFrom)))
	dir := tree(t, map[string][]byte{"big.a": archive(ordinary, section{"b.o", string(host(container(t, []byte(big)), "_id_b", ""))})})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, r := load(t, Options{Dir: dir, Files: []string{"big.a"}, AsReference: true})
	runtime.ReadMemStats(&after)
	if got.Failed || len(r.Modules) != 1 || len(r.Modules[0].Cubin) < mapFrom {
		t.Fatalf("%d modules", len(got.Modules))
	}
	if n := after.TotalAlloc - before.TotalAlloc; runtime.GOOS == "linux" && n > 4*mapFrom { // the test itself makes a string of it, and the link has its own copy
		t.Errorf("allocated %d bytes", n)
	}
}

// Another process cuts files short that are mapped already.
func TestFilesThatAreCutShortAreErrors(t *testing.T) {
	big := string(code(80, strings.Repeat("x", 2*mapFrom)))
	object := string(host(container(t, []byte(big)), "_id_b", ""))
	for name, data := range map[string]string{
		"b.cubin": big, "b.o": object, "b.fatbin": container(t, []byte(big)), "b.a": string(archive(ordinary, section{"b.o", object})),
		"packed.fatbin": container(t, []byte(big))[:16] + string(packedContainer(t, []byte(big)))[16:] + strings.Repeat("\x00", 2*mapFrom),
	} {
		for _, left := range []int64{0, 1 << 16} {
			dir := tree(t, map[string][]byte{name: []byte(data)})
			var cache Cache
			path := filepath.Join(dir, name)
			f, err := cache.open(path)
			if err != nil {
				t.Fatal(err)
			}
			if !f.mapped {
				t.Skip("files are not mapped here")
			}
			if err := os.Truncate(path, left); err != nil {
				t.Fatal(err)
			}
			o := Options{Dir: dir, Files: []string{name}, Cache: &cache, AsReference: true}
			FindRelease(o)
			got, _ := load(t, o)
			if name == "packed.fatbin" && left > 0 {
				continue // all that counts is there still
			}
			want := []string{fmt.Sprintf("fatal: Input file '%s': it was cut short while it was read", name)}
			if diff := cmp.Diff(want, got.Messages); diff != "" {
				t.Errorf("%s with %d bytes left (-want +got):\n%s", name, left, diff)
			}
			if err := cache.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Members keep their bytes when the archive goes, under either name.
func TestMembersOfMappedArchivesAreCopied(t *testing.T) {
	big := code(80, strings.Repeat("x", 2*mapFrom))
	lib := archive(ordinary, section{"b.o", string(host(container(t, big), "_id_b", ""))})
	for _, asReference := range []bool{true, false} {
		dir := tree(t, map[string][]byte{"b.a": lib})
		res, err := Load(context.Background(), Options{Dir: dir, Files: []string{"b.a"}, Target: arch.Arch{SM: 80}, AsReference: asReference}, &diag.Collector{})
		if err != nil || len(res.Modules) != 1 {
			t.Fatalf("as the reference %t: %v, %d modules", asReference, err, len(res.Modules))
		}
		if !res.files[0].mapped {
			t.Skip("files are not mapped here")
		}
		if err := os.Truncate(filepath.Join(dir, "b.a"), 0); err != nil {
			t.Fatal(err)
		}
		same := false
		if err := guarded(func() error { same = bytes.Equal(res.Modules[0].Cubin, big); return nil }); err != nil || !same {
			t.Errorf("as the reference %t: %v, the same bytes: %t", asReference, err, same)
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestGuardedLetsOtherFaultsPass(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a nil dereference was taken for a file cut short")
		}
	}()
	var f *file
	_ = guarded(func() error { return fmt.Errorf("%d", len(f.data)) })
}

// newerCode is a device ELF for sm_80 whose note says which release made it.
