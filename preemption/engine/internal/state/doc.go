// Package state answers what a decision asks about a cluster. For each node it keeps the pods by importance,
// what they hold together, and a summary that rules the node out in most decisions. Beside the nodes it keeps
// classes of pods that no rule tells apart, and the findings of earlier decisions.
//
// A [Snapshot] is changed in place, and every change can be taken back. A clone shares with its
// origin what neither has changed since. Any number of goroutines may read a snapshot at once.
package state
