package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/culink/culink/linker/diag"
)

// augmentedScript is what -ghls=lcs-aug writes, byte for byte (observed).
const augmentedScript = "SECTIONS\n{\n" +
	"\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n" +
	"\t__nv_relfatbin : { *(__nv_relfatbin) } \n" +
	"\t.nv_fatbin : { *(.nv_fatbin) }\n}\n"

// hostLinkerScript does -ghls: a linker script for the host linker, to the output file or stdout.
func (r *run) hostLinkerScript() error {
	c := r.line
	if len(c.Inputs) > 0 {
		return r.diag.Fatal(diag.InputsWithScript)
	}
	text := augmentedScript
	if c.text(optGhls) == "lcs-abs" {
		script, err := r.defaultScript()
		if err != nil {
			return err
		}
		text = script + "\n\n" + text
	}
	if !c.given(optOutputFile) {
		_, err := io.WriteString(r.stdout, text)
		return err
	}
	if writeFile(c.text(optOutputFile), []byte(text)) != nil {
		return r.diag.Fatal(diag.NoOutput, c.text(optOutputFile))
	}
	return nil
}

// scriptRule is the line that GNU ld prints before and behind its script.
var scriptRule = strings.Repeat("=", 50)

// defaultScript asks the host compiler's linker for the script that it uses. Linking an empty file fails, but the script
// is printed first.
func (r *run) defaultScript() (string, error) {
	cc := r.line.text(optHostCcbin)
	if cc == "" {
		cc = "gcc"
	}
	said, err := exec.Command(cc, "-m64", "-Wl,--verbose", "-o", os.DevNull, os.DevNull).Output()
	_, rest, ok := strings.Cut(string(said), scriptRule+"\n")
	script, _, ok2 := strings.Cut(rest, scriptRule)
	if !ok || !ok2 {
		return "", fmt.Errorf("%s prints no linker script: %w", cc, err)
	}
	return strings.TrimRight(script, "\n") + "\n", nil
}
