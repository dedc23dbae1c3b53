// Package draw answers how something is made from plain numbers, so that the same functions can draw clusters
// from a seed, which anybody may use, and from rapid, which the tests of this module use.
//
// A [Source] gives one number after the other. Functions that draw know nothing else about where the numbers
// come from, and so depend on no test library. They draw in small steps with the plainest outcome at the
// least number: a source that shrinks a failing case moves every number towards its minimum.
package draw

import "time"

// Source gives numbers one after the other, such as random ones.
type Source interface {
	// Int returns a number from least to most, both included; most must not be below least. The label says
	// what the number is for, which only some sources read.
	Int(label string, least, most int) int
}

// Numbers has a source for each thing that is drawn. Because no two things share a source, adding one more
// node, or a new sort of things, does not change what is drawn for the others.
type Numbers interface {
	// Of returns the source for one thing: the index numbers the things of the same sort.
	Of(sort string, index int) Source
}

// Now returns the time at which drawn clusters are decided about.
func Now() time.Time { return time.Date(2026, 1, 10, 13, 0, 0, 0, time.UTC) }

// Pick draws one of the options. A repeated option is more likely; the first is the plainest.
func Pick[T any](s Source, label string, options ...T) T {
	return options[s.Int(label, 0, len(options)-1)]
}

// OneIn draws true about once in n times. False is the plainer outcome.
func OneIn(s Source, label string, n int) bool { return s.Int(label, 0, n-1) == n-1 }

// Range bounds how many elements are drawn; both bounds are included.
type Range struct{ least, most int }

// Between returns the range from least to most. Most must not be below least.
func Between(least, most int) Range { return Range{least, most} }

// List draws a number of elements within a range. The label is that of the number.
func List[T any](s Source, label string, count Range, element func(Source) T) []T {
	var list []T
	for range s.Int(label, count.least, count.most) {
		list = append(list, element(s))
	}
	return list
}

// Of draws a number of elements within a range, each one of the options. The same option may come several times.
func Of[T any](s Source, label string, count Range, options ...T) []T {
	return List(s, label, count, func(s Source) T { return Pick(s, label, options...) })
}

// Shuffled returns the elements in a drawn order, as a new list. The given order is the plainest.
func Shuffled[T any](s Source, label string, list []T) []T {
	order := make([]T, len(list))
	copy(order, list)
	for i := range order {
		j := s.Int(label, i, len(order)-1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
