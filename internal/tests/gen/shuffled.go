package gen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"pgregory.net/rapid"
)

// Shuffled draws the same cluster in another order: new slices with the same objects. Only the order of the
// nodes may change a decision, and it decides only the last tie.
func Shuffled(c *outrank.Cluster) *rapid.Generator[*outrank.Cluster] {
	return rapid.Custom(func(t *rapid.T) *outrank.Cluster {
		s := *c
		s.Nodes = draw.Shuffled(numbers{t}, "nodes", c.Nodes)
		s.Pods = draw.Shuffled(numbers{t}, "pods", c.Pods)
		s.Budgets = draw.Shuffled(numbers{t}, "budgets", c.Budgets)
		s.Classes = draw.Shuffled(numbers{t}, "classes", c.Classes)
		s.Namespaces = draw.Shuffled(numbers{t}, "namespaces", c.Namespaces)
		s.Groups = draw.Shuffled(numbers{t}, "groups", c.Groups)
		return &s
	})
}
