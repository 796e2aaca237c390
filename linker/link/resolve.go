package link

import "context"

func (l *Link) resolve(ctx context.Context) error { return nil }
