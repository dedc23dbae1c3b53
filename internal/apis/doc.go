// Package apis answers what the plain types of package outrank and the JSON of Kubernetes'
// objects have in common: how a message names a field, which texts and words a field may hold,
// which driver attaches the disks that Kubernetes once attached itself, and which package writes
// and reads the JSON of a plain type. Validation and reading share it, so that both say the same
// about the same fault.
//
// It imports only the standard library. Any number of goroutines may read values as long as none
// writes them.
package apis
