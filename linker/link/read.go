package link

import "context"

func (l *Link) read(ctx context.Context) error { return nil }
