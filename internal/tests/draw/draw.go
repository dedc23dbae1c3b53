// Package draw answers how something is made from plain numbers, so that the same functions
// draw clusters from a seed, for everybody, and from rapid, for the tests of this module.
//
// A [Source] gives one number after the other. It stands between what is drawn and where the
// numbers come from: this package and those above it know of no test library. Functions draw in
// small steps, the plainest outcome first, because a source that makes a failing case smaller
// moves every number towards the least that it may be.
package draw

import "time"

// Source gives numbers.
type Source interface {
	// Int returns a number from least to most, both included; most is not below least. The label
	// says what the number is for. Not every source reads it.
	Int(label string, least, most int) int
}

// Numbers has a source for each thing that is drawn. A source of its own for each thing means that
// no thing moves another: one more node, or one more sort of things, leaves the rest as it is.
type Numbers interface {
	// Of returns the source of the thing with this index among its sort.
	Of(sort string, index int) Source
}

// Now returns the time at which drawn clusters are looked at.
func Now() time.Time { return time.Date(2026, 1, 10, 13, 0, 0, 0, time.UTC) }

// Pick draws one of the options. An option that is repeated is likelier; the first is the
// plainest.
func Pick[T any](s Source, label string, options ...T) T {
	return options[s.Int(label, 0, len(options)-1)]
}

// OneIn is true about once in n times. False is the plainer answer.
func OneIn(s Source, label string, n int) bool { return s.Int(label, 0, n-1) == n-1 }

// List draws a number of elements from least to most.
func List[T any](s Source, label string, least, most int, element func(Source) T) []T {
	var list []T
	for range s.Int(label, least, most) {
		list = append(list, element(s))
	}
	return list
}

// Of draws a number of the options from least to most, each as often as it comes.
func Of[T any](s Source, label string, least, most int, options ...T) []T {
	return List(s, label, least, most, func(s Source) T { return Pick(s, label, options...) })
}

// Shuffled draws an order of the elements. The plainest is the order in which they are given.
func Shuffled[T any](s Source, label string, list []T) []T {
	order := make([]T, len(list))
	copy(order, list)
	for i := range order {
		j := s.Int(label, i, len(order)-1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
