// Package rank answers: by which figures are candidates compared, and which of two is the better? It
// counts the figures of victims, and has a table with one rule for each built-in rank. Words, comparing and
// the bounds of searches derive from that rule.
package rank
