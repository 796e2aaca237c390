// Package diag collects what a link has to say and words it.
//
// The linker never prints. A pass reports a message by its ID with arguments; the Collector keeps messages in the
// order in which they were reported, which is the reference linker's order. The command line decides the wording:
// started as nvlink it prints each message as nvlink words it, one line each; started as culink it prints the same
// facts sorted, grouped by symbol, demangled and with the likely cause and fix.
//
// The table of messages (catalog.go) holds each text as the reference linker words it, with the likely cause and fix; explain.go
// has culink's own words where they differ. No other package words a message: what is particular to a case, such as what is wrong with a
// section, comes as an argument or a note.
package diag
