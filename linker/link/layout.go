package link

import "context"

type memory struct{}

func (l *Link) layout(ctx context.Context) error { return nil }
