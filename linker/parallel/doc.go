// Package parallel runs a loop on several goroutines with results that do not depend on timing.
//
// A linker's loops run over thousands of small items (files, sections) whose results land in slices, each in its own place. What
// matters is that handing out an item costs less than the item, so a goroutine takes a run of neighbours at a time, and that
// a goroutine can keep memory for itself from item to item, so each has a number.
package parallel
