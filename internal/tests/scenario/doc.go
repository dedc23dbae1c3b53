// Package scenario reads and checks scenario files: decisions written down as
// text, one rule to a file, with prose that says why each answer is what it is.
//
// A file is a sequence of commands:
//
//	# Prose. It says why the answer below is what it is.
//	cluster
//	    node n1 cpu=4
//	    pod low on=n1 cpu=4 priority=1
//	preempt web cpu=2 priority=100
//	----
//	preempt on n1
//	  victim low
//
// A command begins at the left margin; what is indented below it is its body,
// one statement on a line. A line of "----" starts the answer that is expected,
// which a blank line or the end of the file ends. Lines that begin with # are
// prose. Every answer has prose of its own: between two answers there is at
// least one line that says something.
//
// A line is read word by word. White space separates words; within
// parentheses and within double quotes it does not, so that a value such as
// (app in (web,db)) is part of one word. A word that is not read is a mistake,
// and a mistake names the file and the line.
//
// What the commands are is for the caller of [Run] to say. [Line.Node],
// [Line.Pod] and [Cluster] read the objects that all scenarios are about; their
// syntax is described there. Run with the flag -update, a test writes the
// answers that came out into the files, in place of those that were expected.
//
// The package is for tests.
package scenario
