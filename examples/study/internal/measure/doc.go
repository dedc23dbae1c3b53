// Package measure answers what one run of a study gives: it simulates a cell with one
// seed, and puts what came of it in figures.
package measure
