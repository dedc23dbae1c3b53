// Package measure makes one run of a study: it simulates a cell with one seed,
// and returns the figures.
package measure
