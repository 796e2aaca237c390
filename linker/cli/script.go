package cli

import (
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	text, failed := augmentedScript, diag.NoOutput
	if c.text(optGhls) == "lcs-abs" {
		script, err := r.defaultScript()
		if err != nil {
			return err
		}
		text, failed = script+"\n\n"+text, diag.ScriptFailed
	}
	if !c.given(optOutputFile) {
		_, err := io.WriteString(r.stdout, text)
		return err
	}
	if err := writeFile(c.text(optOutputFile), []byte(text)); err != nil {
		if failed == diag.ScriptFailed {
			return r.diag.FatalCause(err, failed)
		}
		return r.diag.FatalCause(err, failed, c.text(optOutputFile))
	}
	return nil
}

// defaultScript asks the host's linker for the script that it uses when the host compiler calls it: what it prints without
// what it prints of itself, the two lines in front and the rule behind (observed).
func (r *run) defaultScript() (string, error) {
	said, err := exec.Command("ld", append([]string{"--verbose"}, r.hostLinkerOptions()...)...).Output()
	if err != nil {
		return "", r.diag.Fatal(diag.ScriptFailed)
	}
	version, _ := exec.Command("ld", "-V").Output()
	itself := strings.Split(string(version), "\n")
	lines := slices.DeleteFunc(strings.SplitAfter(string(said), "\n"), func(line string) bool {
		return line == "" || slices.Contains(itself, strings.TrimSuffix(line, "\n"))
	})
	if len(lines) < 3 {
		return "", r.diag.Fatal(diag.ScriptFailed)
	}
	return strings.Join(lines[2:len(lines)-1], ""), nil
}

// scriptOptions are the options of a linker that decide which script it uses.
var scriptOptions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-pie|-z \S*|-m \S*|-r|-shared`)
})

// hostLinkerOptions are the options among those that the host compiler would give to its linker, or those of -Xlinker. A
// compiler that cannot be asked gives none (observed).
func (r *run) hostLinkerOptions() []string {
	c := r.line
	if pieces := c.values[optHostLinkerOptions].Pieces; len(pieces) > 0 {
		if r.reference {
			return []string{strings.Join(pieces, "")} // as one word (observed)
		}
		return pieces
	}
	cc := "gcc"
	if c.given(optHostCcbin) {
		cc = c.text(optHostCcbin)
	}
	args := []string{"-###", "/dev/null", "-m64"}
	switch {
	case c.given(optShared):
		args = append(args, "-shared")
	case c.given(optRelocatable):
		args = append(args, "-r")
	}
	said, _ := exec.Command(cc, args...).CombinedOutput()
	var out []string
	for line := range strings.Lines(string(said)) {
		if strings.Contains(line, "collect2") {
			out = append(out, wholeWords(scriptOptions(), line)...)
		}
	}
	return out
}

// wholeWords are the words of the matches that neither begin nor end within a word, as grep -w finds them.
func wholeWords(re *regexp.Regexp, line string) []string {
	var out []string
	for from := 0; from < len(line); {
		m := re.FindStringIndex(line[from:])
		if m == nil {
			break
		}
		begin, end := from+m[0], from+m[1]
		if begin > 0 && isWordByte(line[begin-1]) || end < len(line) && isWordByte(line[end]) {
			from = begin + 1
			continue
		}
		out = append(out, strings.Fields(line[begin:end])...)
		from = end
	}
	return out
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
