// Package invariants answers: what holds of every decision, whoever makes it?
//
// A [World] is a small cluster with a question, in plain numbers. It is drawn, given to the book or the engine, and
// what they answer is judged here by own sums over these numbers. No judge calls what it judges, so that the accused
// acquits nobody: none of them asks whether a pod may be taken, which of two is the more important, which budgets
// are violated, or whether a pod fits.
//
// A failure is one sentence, and below it the world as a scenario that [scenario.Run] can read.
package invariants
