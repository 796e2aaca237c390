package link

import "context"

func (l *Link) relocate(ctx context.Context) error {
	return l.relocateMercury(ctx)
}
