// Command conditions answers: does every part of a condition decide something in a test, both when it is
// true and when it is false?
//
// A line that runs is not yet a line that is tested: of `a && b`, a test may run both and never have b decide.
// The command measures coverage by condition (MC/DC) in the code that decides: ranks, reprieve, eligibility,
// budgets, distance and quantities. The table in scope.go has its files.
//
//	go run -C internal/tests/structure ./conditions              all of it
//	go run -C internal/tests/structure ./conditions FOLDER...    these folders, by the tests that judge them
//
// A decision is the condition of an if or a for, a case of a switch, or an expression with && or || that
// stands anywhere else. Its operands are what && and || combine. An operand decides in an evaluation if it
// was evaluated and its value became that of the decision: no other operand masked it. Each operand has to
// decide with true in one evaluation and with false in another. What a short circuit leaves out masks
// nothing. Together the two evaluations show that the decision depends on the operand alone, as masking
// MC/DC asks.
//
// The tests run on a copy of the sources in which each operand records its value. The go command reads the
// copy through -overlay, so that no file of the repository changes. A decision remembers which evaluations it
// has seen, and appends a new one to a file at once, so that neither a panic nor os.Exit loses any.
//
// Operands that no test can show are listed in testdata/exceptions.txt, each with its reason. An entry that no
// longer applies is an error.
package main
