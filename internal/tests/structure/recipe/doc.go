// Command recipe answers: does what CONTRIBUTING says about adding a filter or a rank hold?
//
// It follows the two recipes in a copy that the go command sees in place of the sources: testdata/filter.txt is
// a filter that counts pods, testdata/rank.txt a rank with a cost of its own. With them every test of the
// engine that the recipes name has to pass. Then it plants faults, in the check of the engine, in that of
// the book and in what the entry says, one at a time, and of each the properties alone have to see
// it: nobody has written a test for the new filter or the new rank but the lines that the recipes ask for.
//
//	go run ./internal/tests/structure/recipe        everything; it takes some minutes
//	go test ./internal/tests/structure/recipe       one fault of each
package main
