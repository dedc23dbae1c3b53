// Package apis answers what the plain types of package outrank and the JSON of Kubernetes'
// objects have in common: how a message names a field, which texts and words a field may hold,
// which driver attaches the disks that Kubernetes once attached itself, and who writes and reads
// the JSON of a plain type. Validation and reading share it, so that both say the same of the
// same fault.
//
// It imports the standard library alone. Values may be read by any number of
// goroutines as long as none writes them.
package apis
