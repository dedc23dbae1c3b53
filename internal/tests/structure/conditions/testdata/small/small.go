// Package small has conditions of every kind. Its tests show some of them.
package small

import "slices"

// debug is a constant, which cannot be made by a call.
const debug = true && false

// both is shown by three calls.
func both(a, b bool) bool { return a && b }

// either is called with every value of each parameter, but c is never false while it decides.
func either(a, b, c bool) bool { return a || b && c }

// neither has a decision behind an exclamation mark.
func neither(a, b bool) bool { return !(a || b) }

// few has lists of values.
func few(n int) string {
	switch n {
	case 1, 2:
		return "few"
	case 3:
	default:
		return "many"
	}
	return "some"
}

// kind has no default.
func kind(x any) string {
	switch x.(type) {
	case int:
		return "number"
	case string:
		return "text"
	}
	return ""
}

// size has conditions without a tag.
func size(n int) string {
	switch {
	case n < 0, n > 9:
		return "odd"
	case n == 0:
		return "none"
	}
	return ""
}

// within has a decision inside of another, and a loop.
func within(xs []int, limit int) (sum int) {
	if slices.ContainsFunc(xs, func(x int) bool { return x > 0 && x < limit }) && limit > 1 {
		for i := 0; i < len(xs); i++ {
			sum += xs[i]
		}
	}
	if debug {
		sum = -1
	}
	return sum
}

// unused is called by nobody.
func (s *set[T]) unused(x T) bool { return s != nil && slices.Contains(s.list, x) }

type set[T comparable] struct{ list []T }
