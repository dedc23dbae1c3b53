// Package lib has names with and without users.
package lib

// Mode is mentioned by Options.
type Mode int

// Options is used by Selected, which has a user.
type Options struct{ Mode Mode }

// Alone has no user.
func Alone() {}

// Exampled has its example alone.
func Exampled() {}

// Tested has a test of this package alone.
func Tested() {}

// Used is used by another package.
func Used() {}

// Selected is selected by another module.
func Selected(Options) {}

// Thing is an error.
type Thing struct{}

// Error is asked for by an interface.
func (Thing) Error() string { return "" }

// Do has no user.
func (Thing) Do() {}

// Run is asked for by the interface of another package.
func (Thing) Run() {}

var _ error = Thing{}
