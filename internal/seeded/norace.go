//go:build !race

package seeded

// Raced is set under the race detector, which takes many times as long for a case.
const Raced = false
