// Package structure answers: how big is a package, which of its files can only be
// understood together, and how much does one see of it from outside?
//
// It reads source and types, never names alone. The command in the folder sizes prints a
// table of all packages:
//
//	go run ./internal/structure/sizes
package structure
