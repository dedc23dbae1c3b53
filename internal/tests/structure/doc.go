// Package structure answers: how big is a package, which of its files can only be understood together, and
// how much of it can be seen from outside?
//
// It reads source and types, never names alone. The command in the folder sizes prints a table of all
// packages:
//
//	go run -C internal/tests/structure ./sizes
//
// The one in the folder unused lists exported names of the library that nobody else uses:
//
//	go run -C internal/tests/structure ./unused
//
// The one in the folder bodies says how functions read, counts where code takes three steps through fields,
// and names functions with many parameters and structs with many bools. The one in the folder way prints the
// files that a decision leads through:
//
//	go run -C internal/tests/structure ./bodies
//	go run -C internal/tests/structure ./way
//
// The one in the folder independent prints what the book (package preemption) and the engine both call, and
// plants a fault in each of these functions:
//
//	go run -C internal/tests/structure ./independent
//
// The one in the folder conditions runs tests, and names each part of a condition that decides in none of
// them:
//
//	go run -C internal/tests/structure ./conditions
//
// The one in the folder mutants changes the code that decides, one small error at a time, and says which test
// sees it:
//
//	go run -C internal/tests/structure ./mutants -n 100
package structure
