package link

import (
	"github.com/culink/culink/linker/diag/cuname"
)

// releaseRules are what a release of the reference does differently from others beyond the dialect of its images (link.ABI: the
// file header, section types and which sections there are) and the architectures it knows (arch.Toolkit). All are observed.
type releaseRules struct {
	// since is the first toolkit word that the row is for.
	since int

	// Resolution.

	// archiveOpens: the runtime library in an archive before any other module is passed over; otherwise it has had its turn, and
	// what comes later must not need it.
	archiveOpens bool
	// weakByAttributes: weak copies of a function are compared by the register counts of .nv.info where the section header
	// states none, and an object that is there for a function is fatal; otherwise only the header counts.
	weakByAttributes bool
	// namelessFunctions: each object that brings a new undefined function that is no kernel has one function symbol without a name.
	namelessFunctions bool
	// names is how function names in dumps of the call graph are worded.
	names cuname.Release

	// Attributes.

	// newAttributes: the attributes of barrier counts, register reconfiguration and CTA groups of tensor cores are known, so that a
	// kernel's barriers may stand in an attribute instead of its section header, and a kernel that changes its registers keeps their count.
	newAttributes bool
	// refusesReserved: code that uses reserved shared memory is an error where the reservation is switched off.
	refusesReserved bool

	// Unified functions.

	// stubsShareInfo: the table of stubs has one section of attributes, for all of them; otherwise each stub's stays.
	stubsShareInfo bool
	// stubsAreEntries: stubs have register counts, barriers and masks of their own as kernels have, and raise registers as they do.
	stubsAreEntries bool
	// markersWantIndex: with an index of unified functions their marker symbols are for the loader though no input has a table.
	markersWantIndex bool

	// What stays.

	// dropsLostDebug: entries of debugging data that are for lost copies go; otherwise they stay, with their place.
	dropsLostDebug bool
	// bareRelaDescriptors: a RELA section of the linker's own section of descriptors has no flags, as a REL section has none anywhere.
	bareRelaDescriptors bool
}

// releases is in order of since.
var releases = [...]releaseRules{
	{
		since:             0,
		namelessFunctions: true, names: cuname.CUDA12,
		stubsAreEntries: true, markersWantIndex: true,
		bareRelaDescriptors: true,
	},
	{
		since:        130,
		archiveOpens: true, weakByAttributes: true, names: cuname.CUDA13,
		newAttributes: true, refusesReserved: true,
		stubsShareInfo: true,
		dropsLostDebug: true,
	},
}

// rulesOf is the row of a toolkit word (124, 130): of the newest release that is not newer.
func rulesOf(word int) releaseRules {
	row := releases[0]
	for i := range releases {
		if releases[i].since <= word {
			row = releases[i]
		}
	}
	return row
}
