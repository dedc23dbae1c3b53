// Command recipe answers: is it true what CONTRIBUTING says about adding a filter or a rank?
//
// It follows the two recipes in copies of files that the go command uses in place of the sources:
// testdata/filter.txt adds a filter that counts pods, testdata/rank.txt a rank with a cost of its own. With
// them, every test of the engine that the recipes name has to pass. Then it plants faults, one at a time, in
// the engine's check, in the book's check and in the entry. The properties have to see each fault, although
// the new filter and the new rank have no tests but the lines that the recipes ask for.
//
//	go run -C internal/tests/structure ./recipe        everything; it takes some minutes
//	go test -C internal/tests/structure ./recipe       one fault of each
package main
