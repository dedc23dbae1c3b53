// Package state keeps what a decision has to know of a cluster, indexed by node: its pods by
// importance with what they hold together, summaries that rule most nodes out, classes of
// pods that no rule tells apart, and what earlier decisions found.
//
// A [Snapshot] is changed in place, and every change can be taken back. A clone shares what
// neither side has changed since. Any number of goroutines may read a snapshot at once.
package state
