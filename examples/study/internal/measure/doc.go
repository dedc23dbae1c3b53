// Package measure answers what one run of a study yields: it simulates a cell with one seed, and returns the
// figures.
package measure
