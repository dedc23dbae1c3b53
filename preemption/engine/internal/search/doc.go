// Package search finds the plan of package dryrun's search without evaluating most nodes: bounds
// rule them out exactly, and what earlier decisions found of a node is kept until it changes.
// ENGINE.md in the folder of package preemption has the proofs.
package search
