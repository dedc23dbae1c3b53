// Command independent answers: what do the book and the engine both call, and who would see an
// error in it?
//
// The book and the engine decide the same in two ways, and a test compares them. An error in a
// function that both call is in both answers, so that the comparison cannot see it. The file
// testdata/shared.txt lists all of these functions, each with a test that judges it by plain
// values or by recorded decisions of Kubernetes, and with a fault that this test has to see.
//
//	go run ./internal/tests/structure/independent                print what both reach, with a way to it
//	go run ./internal/tests/structure/independent -plant         plant every fault, and run its judges
//	go run ./internal/tests/structure/independent -plant NAME... plant these
//
// The tests of this package hold the file to the calls, and plant the faults whose judges are built
// quickly.
//
// Three things are below both and no calls of theirs. Words and numbers that are constants are data: whoever
// reads one is listed. Reading objects (package preemption/kube) comes before a decision, and an error there is
// seen by recorded decisions alone. What the generators of random clusters never draw is never compared.
package main
