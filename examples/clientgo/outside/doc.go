// Package outside tests that a module anywhere can require this one. It contains nothing but that test.
package outside
