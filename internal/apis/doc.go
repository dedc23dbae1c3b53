// Package apis answers: what do the plain types of package outrank and the JSON of Kubernetes'
// objects have in common? It knows how a message names a field, which texts and words a field may hold,
// which driver attaches the disks that Kubernetes once attached itself, and which package writes
// and reads the JSON of a plain type. Validation and reading share it, so that both give the same
// message about the same fault.
//
// It imports only the standard library. Any number of goroutines may read values as long as none
// writes them.
package apis
