// Package dryrun answers on which nodes removing pods makes room for a preemptor, and which
// pods those are, without any shortcut. An [Attempt] is one question, a [DryRunner] is a worker
// that evaluates one node after another, and a [Result] is the answer of a search that evaluates
// every node. Tests hold every faster search to that answer.
//
// [Terms] are the configuration as the engine reads it.
package dryrun
