package cli

import (
	"io"
	"os/exec"
	"slices"
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

// scriptOption is the length of the option at the start of text that decides which script a linker uses, with the word that belongs
// to it; 0 if there is none. (A regular expression would do, but the package for them takes a twentieth of a millisecond at each start.)
func scriptOption(text string) int {
	for _, o := range []string{"-pie", "-z ", "-m ", "-r", "-shared"} {
		if !strings.HasPrefix(text, o) {
			continue
		}
		if !strings.HasSuffix(o, " ") {
			return len(o)
		}
		if n := strings.IndexAny(text[len(o):], " \t\n\f\r"); n >= 0 {
			return len(o) + n
		}
		return len(text)
	}
	return 0
}

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
			out = append(out, scriptOptions(line)...)
		}
	}
	return out
}

// scriptOptions are the words of a linker's command line that decide which script it uses, where they neither begin nor end within a
// word, as grep -w finds them.
func scriptOptions(line string) []string {
	var out []string
	for at := 0; at < len(line); {
		end := at + scriptOption(line[at:])
		if end == at || at > 0 && isWordByte(line[at-1]) || end < len(line) && isWordByte(line[end]) {
			at++
			continue
		}
		out = append(out, strings.Fields(line[at:end])...)
		at = end
	}
	return out
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
