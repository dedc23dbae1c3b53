// Package outside tests that a module anywhere can require this one. It has nothing but a test.
package outside
