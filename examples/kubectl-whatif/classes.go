package main

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// nodeKnown refuses the name of a node that the cluster does not have, and offers similar names.
func nodeKnown(snap *engine.Snapshot, flag, name string) error {
	var known []string
	for n := range snap.Nodes() {
		if n.Name == name {
			return nil
		}
		known = append(known, n.Name)
	}

	near := nearNames(known, name)
	return fmt.Errorf("--%s %s: there is no such node in the dump%s", flag, name, suggest("; near it: ", near[:min(len(near), mostNear)]))
}

// classKnown reports whether the cluster has a class of this name.
func (s *scene) classKnown(name string) bool {
	return slices.ContainsFunc(s.cluster.Classes, func(c *outrank.PriorityClass) bool { return c.Name == name })
}

// newClass returns a caveat about a class that --set-class creates: the user may have meant to change an
// existing one.
func (s *scene) newClass(name string) Warning {
	var known []string
	for _, c := range s.cluster.Classes {
		known = append(known, c.Name)
	}

	near := nearNames(known, name)
	return Warning{Object: "--set-class " + name, Text: "the dump has no such class, so that this is about a new one" +
		suggest("; near it: ", near[:min(len(near), mostNear)])}
}
