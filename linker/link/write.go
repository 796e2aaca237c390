package link

import "context"

func (l *Link) write(ctx context.Context) error { return nil }
