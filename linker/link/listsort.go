package link

// listSort sorts list in place the way the reference sorts its linked lists: a merge sort that deals the elements in
// turn onto two lists, each built by putting the newest in front, sorts both and merges them. The element of the first
// list is taken when before(first, second) holds, otherwise the one of the second. It is not stable, and how it orders
// equal elements decides addresses (observed on up to 17 equal elements; sections "list sort" of the memory and
// relocation observations).
func listSort[T any](list []T, before func(p, q *T) bool) {
	if len(list) > 1 {
		sortDealt(list, make([]T, len(list)), before)
	}
}

// sortDealt sorts list with scratch of the same length as working room.
func sortDealt[T any](list, scratch []T, before func(p, q *T) bool) {
	if len(list) < 2 {
		return
	}
	na := (len(list) + 1) / 2
	a, b := scratch[:na], scratch[na:]
	for i := range list {
		if i%2 == 0 {
			a[na-1-i/2] = list[i]
		} else {
			b[len(b)-1-i/2] = list[i]
		}
	}
	sortDealt(a, list[:na], before)
	sortDealt(b, list[na:], before)
	for i := range list {
		if len(b) == 0 || len(a) > 0 && before(&a[0], &b[0]) {
			list[i], a = a[0], a[1:]
		} else {
			list[i], b = b[0], b[1:]
		}
	}
}
