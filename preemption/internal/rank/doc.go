// Package rank says what candidates are compared by: the figures that victims come to
// together, and one rule for each rank. A rank is one entry of the table of rules; words,
// counting, comparing and bounds derive from it.
package rank
