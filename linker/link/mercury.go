package link

import "context"

// relocateMercury makes the twins' bytes and relocation entries.
func (l *Link) relocateMercury(ctx context.Context) error { return nil }

// finishMercury fills in what depends on final section numbers and offsets: capsule heads, reserved shared bytes.
func (l *Link) finishMercury(ctx context.Context) error { return nil }
