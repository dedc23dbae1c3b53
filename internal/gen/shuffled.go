package gen

import (
	"github.com/outrank-go/outrank"
	"pgregory.net/rapid"
)

// Shuffled draws the same cluster in another order: new slices with the same
// objects in them. Only the order of nodes may make a difference, and only to
// the last tie.
func Shuffled(c *outrank.Cluster) *rapid.Generator[*outrank.Cluster] {
	return rapid.Custom(func(t *rapid.T) *outrank.Cluster {
		s := *c
		s.Nodes = permuted(t, "nodes", c.Nodes)
		s.Pods = permuted(t, "pods", c.Pods)
		s.Budgets = permuted(t, "budgets", c.Budgets)
		s.Classes = permuted(t, "classes", c.Classes)
		s.Namespaces = permuted(t, "namespaces", c.Namespaces)
		s.Groups = permuted(t, "groups", c.Groups)
		return &s
	})
}

func permuted[T any](t *rapid.T, label string, list []T) []T {
	return rapid.Permutation(list).Draw(t, label)
}
