// Command mutants answers: which small error in the code that decides would no test see?
//
// It draws places in the book (package preemption), the engine, kubeletadmit, pdb, priority and resource, and
// changes each of them a little: < for <=, && for ||, a condition dropped or negated, + for -, a constant one
// higher, min for max, two arguments of one type swapped, a bound moved, a statement removed. Each change is
// a mutant. The tests run against it until one fails, the invariants first:
//
//	go run -C internal/tests/structure ./mutants -n 100 -seed 1
//	go run -C internal/tests/structure ./mutants -about eligibility,reprieve,budgets,ranks,distance -n 30
//	go run -C internal/tests/structure ./mutants -packages pdb,priority -n 50 -v
//	go run -C internal/tests/structure ./mutants -only preemption/ranks.go:63
//
// A mutant is caught by the first test that fails, or it is equivalent, or it has survived. An equivalent one
// changes no answer; testdata/equivalent.txt lists those that are known, each with the reason. A survivor
// without a reason is a failure: it needs a property that sees it.
//
// The same seed draws the same mutants as long as their functions stay as they are. All of them are built at
// once, into test binaries that an environment variable makes run one of them. The source files stay as they
// are: the go command is given changed copies.
package main
