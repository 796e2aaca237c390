package cli

import (
	"path/filepath"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/link"
)

// recorded lists the options that nvlink's own .note.nv.tkinfo holds, in its fixed order (observed).
var recorded = []optionID{
	optSuppressStackWarning, optSuppressArchWarning, optOutputFile, optDebug, optArch, optMachine, optLibrary, optLibraryPath,
	optRegister, optVerbose, optPreserveRelocs, optDisableWarnings, optWerror, optDisableInfos, optKeepSystemLibraries, optKernelsUsed,
	optVariablesUsed, optCPUArch, optReportArch, optTime, optEmitPTX, optExtraWarnings, optLTO, optDlto, optNvvmpath, optSplitCompile,
	optSplitCompileExtended, optOfastCompile, optSuppressDebugInfo, optXptxas, optXnvvm, optMaxrregcount, optDumpCallgraph,
	optDumpCallgraphRaw, optUseHostInfo, optIgnoreHostInfo, optRelocatable, optStackProtector, optUidx, optOptionsFile,
}

// recordedFiles are those of them that are recorded with -g or --verbose-tkinfo=true only, as are the inputs: by base
// names, and of options files only that there were any.
var recordedFiles = [numOptions]bool{optOutputFile: true, optRegister: true, optTime: true, optOptionsFile: true}

// filtersKernels reports whether the kernels to keep are named.
func (c *commandLine) filtersKernels() bool {
	return len(c.values[optKernelsUsed].Pieces)+len(c.values[optVariablesUsed].Pieces) > 0
}

// recordsFiles reports whether the note names inputs and output.
func (c *commandLine) recordsFiles() bool {
	return c.given(optDebug) || c.values[optVerboseTkinfo].Bool
}

// optionsText is the text of the options in that note: "-name value " for each option that was given, where a switch has an
// empty value.
func (c *commandLine) optionsText(target arch.Name) string {
	var b strings.Builder
	files := c.recordsFiles()
	if files {
		for i, in := range c.Inputs {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(filepath.Base(in))
		}
		b.WriteByte(' ')
	}
	for _, id := range recorded {
		text := c.text(id)
		switch {
		case !c.given(id), recordedFiles[id] && !files:
			continue
		case recordedFiles[id] && text != "":
			text = filepath.Base(text)
		case id == optArch:
			text = target.String()
		}
		b.WriteString("-" + options[id].Short + " " + text + " ")
	}
	return b.String()
}

// options are the linker's options for this command line and a target.
func (r *run) options(target arch.Name) link.Options {
	c := r.line
	o := link.Options{
		SM:                 target.SM,
		Toolkit:            c.Toolkit.Word,
		Class:              c.class(),
		Relocatable:        c.given(optRelocatable) && c.Toolkit.RelocatableLink,
		Debug:              c.given(optDebug),
		SuppressDebugInfo:  c.given(optSuppressDebugInfo),
		PreserveRelocs:     c.given(optPreserveRelocs),
		ForceRela:          c.given(optForceRela),
		Verbose:            c.given(optVerbose),
		ExtraWarnings:      c.given(optExtraWarnings),
		DumpCallgraph:      c.given(optDumpCallgraph) || c.given(optDumpCallgraphRaw),
		DotGraph:           c.given(optDotFile),
		NoStackSizeWarning: c.given(optSuppressStackWarning),
		KeepSystemLibs:     c.given(optKeepSystemLibraries),
		AllowUndefGlobals:  c.given(optAllowUndefinedGlobals),
		DisableSmemReserve: c.values[optDisableSmemReservation].Bool,
		ReserveNullPointer: c.given(optReserveNull) && !c.given(optDontReserveNull), // in any order (observed)
		ExtendedSmem:       c.values[optEnableExtendedSmem].Bool,
		IgnoreHostInfo:     c.given(optIgnoreHostInfo),
		KernelsUsed:        c.values[optKernelsUsed].Pieces,
		VariablesUsed:      c.values[optVariablesUsed].Pieces,
		OptionsText:        c.optionsText(target),
		Jobs:               int(c.values[optJobs].Number),
		KeepSettledRelocs:  !r.reference,
		KeepPointers:       !r.reference,
		WarnNullPointers:   r.reference && r.env("CULINK_WARN") == "1",
		AsReference:        r.reference,
		Index:              r.index,
	}
	if r.reference && c.given(optToolName) {
		name := c.toolName()
		o.ToolName = &name
	}
	if target.Suffix != 0 {
		o.Suffix = string(rune(target.Suffix))
	}
	o.FilterGiven = c.filtersKernels()
	if c.recordsFiles() {
		o.ObjectName = filepath.Base(c.text(optOutputFile))
	}
	return o
}
