package cli_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/culink/culink/linker/cli"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

func TestMain(m *testing.M) {
	run := func() { os.Exit(cli.Main(os.Args, os.Stdout, os.Stderr, os.Getenv)) }
	testscript.Main(m, map[string]func(){"culink": run, "nvlink": run})
}

// Scripts run whole command lines. Beside the usual commands they have
//
//	cubin FILE SM ABI FUNCTION...
//
// which writes a relocatable cubin. A function is NAME or NAME>CALLED,CALLED; a name in capitals is a kernel. And
//
//	hostmachine FILE
//	narrow FILE
//
// make a file for x86-64 of an ELF file, and ELF32 of a cubin.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"cubin": writeCubin, "hostmachine": setHostMachine, "narrow": narrowCubin},
		UpdateScripts:       os.Getenv("UPDATE") != "",
	})
}

func writeCubin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: cubin FILE SM ABI FUNCTION...")
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		ts.Check(err)
		return n
	}
	p := cubintest.Program{SM: number(args[1]), ABI: number(args[2])}
	for _, f := range args[3:] {
		name, calls, _ := strings.Cut(f, ">")
		fn := cubintest.Function{Name: name, Bind: cubin.STBGlobal, Kernel: name == strings.ToUpper(name), Registers: 24}
		if calls != "" {
			fn.Calls = strings.Split(calls, ",")
		}
		p.Functions = append(p.Functions, fn)
	}
	file := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
	ts.Check(os.WriteFile(file, p.Encode(), 0o666))
}

func narrowCubin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: narrow FILE")
	}
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	f, err := cubin.Parse(data)
	ts.Check(err)
	ts.Check(os.WriteFile(file, cubintest.Narrow(f), 0o666))
}

func setHostMachine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hostmachine FILE")
	}
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	binary.LittleEndian.PutUint16(data[18:], 62) // e_machine
	ts.Check(os.WriteFile(file, data, 0o666))
}
