package cli

import (
	"fmt"
	"io"
)

const ownUsage = `culink, an open CUDA device linker: links what nvcc -rdc=true, ptxas -c and clang -fgpu-rdc write.

Usage:
  culink -arch=sm_N -o IMAGE FILE...   link cubins, fatbins, host objects, archives and PTX
  culink dump [--json] [-o OUT] FILE...
                                       show the device code in cubins, fatbins, host objects and archives
  culink diff [--json] A B             show what sets two device ELF files apart; exit code 0, 1 or 2
  culink help                          this text

Started under the name nvlink it takes nvlink's place: same options, same output, same exit codes.

`

// helpGroups are the options that help lists, by what they are for. What is in none of them is listed last.
var helpGroups = []struct {
	title string
	ids   []optionID
}{
	{"Inputs", []optionID{optArch, optLibrary, optLibraryPath, optOptionsFile, optPtxas, optCPUArch, optMachine}},
	{"Outputs", []optionID{optOutputFile, optFatbin, optHostObject, optHostSource, optRegister, optRelocatable, optPreserveRelocs, optGhls}},
	{"What stays in the image", []optionID{
		optDebug, optSuppressDebugInfo, optKernelsUsed, optVariablesUsed, optUseHostInfo, optIgnoreHostInfo, optKeepSystemLibraries,
		optAllowUndefinedGlobals, optDisableSmemReservation, optEnableExtendedSmem, optReserveNull, optVerboseTkinfo, optToolkit,
	}},
	{"Messages", []optionID{
		optVerbose, optWerror, optDisableWarnings, optDisableInfos, optExtraWarnings, optSuppressArchWarning, optSuppressStackWarning, optReportArch,
		optDumpCallgraph, optDumpCallgraphRaw, optTime, optColor, optErrorLimit, optJobs, optHelp, optVersion,
	}},
}

// restGroups list the options that are in none of helpGroups, by what culink does with them.
var restGroups = []struct {
	title string
	has   func(status) bool
}{
	{"Seldom needed", func(s status) bool { return s != statusIgnored && s != statusRefused }},
	{"Accepted, without effect", func(s status) bool { return s == statusIgnored }},
	{"Refused", func(s status) bool { return s == statusRefused }},
}

const ownEnvironment = `Environment:
  LIBRARY_PATH           more directories for -l
  CUDA_HOME, PATH        where ptxas is looked for, when PTX is among the inputs
  CULINK_WARN=1          as nvlink: warn where nvlink silently loses code or pointers
  CULINK_REFERENCE=FILE  link with this nvlink, too, and fail if the images differ
  CULINK_TOOLKIT=VERSION the same as --toolkit
  NO_COLOR               no colours in messages
`

// ownHelp writes culink's own help.
func ownHelp(w io.Writer) {
	io.WriteString(w, ownUsage)
	listed := map[optionID]bool{}
	for _, g := range helpGroups {
		fmt.Fprintf(w, "%s:\n", g.title)
		for _, id := range g.ids {
			listed[id] = true
			optionHelp(w, &options[id])
		}
		fmt.Fprintln(w)
	}
	for _, g := range restGroups {
		fmt.Fprintf(w, "%s:\n", g.title)
		for id := range numOptions {
			if o := &options[id]; !listed[id] && g.has(o.Status) {
				optionHelp(w, o)
			}
		}
		fmt.Fprintln(w)
	}
	io.WriteString(w, ownEnvironment)
}

// spelling is how an option is written: "--output-file <file name>, -o".
func (o *option) spelling() string {
	s := "--" + o.Long
	if o.Arg != "" {
		s += " " + o.Arg
	}
	if o.Short != "" && o.Short != o.Long {
		s += ", -" + o.Short
	}
	return s
}

// optionHelp writes one option and its description, which begins at column 39 or on a line of its own.
func optionHelp(w io.Writer, o *option) {
	const column = 38
	text := o.Own
	if text == "" || o.Status == statusIgnored || o.Status == statusRefused {
		text = o.Note
	}
	s := o.spelling()
	if len(s) > column-4 {
		fmt.Fprintf(w, "  %s\n%*s%s\n", s, column, "", text)
		return
	}
	fmt.Fprintf(w, "  %-*s%s\n", column-2, s, text)
}
