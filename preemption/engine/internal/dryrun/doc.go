// Package dryrun answers on which nodes removing pods makes room for a preemptor, and which pods those are,
// without any shortcut. An [Attempt] is one question, a [DryRunner] is a worker that evaluates one node after
// another, and a [Result] is the answer of a search that evaluates every node. Tests compare every faster
// search with that answer.
//
// [Terms] is the configuration in the form that the engine reads.
package dryrun
