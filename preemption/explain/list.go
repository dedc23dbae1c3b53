package explain

import "slices"

// List is a list that may have been cut.
type List[T any] struct {
	// Items has the first entries, and More is the number of entries that are left out.
	Items []T
	More  int
}

// listOf returns a list that is cut after most items.
func listOf[T any](all []T, most int) (l List[T]) {
	l.Items = cut(all, most, &l.More)
	return l
}

// first returns the list cut after n items.
func (l List[T]) first(n int) List[T] {
	l.Items = cut(l.Items, n, &l.More)
	return l
}

// Len returns the length of the list before it was cut.
func (l List[T]) Len() int { return len(l.Items) + l.More }

// cut returns at most the first most entries of a list, and adds the number of the others to more. A result that was
// cut has no spare capacity, so that appending to it does not overwrite the list.
func cut[T any](list []T, most int, more *int) []T {
	if len(list) <= most {
		return list
	}
	*more += len(list) - most
	return slices.Clip(list[:most])
}
