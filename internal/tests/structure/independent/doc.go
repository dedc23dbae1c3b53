// Command independent answers: what do the book (package preemption) and the engine both call, and which test
// would see an error in it?
//
// The book and the engine make the same decisions in two ways, and a test compares them. An error in a
// function that both call changes both answers alike, so the comparison cannot see it. The file
// testdata/shared.txt lists all these functions. For each it names a test that judges the function by plain
// values or by recorded decisions of Kubernetes, and a fault that this test has to see.
//
//	go run -C internal/tests/structure ./independent                print what both reach, with a way to it
//	go run -C internal/tests/structure ./independent -plant         plant every fault, and run its judges
//	go run -C internal/tests/structure ./independent -plant NAME... plant these
//
// The tests of this package compare the file with the calls, and plant the faults whose judges are built
// quickly.
//
// Three things are shared by both without being called. Constants are data: whoever reads one is listed.
// Reading objects (package preemption/kube) comes before a decision, and only recorded decisions show an
// error there. What the generators of random clusters never draw is never compared.
package main
