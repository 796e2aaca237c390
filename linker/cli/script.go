package cli

import (
	"io"

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
	if !c.given(optOutputFile) {
		_, err := io.WriteString(r.stdout, text)
		return err
	}
	if writeFile(c.text(optOutputFile), []byte(text)) != nil {
		return r.diag.Fatal(diag.NoOutput, c.text(optOutputFile))
	}
	return nil
}
