// Package search answers which node a preemptor gets, and which pods leave it, without evaluating most nodes.
// Its plan is that of the exhaustive search in package dryrun. Bounds rule out nodes that cannot win, and
// what earlier decisions found out about a node is kept until the node changes.
//
// ENGINE.md in the folder of package engine has the proofs.
package search
