package inverse

import (
	"fmt"
	"slices"
	"strings"
)

// bounded is the number of n things that are shown; a limit of 0 shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}

// listed names the first few of some things.
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

// around are the places of those of n rows that are shown, in their order: those that matter
// before the others.
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
