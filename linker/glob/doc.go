// Package glob tests names against many patterns at once, as -kernels-used and -variables-used list them by the thousand: in a pattern '*' is
// any run of bytes, and nothing else is special (observed).
//
// Names without '*' are looked up. Of each other pattern the longest text between its '*' goes into one automaton (Aho and Corasick's), which a
// name walks through once; only the patterns whose text it meets are tried, so that time grows with the name and with what may match it,
// not with the number of patterns.
package glob
