// Package dryrun answers on which nodes removing pods makes room for a preemptor, and which
// pods those are, without any shortcut: one attempt, one worker, one node after the other. Its
// search evaluates every node, and every faster search is held to it.
//
// [Terms] are the configuration as the engine reads it.
package dryrun
