// Package cli is the command line of culink: the options of the reference linker, its options files, the order of its
// checks, its texts and exit codes, and culink's own options and subcommands.
//
// Everything that is known about an option is one row of the table in table.go: its names, the form of its value, the
// toolkits that have it, its place in the note that an image carries, its text in --help, and what culink does with
// it. Parsing, --help, the note and the documentation are made from that table.
//
// A run has two faces. Started under a name that begins with nvlink, it prints what nvlink prints and nothing else;
// which release's behaviour it takes on is decided by its inputs (see toolkit.go). Started under any other name it is
// culink: own words, messages sorted and explained, own options. Both take the same options and write the same images.
//
// Exit codes of links, as observed: 1 after a fatal message, 255 when only errors were printed, 0 otherwise; after a signal 128 and its number.
// diff ends with 0 if two files are the same, 1 if they differ, 2 after trouble. An image is
// written to a temporary file beside its place and renamed, so a failed link leaves no output.
package cli
