package input

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
)

func files(t testing.TB) map[string][]byte {
	a, b := code(80, "A"), code(80, "B")
	text := []byte(strings.Repeat("no object at all\n", 10))
	obj := func(c ...[]byte) []byte { return host(container(t, c...), "_id_b", "") }
	exec := append([]byte(nil), b...)
	exec[16] = 2
	return map[string][]byte{
		"a.o": host(container(t, a), "_id_a", ""), "b.o": obj(b), "b90.o": obj(code(90, "B90")), "many.o": obj(code(75, "75"), b, code(90, "90")),
		"a.cubin": a, "b.obj": b, "cubin": b, "obj": obj(b), "exec.cubin": exec, "cut.cubin": b[:len(b)-10], "b90.cubin": code(90, "B90"),
		"b.fatbin": []byte(container(t, b)), "b.bin": []byte(container(t, b)), "two.fatbin": []byte(container(t, a) + container(t, b)),
		"tail.fatbin": []byte(container(t, b) + "what is this?"),
		"ab.o":        host(container(t, a)+container(t, b), "_id_a\x00_id_b", ""),
		"text.txt":    text, "text.so": text, "empty.o": nil, "short.o": text[:20],
		"host.o": elfFile(62), "whole.o": elfFile(62, section{".nvFatBinSegment", "s"}, section{".nv_fatbin", "f"}),
		"nofat.o": elfFile(62, section{".nvFatBinSegment", "s"}),
		"b.a":     archive(ordinary, section{"b.o", string(obj(b))}),
		"txt.a":   archive(ordinary, section{"t.txt", string(text)}, section{"b.o", string(obj(b))}),
		"cubin.a": archive(ordinary, section{"b.cubin", string(b)}, section{"a.o", string(host(container(t, a), "_id_a", ""))}),
		"fat.a":   archive(ordinary, section{"b.fatbin", container(t, b)}, section{"a.o", string(host(container(t, a), "_id_a", ""))}),
		"nest.a":  archive(ordinary, section{"b.a", string(archive(ordinary, section{"b.o", string(obj(b))}))}),
		"sub/t.a": archive(thin, section{"b.o", ""}), "sub/b.o": obj(b), "deep.a": archive(thin, section{"sub/b.o", ""}),
		"b90.a":    archive(ordinary, section{"b.o", string(obj(code(90, "B90")))}),
		"bsd.a":    archive(ordinary, section{"#1/4", "b.o\x00" + string(obj(b))}),
		"cutobj.a": archive(ordinary, section{"b.o", string(obj(b)[:500])}, section{"a.o", string(host(container(t, a), "_id_a", ""))}),
		"bad.a":    []byte(ordinary + strings.Repeat("no slash in it ", 8)),
		"lto.o":    obj(b), "b.bc": []byte("BC\xc0\xde" + strings.Repeat("x", 80)), "b.ltoir": text,
		"L1/libx.a": archive(ordinary, section{"t", string(text)}), "L2/libx.a": archive(ordinary, section{"b.o", string(obj(b))}),
	}
}

// Each difference between the two ways to read, and what they have in common. docs/differences.md lists the former.
func TestLoadTakesWhatTheReferenceTakesOrLosesNothing(t *testing.T) {
	lost := func(name, why string) string {
		return fmt.Sprintf("warning: linked '%s', whose code nvlink loses: %s", name, why)
	}
	all := files(t)
	lto := all["lto.o"]
	binary.LittleEndian.PutUint16(lto[strings.Index(string(lto), "\x50\xed\x55\xba")+16:], 8)
	dir := tree(t, all)
	for _, test := range []struct {
		name      string
		files     string
		reference outcome
		own       outcome
	}{
		{"objects in order", "b.o a.o", outcome{Modules: []string{"b.o=B", "a.o=A"}, IDs: []string{"_id_b", "_id_a"}}, outcome{Modules: []string{"b.o=B", "a.o=A"}, IDs: []string{"_id_b", "_id_a"}}},
		{"the entry for the target", "many.o", outcome{Modules: []string{"many.o=B"}, IDs: []string{"_id_b"}}, outcome{Modules: []string{"many.o=B"}, IDs: []string{"_id_b"}}},
		{"cubins and fatbins are registered by path", "a.cubin b.fatbin", outcome{Modules: []string{"a.cubin=A", "b.fatbin=B"}, IDs: []string{"PATH_a_cubin", "PATH_b_fatbin"}},
			outcome{Modules: []string{"a.cubin=A", "b.fatbin=B"}, IDs: []string{"PATH_a_cubin", "PATH_b_fatbin"}}},
		{"an empty file", "empty.o a.cubin", outcome{Modules: []string{"a.cubin=A"}, IDs: []string{"PATH_a_cubin"}},
			outcome{Messages: []string{"fatal: Input file 'empty.o': the file is empty"}, Failed: true}},
		{"host objects without relocatable code", "host.o whole.o text.so", outcome{}, outcome{}},
		{"an archive is loaded once", "b.a ./b.a", outcome{Modules: []string{"b.a:b.o=B"}, IDs: []string{"_id_b"}}, outcome{Modules: []string{"b.a:b.o=B"}, IDs: []string{"_id_b"}}},
		{"an object is loaded each time", "b.o b.o", outcome{Modules: []string{"b.o=B", "b.o=B"}, IDs: []string{"_id_b", "_id_b"}}, outcome{Modules: []string{"b.o=B", "b.o=B"}, IDs: []string{"_id_b", "_id_b"}}},
		{"a missing file", "nope.o a.o", outcome{Messages: []string{"fatal: Could not open input file 'nope.o'"}, Failed: true}, outcome{Messages: []string{"fatal: Could not open input file 'nope.o'"}, Failed: true}},
		{"a short file", "short.o", outcome{Messages: []string{"fatal: Could not open input file 'short.o'"}, Failed: true}, outcome{Messages: []string{"fatal: Could not open input file 'short.o'"}, Failed: true}},
		{"a record without a container", "nofat.o", outcome{Messages: []string{"fatal: Could not find fatbin in 'nofat.o'", "fatal: elfLink internal error"}, Failed: true},
			outcome{Messages: []string{"fatal: Could not find fatbin in 'nofat.o'", "fatal: elfLink internal error"}, Failed: true}},
		{"a cubin for another architecture", "b90.cubin", outcome{Messages: []string{"fatal: Input file 'b90.cubin' arch does not match target 'sm_80'"}, Failed: true},
			outcome{Messages: []string{"fatal: Input file 'b90.cubin' arch does not match target 'sm_80'"}, Failed: true}},
		{"no code for the target", "b90.o", outcome{IDs: []string{"_id_b"}, Messages: []string{"warning: SM Arch ('sm_80') not found in 'b90.o'"}}, outcome{IDs: []string{"_id_b"}, Messages: []string{"warning: SM Arch ('sm_80') not found in 'b90.o'"}}},

		{"a text file", "text.txt", outcome{}, outcome{Messages: []string{"fatal: Input file 'text.txt': it is none of the known kinds of files"}, Failed: true}},
		{"a cubin without an extension", "cubin", outcome{}, outcome{Modules: []string{"cubin=B"}, IDs: []string{"PATH_cubin"},
			Messages: []string{lost("cubin", "only cubins with the extension cubin, and relocatable ones with o, are taken")}}},
		{"a cubin under another extension", "b.obj", outcome{}, outcome{Modules: []string{"b.obj=B"}, IDs: []string{"PATH_b_obj"},
			Messages: []string{lost("b.obj", "only cubins with the extension cubin, and relocatable ones with o, are taken")}}},
		{"an object without an extension", "obj", outcome{}, outcome{Modules: []string{"obj=B"}, IDs: []string{"_id_b"}, Messages: []string{lost("obj", "its name has no extension")}}},
		{"a fatbin under another extension", "b.bin", outcome{}, outcome{Modules: []string{"b.bin=B"}, IDs: []string{"PATH_b_bin"}, Messages: []string{lost("b.bin", "only fatbins with the extension fatbin are taken")}}},
		{"a linked cubin", "exec.cubin", outcome{}, outcome{Messages: []string{"fatal: Input file 'exec.cubin': it is linked already, or was compiled without -rdc=true"}, Failed: true}},
		{"a second container", "two.fatbin", outcome{Modules: []string{"two.fatbin=A"}, IDs: []string{"PATH_two_fatbin"}}, outcome{Modules: []string{"two.fatbin=A", "two.fatbin=B"}, IDs: []string{"PATH_two_fatbin"},
			Messages: []string{lost("two.fatbin", "it has several fatbin containers, of which the first is read")}}},
		{"bytes behind a container", "tail.fatbin", outcome{Modules: []string{"tail.fatbin=B"}, IDs: []string{"PATH_tail_fatbin"}}, outcome{Messages: []string{"fatal: Input file 'tail.fatbin': 13 bytes behind its fatbin container are no container"}, Failed: true}},
		{"two modules in an object of ld -r", "ab.o", outcome{Modules: []string{"ab.o=A"}, IDs: []string{"_id_a", "_id_b"}}, outcome{Modules: []string{"ab.o=A", "ab.o=B"}, IDs: []string{"_id_a", "_id_b"},
			Messages: []string{lost("ab.o", "it has several fatbin containers, of which the first is read")}}},
		{"further modules of an object are registered last", "ab.o a.cubin", outcome{Modules: []string{"ab.o=A", "a.cubin=A"}, IDs: []string{"_id_a", "PATH_a_cubin", "_id_b"}},
			outcome{Modules: []string{"ab.o=A", "ab.o=B", "a.cubin=A"}, IDs: []string{"_id_a", "PATH_a_cubin", "_id_b"}, Messages: []string{lost("ab.o", "it has several fatbin containers, of which the first is read")}}},
		{"a member behind a text file", "txt.a", outcome{}, outcome{Modules: []string{"txt.a:b.o=B"}, IDs: []string{"_id_b"},
			Messages: []string{"warning: 'txt.a:t.txt' contributes nothing: it is no object; the reference loses the members behind it"}}},
		{"a cubin in an archive", "cubin.a", outcome{Modules: []string{"cubin.a:a.o=A"}, IDs: []string{"_id_a"}}, outcome{Modules: []string{"cubin.a:b.cubin=B", "cubin.a:a.o=A"}, IDs: []string{"PATH_cubin_a_b_cubin", "_id_a"},
			Messages: []string{lost("cubin.a:b.cubin", "cubins in archives are not linked")}}},
		{"a fatbin in an archive", "fat.a", outcome{}, outcome{Modules: []string{"fat.a:b.fatbin=B", "fat.a:a.o=A"}, IDs: []string{"PATH_fat_a_b_fatbin", "_id_a"}, Messages: []string{lost("fat.a:b.fatbin", "fatbins in archives are not linked")}}},
		{"an archive in an archive", "nest.a", outcome{}, outcome{Messages: []string{"fatal: Input file 'nest.a:b.a': an archive in an archive"}, Failed: true}},
		{"names of the BSD form", "bsd.a", outcome{}, outcome{Modules: []string{"bsd.a:b.o=B"}, IDs: []string{"_id_b"}}},
		{"a damaged object in an archive", "cutobj.a", outcome{}, outcome{Messages: []string{"fatal: Input file 'cutobj.a:b.o': not a sound ELF file: its section table at offset 0x238 lies past its end, 0x1f4"}, Failed: true}},
		{"a damaged archive", "bad.a", outcome{Messages: []string{"fatal: unexpected archive format", "fatal: elfLink internal error"}, Failed: true},
			outcome{Messages: []string{`fatal: Input file 'bad.a': archive header at offset 0x8: unexpected archive format: no slash in the name "no slash in it n"`}, Failed: true}},
		{"a thin archive in its folder", "sub/t.a", outcome{Modules: []string{"sub/t.a:b.o=B"}, IDs: []string{"_id_b"}}, outcome{Modules: []string{"sub/t.a:b.o=B"}, IDs: []string{"_id_b"}}},
		{"a thin archive of another folder", "deep.a", outcome{Messages: []string{"fatal: Memory allocation failure", "fatal: elfLink internal error"}, Failed: true},
			outcome{Modules: []string{"deep.a:sub/b.o=B"}, IDs: []string{"_id_b"}}},
		{"a member without code for the target", "b90.a", outcome{IDs: []string{"_id_b"}}, outcome{IDs: []string{"_id_b"}, Messages: []string{"warning: SM Arch ('sm_80') not found in 'b90.a:b.o'"}}},
		{"IR in an object", "lto.o", outcome{Messages: []string{"fatal: LTO objects found, use -dlto"}, Failed: true}, outcome{Messages: []string{"fatal: 'lto.o' holds code for link-time optimisation"}, Failed: true}},
		{"bitcode", "b.bc", outcome{Messages: []string{"fatal: should never see bc files"}, Failed: true}, outcome{Messages: []string{"fatal: 'b.bc' holds code for link-time optimisation"}, Failed: true}},
		{"IR by its name", "b.ltoir", outcome{Messages: []string{"fatal: should only see nvvm files when -lto"}, Failed: true}, outcome{Messages: []string{"fatal: 'b.ltoir' holds code for link-time optimisation"}, Failed: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, reference := range []bool{true, false} {
				want := test.own
				if reference {
					want = test.reference
				}
				got, _ := load(t, Options{Dir: dir, Files: strings.Fields(test.files), AsReference: reference})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("as reference: %v (-want +got):\n%s", reference, diff)
				}
			}
		})
	}
}

func TestWarnTellsWhatTheReferenceLoses(t *testing.T) {
	dir := tree(t, files(t))
	for file, want := range map[string]string{
		"cubin": "its name has no extension", "b.obj": "a cubin under the extension obj", "b.bin": "a fatbin under the extension bin",
		"txt.a": "it stands behind 't.txt', which is no ELF file", "ab.o": "it has several fatbin containers, of which the first is read",
		"exec.cubin": "it is linked already, or was compiled without -rdc=true", "cubin.a": "cubins in archives are not linked", "fat.a": "only ELF files in archives are taken",
	} {
		got, _ := load(t, Options{Dir: dir, Files: []string{file}, AsReference: true, Warn: true})
		if len(got.Messages) == 0 || !strings.HasPrefix(got.Messages[0], "warning: code of '") || !strings.HasSuffix(got.Messages[0], want) {
			t.Errorf("%s: %q, want a warning that %s", file, got.Messages, want)
		}
	}
}

func TestLibrariesAreFoundAsTheReferenceFindsThem(t *testing.T) {
	dir := tree(t, files(t))
	for _, test := range []struct {
		name string
		o    Options
		want outcome
	}{
		{"in the second directory, behind the files", Options{Libraries: []string{"x"}, LibraryDirs: []string{"L1", "L2/"}, Files: []string{"a.cubin"}},
			outcome{Modules: []string{"a.cubin=A", "L2/libx.a:b.o=B"}, IDs: []string{"PATH_a_cubin", "_id_b"}, Messages: []string{"warning: Skipping incompatible 'L1/libx.a' when searching for -lx"}}},
		{"by LIBRARY_PATH", Options{Libraries: []string{"x"}, LibraryPath: []string{"", "L2"}}, outcome{Modules: []string{"L2/libx.a:b.o=B"}, IDs: []string{"_id_b"}}},
		{"for another machine", Options{Libraries: []string{"x"}, LibraryDirs: []string{"L2"}, Machine: 183}, outcome{Messages: []string{"warning: Skipping incompatible 'L2/libx.a' when searching for -lx"}}},
		{"nowhere", Options{Libraries: []string{"y"}, LibraryDirs: []string{"L1"}}, outcome{}},
	} {
		test.o.Dir, test.o.AsReference = dir, true
		got, _ := load(t, test.o)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	got, _ := load(t, Options{Dir: dir, Libraries: []string{"y"}, LibraryDirs: []string{"L1"}})
	if len(got.Messages) != 1 {
		t.Errorf("a library that is nowhere: %q", got.Messages)
	}
}

func TestKernelsAreFilteredOnlyWhenEveryInputHasReferences(t *testing.T) {
	all := files(t)
	dead := host(container(t, code(80, "D")), "_id_d", "")
	used := host(container(t, code(80, "U")), "_id_u", "_Z1k*")
	none := host(container(t, code(80, "N")), "_id_n", "")
	all["used.o"], all["dead.o"], all["other.o"] = used, dead, host(container(t, code(90, "O")), "_id_o", "other*")
	all["missing.o"] = []byte(strings.Replace(string(none), ".nvHRDI", ".nvHRxx", 1))
	all["ldr.o"] = host(container(t, code(80, "R")), "_id_r", "\x00")
	all["cudadevrt.o"] = elfFile(62, section{".nvFatBinSegment", "s"}, section{"__nv_relfatbin", container(t, code(80, "C"))})
	all["used12.o"] = host(container(t, oldCode(80, "U")), "_id_u", "_Z1k*")
	all["cudadevrt12.o"] = host(container(t, code(80, "C")), "_id_c", "memset*")
	all["host.a"] = archive(ordinary, section{"h.o", string(all["host.o"])})
	dir := tree(t, all)
	for _, test := range []struct {
		name, files string
		o           Options
		want        bool
		kernels     []string
	}{
		{"nobody refers to a kernel", "dead.o", Options{AsReference: true}, false, nil},
		{"one object does", "dead.o used.o", Options{AsReference: true}, true, []string{"_Z1k*"}},
		{"one without code for the target does", "used.o other.o", Options{AsReference: true}, true, []string{"_Z1k*", "other*"}},
		{"a list is missing", "used.o missing.o", Options{AsReference: true}, false, []string{"_Z1k*"}},
		{"a host object", "used.o host.o", Options{AsReference: true}, false, []string{"_Z1k*"}},
		{"a host object in an archive", "used.o host.a", Options{AsReference: true}, false, []string{"_Z1k*"}},
		{"a cubin", "used.o a.cubin", Options{AsReference: true}, false, []string{"_Z1k*"}},
		{"a fatbin", "used.o b.fatbin", Options{AsReference: true}, false, []string{"_Z1k*"}},
		{"files that are ignored", "used.o text.txt empty.o text.so", Options{AsReference: true}, true, []string{"_Z1k*"}},
		{"the device runtime", "used.o cudadevrt.o", Options{AsReference: true}, true, []string{"_Z1k*"}},
		{"the device runtime's own references count", "used.o cudadevrt12.o", Options{AsReference: true}, true, []string{"_Z1k*", "memset*"}},
		{"the device runtime's own references alone", "dead.o cudadevrt12.o", Options{AsReference: true}, false, []string{"memset*"}},
		{"-ignore-host-info", "used.o", Options{AsReference: true, IgnoreHostInfo: true}, false, []string{"_Z1k*"}},
		{"-r", "used.o", Options{AsReference: true, Relocatable: true}, false, []string{"_Z1k*"}},
		{"-r of 12.4", "used12.o", Options{AsReference: true, Relocatable: true, Toolkit: arch.CUDA124()}, true, []string{"_Z1k*"}},
		{"the empty pattern of ld -r", "ldr.o", Options{AsReference: true}, true, []string{""}},
		{"the empty pattern is none", "ldr.o", Options{}, false, nil},
	} {
		test.o.Dir, test.o.Files = dir, strings.Fields(test.files)
		_, r := load(t, test.o)
		if r == nil {
			t.Errorf("%s: failed", test.name)
			continue
		}
		if r.FilterKernels != test.want {
			t.Errorf("%s: filter %v", test.name, r.FilterKernels)
		}
		if diff := cmp.Diff(test.kernels, r.KernelsExternal); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestPromotedWarningsEndTheLoadWhereTheReferenceEndsIt(t *testing.T) {
	dir := tree(t, files(t))
	for _, test := range []struct {
		files, last string
	}{
		{"b90.o", "error: SM Arch ('sm_80') not found in 'b90.o'"},
		{"b90.o a.cubin", "error: SM Arch ('sm_80') not found in 'b90.o'"},
		{"b90.o a.o", "fatal: elfLink internal error"},
		{"b90.o b.a", "fatal: elfLink internal error"},
		{"b90.o b.fatbin", "fatal: elfLink fatbinary error"},
		{"b90.o b90.cubin", "fatal: Input file 'b90.cubin' arch does not match target 'sm_80'"},
	} {
		c := &diag.Collector{WarningsAsErrors: true}
		_, err := Load(context.Background(), Options{Dir: dir, Files: strings.Fields(test.files), Target: arch.Arch{SM: 80}, AsReference: true}, c)
		var fatal *diag.FatalError
		all := c.Messages()
		last := all[len(all)-1]
		got := [...]string{"info", "warning", "error", "fatal"}[last.Severity()] + ": " + last.Text()
		if got != test.last || errors.As(err, &fatal) != (last.Severity() == diag.Fatal) || err == nil {
			t.Errorf("%s: %q, %v; want %q", test.files, got, err, test.last)
		}
	}
}

// fakePtxas is a compiler that answers with a given file, or fails.
func fakePtxas(t *testing.T, dir, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	p := filepath.Join(dir, "bin", "ptxas")
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPTXIsCompiledByPtxas(t *testing.T) {
	ptx := "// made\n/* by a test */ .version 9.0\n.target sm_75\n"
	dir := tree(t, map[string][]byte{
		"p.o": host(ptxContainer(t, 75, ptx), "_id_p", ""), "p.ptx": []byte(ptx + strings.Repeat("\n", 60)), "no.ptx": []byte(strings.Repeat("text ", 20)), "made.cubin": code(80, "P"),
	})
	// The fake writes its arguments' file name away and answers with a cubin.
	good := fakePtxas(t, dir, `echo "$1 $2 $3" > `+dir+`/args; for o; do :; done; cp `+dir+`/made.cubin "$o"`)
	for _, test := range []struct {
		name string
		o    Options
		want outcome
	}{
		{"an entry", Options{Files: []string{"p.o"}, Ptxas: good, AsReference: true}, outcome{Modules: []string{"p.o=P"}, IDs: []string{"_id_p"}}},
		{"found in CUDA_HOME", Options{Files: []string{"p.o"}, CudaHome: dir, AsReference: true}, outcome{Modules: []string{"p.o=P"}, IDs: []string{"_id_p"}}},
		{"found on PATH", Options{Files: []string{"p.o"}, Path: []string{"", dir + "/none", dir + "/bin"}, AsReference: true}, outcome{Modules: []string{"p.o=P"}, IDs: []string{"_id_p"}}},
		{"found nowhere", Options{Files: []string{"p.o"}, AsReference: true}, outcome{Messages: []string{"fatal: no ptxas to compile the PTX of 'p.o'"}, Failed: true}},
		{"a file, which CUDA 13 drops", Options{Files: []string{"p.ptx"}, Ptxas: good, AsReference: true}, outcome{}},
		{"a file that is dropped needs no compiler", Options{Files: []string{"p.ptx"}, AsReference: true}, outcome{}},
		{"a file, which CUDA 13 links from sm_90 on", Options{Files: []string{"p.ptx"}, Ptxas: good, AsReference: true, Target: arch.Arch{SM: 90}},
			outcome{Messages: []string{"fatal: Input file 'p.ptx' arch does not match target 'sm_90'"}, Failed: true}},
		{"a file", Options{Files: []string{"p.ptx"}, Ptxas: good}, outcome{Modules: []string{"p.ptx=P"}, IDs: []string{"PATH_p_ptx"}, Messages: []string{"warning: linked 'p.ptx', whose code nvlink loses: PTX files are not linked"}}},
		{"a file that is no PTX", Options{Files: []string{"no.ptx"}, Ptxas: good, AsReference: true},
			outcome{Messages: []string{"error: Binary format for key='0', ident='' is not recognized", "fatal: elfLink fatbinary error"}, Failed: true}},
	} {
		test.o.Dir = dir
		got, r := load(t, test.o)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if r != nil && len(r.Compilations) != min(1, len(test.o.Ptxas)+len(test.o.CudaHome)+len(test.o.Path)) {
			t.Errorf("%s: %d compilations", test.name, len(r.Compilations))
		}
	}
	args, err := os.ReadFile(dir + "/args")
	if err != nil || string(args) != "-m64 -c -arch=sm_80\n" {
		t.Errorf("ptxas was called with %q, %v", args, err)
	}
	bad := fakePtxas(t, dir, `for o; do case $o in *.ptx) echo "ptxas $o, line 3; error   : no";; esac; done; exit 255`)
	got, _ := load(t, Options{Dir: dir, Files: []string{"p.o"}, Ptxas: bad, AsReference: true})
	want := outcome{Messages: []string{"info: ptxas application ptx input, line 3; error   : no\n", "fatal: elfLink fatbinary error"}, Failed: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors of ptxas (-want +got):\n%s", diff)
	}
}

func TestOptionsInPTXCannotNameFiles(t *testing.T) {
	p := &ptxas{o: &Options{Target: arch.Arch{SM: 90, Suffix: 'a'}}}
	args, err := p.arguments(&take{options: "--compile-only  -maxrregcount=32 -g"})
	if diff := cmp.Diff([]string{"-m64", "-c", "-arch=sm_90a", "-maxrregcount=32", "-g"}, args); diff != "" || err != nil {
		t.Errorf("%s, %v", diff, err)
	}
	for _, o := range []string{"-o /tmp/x", "--output-file=/tmp/x", "-optf x", "-o=/x"} {
		if _, err := p.arguments(&take{options: o}); err == nil {
			t.Errorf("options %q are taken", o)
		}
	}
}

func TestResultsDoNotDependOnTheNumberOfJobs(t *testing.T) {
	dir := tree(t, files(t))
	names := strings.Fields("b.o a.o b90.o b.a ab.o cubin.a two.fatbin txt.a")
	want, _ := load(t, Options{Dir: dir, Files: names, Jobs: 1})
	for jobs := 2; jobs < 9; jobs++ {
		got, _ := load(t, Options{Dir: dir, Files: names, Jobs: jobs})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d jobs: %s", jobs, diff)
		}
	}
}

func TestOnlyHostObjectsHaveConstructors(t *testing.T) {
	dir := tree(t, files(t))
	_, r := load(t, Options{Dir: dir, Files: strings.Fields("a.cubin b.o b.fatbin ab.o b.a b90.o")})
	var got []string
	for _, line := range r.Registrations {
		if line.Constructor {
			got = append(got, line.ID)
		}
	}
	if diff := cmp.Diff(strings.Fields("_id_b _id_a _id_b _id_b _id_b"), got); diff != "" {
		t.Error(diff)
	}
}

func TestRegisterTextLeavesOutWhatTheLinkDropped(t *testing.T) {
	r := &Result{Registrations: []Registration{{ID: "_a"}, {ID: "_b", Module: -1}, {ID: "_c", Module: 1}}}
	if got, want := r.RegisterText(nil), "#define NUM_PRELINKED_OBJECTS 3\nDEFINE_REGISTER_FUNC(_a)\nDEFINE_REGISTER_FUNC(_b)\nDEFINE_REGISTER_FUNC(_c)\n"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := r.RegisterText([]int{1}), "#define NUM_PRELINKED_OBJECTS 2\nDEFINE_REGISTER_FUNC(_a)\nDEFINE_REGISTER_FUNC(_b)\n"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := (&Result{}).RegisterText(nil), "#define NUM_PRELINKED_OBJECTS 0\n"; got != want {
		t.Errorf("%q", got)
	}
}

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

func FuzzLoad(f *testing.F) {
	for name, data := range files(f) {
		f.Add(filepath.Base(name), data, true, uint8(len(data)))
		f.Add(filepath.Base(name), data, false, uint8(len(data)))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte, reference bool, choice uint8) {
		if strings.ContainsAny(name, "/\x00") || name == "" || name == "." || name == ".." || len(name) > 100 || strings.HasSuffix(name, "ptx") {
			return
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return
		}
		o := Options{Dir: dir, Files: []string{name}, Target: arch.Arch{SM: 80}, AsReference: reference, Warn: choice&2 != 0,
			Jobs: 1, Limits: fatbin.Limits{Floor: 1 << 20}, TotalFloor: 1 << 20}
		if choice&4 != 0 {
			o.Target.SM = 100
		}
		if choice&8 != 0 {
			o.Class = cubin.Class32
		}
		for _, o.Toolkit = range []*arch.Toolkit{arch.CUDA124(), arch.CUDA130()} {
			first := loadOnce(t, o, len(data))
			if again := loadOnce(t, o, len(data)); again != first {
				t.Fatalf("%s and then %s", first, again)
			}
		}
	})
}

// loadOnce loads, asks for a message where that fails and for memory in proportion to the file, and describes the outcome.
func loadOnce(t *testing.T, o Options, size int) string {
	c := &diag.Collector{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Load(context.Background(), o, c)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(16<<20+1100*size) { // payloads may unpack to 1000 times their size
		t.Fatalf("%d bytes allocated for a file of %d bytes", used, size)
	}
	said := ""
	for _, m := range c.Messages() {
		said += m.Text() + "\n"
	}
	if err != nil {
		if len(c.Messages()) == 0 {
			t.Fatalf("%v without a message", err)
		}
		return said
	}
	for i := range r.Modules {
		m := &r.Modules[i]
		said += fmt.Sprintf(" %s %x", m.Name, sha256.Sum256(m.Cubin))
	}
	said += fmt.Sprintf(" %+v %q %q %v", r.Registrations, r.KernelsExternal, r.KernelsInternal, r.FilterKernels)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return said
}

// What is told apart in headers, whatever the entry of a container says of its cubin (observed with 12.4.131 and 13.0.88).
func TestHeadersDecideWhichCodeIsTaken(t *testing.T) {
	old := func(osABI byte, flags uint32) []byte {
		b := oldCode(80, "O")
		b[7] = osABI
		binary.LittleEndian.PutUint32(b[48:], flags)
		return b
	}
	const old80 = 0x500550
	extensible := func(b []byte) []byte {
		binary.LittleEndian.PutUint16(b[16:], cubin.ETExtensible)
		return b
	}
	in := func(sm uint32, code []byte) []byte {
		c := []byte(container(t, code))
		const number = 16 + 28
		binary.LittleEndian.PutUint32(c[number:], sm)
		return c
	}
	mismatch := func(file, target string) string {
		return fmt.Sprintf("fatal: Input file '%s' arch does not match target '%s'", file, target)
	}
	limited := func(file string) string {
		return "warning: Output is limited to run on SM Arch '100' only due to limitations in input file " + file
	}
	no64 := func(file string) string {
		return fmt.Sprintf("warning: expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set", file)
	}
	for _, test := range []struct {
		name, file string
		data       []byte
		target     int
		toolkit    *arch.Toolkit
		want       []string
	}{
		{"any other EI_OSABI stands for ABI 7", "a.cubin", old(0, old80), 80, arch.CUDA130(), nil},
		{"EI_OSABI of ABI 8 with the version of ABI 7", "a.cubin", old(0x41, old80), 80, arch.CUDA130(), []string{"fatal: Input file 'a.cubin' abi does not match"}},
		{"12.4 does not look at EI_OSABI", "a.cubin", old(0x41, old80), 80, arch.CUDA124(), nil},
		{"a bit of unknown meaning", "a.cubin", old(0x33, old80|1<<31), 80, arch.CUDA130(), []string{"fatal: Input file 'a.cubin' abi does not match"}},
		{"12.4 does not look at that bit", "a.cubin", old(0x33, old80|1<<31), 80, arch.CUDA124(), nil},
		{"an extensible whole program of the release", "a.cubin", extensible(old(0x33, old80)), 80, arch.CUDA124(), nil},
		{"an extensible whole program of an older release", "a.cubin", extensible(old(0x33, old80)), 80, arch.CUDA130(),
			[]string{"fatal: linking with -ewp objects requires using current toolkit"}},
		{"an unknown number", "a.cubin", old(0x33, 0x500504), 80, arch.CUDA124(), []string{mismatch("a.cubin", "sm_80")}},
		{"number 0", "a.cubin", old(0x33, 0x500500), 80, arch.CUDA130(), []string{"fatal: Unknown arch name 'sm_0'"}},
		{"number 0 for a Mercury target", "a.cubin", old(0x33, 0x500500), 100, arch.CUDA130(), []string{limited("a.cubin"), "fatal: Unknown arch name 'sm_0'"}},
		{"a high number without Mercury", "a.cubin", code(150, "N"), 100, arch.CUDA130(), []string{limited("a.cubin"), mismatch("a.cubin", "sm_100")}},
		{"an entry that names another number", "a.fatbin", in(80, code(90, "N")), 80, arch.CUDA130(), []string{mismatch("a.fatbin", "sm_80")}},
		{"an entry of CUDA 13 in 12.4", "a.fatbin", in(80, code(80, "N")), 80, arch.CUDA124(), []string{no64("a.fatbin"), mismatch("a.fatbin", "sm_80")}},
	} {
		dir := tree(t, map[string][]byte{test.file: test.data})
		got, _ := load(t, Options{Dir: dir, Files: []string{test.file}, Target: arch.Arch{SM: test.target}, Toolkit: test.toolkit, AsReference: true})
		if diff := cmp.Diff(test.want, got.Messages); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
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
func newerCode(name string, word uint16) []byte {
	note := make([]byte, cuinfoVersionAt+2)
	binary.LittleEndian.PutUint16(note[cuinfoVersionAt:], word)
	b := elfFile(190, section{".text", name}, section{".note.nv.cuinfo", string(note)})
	b[7], b[8] = 0x41, 8
	binary.LittleEndian.PutUint32(b[48:], 80<<8|4)
	return b
}

func TestInputsOfReleasesThatAreNotKnownAreLinkedWithOneWarningWhereTheReferenceRefuses(t *testing.T) {
	dir := tree(t, map[string][]byte{"known.cubin": newerCode("known", 130), "a.cubin": newerCode("a", 135), "b.cubin": newerCode("b", 134)})
	o := Options{Dir: dir, Files: []string{"known.cubin", "a.cubin", "b.cubin"}, AsReference: true, Toolkit: arch.CUDA130()}
	refused, _ := load(t, o)
	if want := []string{"fatal: Input file 'a.cubin' newer than toolkit (135 vs 130)"}; !refused.Failed || !slices.Equal(refused.Messages, want) {
		t.Errorf("%q, want %q", refused.Messages, want)
	}
	o.AcceptNewer = true
	linked, _ := load(t, o)
	if want := []string{"warning: Input file 'a.cubin' newer than toolkit (135 vs 130), linked as the latter would"}; !slices.Equal(linked.Messages, want) {
		t.Errorf("%q, want %q", linked.Messages, want)
	}
	if want := []string{"known.cubin=known", "a.cubin=a", "b.cubin=b"}; !slices.Equal(linked.Modules, want) {
		t.Errorf("%q, want %q", linked.Modules, want)
	}
}

func TestObjectsOfABI7HaveNoReleasesBeyondTheKnownOnes(t *testing.T) {
	b := oldCode(80, "a")
	binary.LittleEndian.PutUint32(b[20:], 131)
	got, _ := load(t, Options{Dir: tree(t, map[string][]byte{"a.cubin": b}), Files: []string{"a.cubin"}, AcceptNewer: true})
	if want := []string{"fatal: Input file 'a.cubin' newer than toolkit (131 vs 130)"}; !slices.Equal(got.Messages, want) {
		t.Errorf("%q, want %q", got.Messages, want)
	}
}

func TestReleasesThatUnpackZstdAreChosenForCodePackedWithIt(t *testing.T) {
	dir := tree(t, map[string][]byte{
		"plain.fatbin":  []byte(container(t, oldCode(80, "a"))),
		"packed.fatbin": packedContainer(t, oldCode(80, "b")),
		"packed.a":      archive(ordinary, section{"b.o", string(host(string(packedContainer(t, oldCode(80, "b"))), "_id_b", ""))}),
	})
	for file, want := range map[string]bool{"plain.fatbin": false, "packed.fatbin": true, "packed.a": true} {
		if got := FindRelease(Options{Dir: dir, cwd: dir, Files: []string{file}}); !got.Found || got.Zstd != want {
			t.Errorf("%s: %+v", file, got)
		}
	}
}
