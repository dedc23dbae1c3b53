// Package fields says how a message names the field of a Kubernetes object, and
// which texts and words a field may hold. Validation and reading share it, so that
// both say the same of the same fault.
//
// It imports the standard library alone. Values may be read by any number of
// goroutines as long as none writes them.
package fields
