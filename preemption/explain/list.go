package explain

import "slices"

// List is a list that may have been cut.
type List[T any] struct {
	// Items are the first entries, and More counts the entries that are left out.
	Items []T
	More  int
}

// listOf returns a list that has at most most items.
func listOf[T any](all []T, most int) (l List[T]) {
	l.Items = cut(all, most, &l.More)
	return l
}

// first returns the list with at most n items.
func (l List[T]) first(n int) List[T] {
	l.Items = cut(l.Items, n, &l.More)
	return l
}

// Len returns the length of the list before it was cut.
func (l List[T]) Len() int { return len(l.Items) + l.More }

// cut returns the first entries of a list, at most most, and adds the number of the others to more. A
// shorter result has no capacity to spare, so that appending to it does not overwrite the list.
func cut[T any](list []T, most int, more *int) []T {
	if len(list) <= most {
		return list
	}
	*more += len(list) - most
	return slices.Clip(list[:most])
}
