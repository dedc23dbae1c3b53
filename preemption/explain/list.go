package explain

import "slices"

// List is a list that is cut: the first of its Items, and how many More there are.
type List[T any] struct {
	Items []T
	More  int
}

// listOf cuts a list.
func listOf[T any](all []T, most int) (l List[T]) {
	l.Items = cut(all, most, &l.More)
	return l
}

// first is the list cut once more.
func (l List[T]) first(n int) List[T] {
	l.Items = cut(l.Items, n, &l.More)
	return l
}

// Len is the length of the list before it was cut.
func (l List[T]) Len() int { return len(l.Items) + l.More }

// cut shortens a list and counts what it leaves out.
func cut[T any](list []T, most int, more *int) []T {
	if len(list) <= most {
		return list
	}
	*more += len(list) - most
	return slices.Clip(list[:most])
}
