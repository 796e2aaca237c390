package link

import "context"

// checkFunctions reports what depends on functions' attributes: stack warnings, register limits, call graph dump.
func (l *Link) propagate(ctx context.Context) error { return nil }

// attributes encodes .nv.info*, .nv.callgraph, .nv.prototype, .nv.compat and notes; symbol and section numbers are final.
func (l *Link) attributes(ctx context.Context) error { return nil }

// verbose reports the lines of -v.
func (l *Link) verbose() {}
