package cli

import (
	"fmt"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/link"
)

// LinkOptions reads arguments of nvlink of a release ("12.4", "13.0") for a program that links in its own process: the options
// of the link, as under the name nvlink, and the input files. It looks neither at what the options say together nor at files, and
// refuses what asks for more than a link of these files: libraries, options files, other outputs than the image, several
// targets.
func LinkOptions(release string, args []string) (opts link.Options, inputs []string, err error) {
	toolkit, ok := arch.ToolkitByName(release)
	if !ok {
		return opts, nil, fmt.Errorf("%q is no release that culink imitates", release)
	}
	r := &run{reference: true, diag: &diag.Collector{}, env: func(string) string { return "" }}
	noFiles := func(name string) ([]byte, error) { return nil, fmt.Errorf("options file %q", name) }
	if r.line, err = parse(toolkit, args, noFiles, r.diag, true); err != nil {
		return opts, nil, err
	}
	for _, id := range []optionID{optLibrary, optGhls, optHelp, optVersion, optLTO, optDlto, optUidx, optNvHost, optFdcmpt} {
		if r.line.given(id) {
			return opts, nil, fmt.Errorf("option --%s asks for more than a link", options[id].Long)
		}
	}
	targets, err := r.targets()
	if err != nil {
		return opts, nil, err
	}
	return r.options(targets[0]), r.line.Inputs, nil
}
