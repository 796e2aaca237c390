package input

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
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
