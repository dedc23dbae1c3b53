package state

import (
	"hash/maphash"
	"slices"
)

// Fill returns a slice of n times v, in old's memory where it is large enough.
func Fill[T any](old []T, n int, v T) []T {
	s := slices.Grow(old[:0], n)[:n]
	for i := range s {
		s[i] = v
	}
	return s
}

// Owner marks the parts of a snapshot that the snapshot may write. Only its
// address counts; it has a size so that two owners have different addresses.
type Owner struct{ _ byte }

// hashSeed differs from run to run. No result depends on it.
var hashSeed = maphash.MakeSeed()
