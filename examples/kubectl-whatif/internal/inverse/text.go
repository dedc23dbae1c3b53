package inverse

import (
	"fmt"
	"slices"
	"strings"
)

// bounded returns how many of n things are shown. A limit of 0 or less shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}

// listed names the first things up to the limit, and counts the others.
func listed[T any](list []T, limit int, name func(T) string) string {
	shown := bounded(len(list), limit)
	texts := make([]string, shown)
	for i := range shown {
		texts[i] = name(list[i])
	}
	text := strings.Join(texts, ", ")
	if more := len(list) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// selected returns the indexes of the rows to show, out of n, in their order. If there are too many, it prefers
// the rows in matters, then the first ones.
func selected(n, limit int, matters []int) []int {
	shown := bounded(n, limit)
	var out []int
	for _, i := range matters {
		if i >= 0 && i < n && len(out) < shown && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}

	for i := 0; len(out) < shown; i++ {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}
