package reference_test

import (
	"slices"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/internal/testdiff"
	"pgregory.net/rapid"
)

func decide(c *outrank.Cluster, p *outrank.Pod) reference.Decision {
	return reference.Decide(reference.Input{Cluster: c, Pod: p, Now: gen.Now})
}

// monotone has everything in which a pod only ever takes room from others.
func monotone() gen.Shape {
	return gen.Shape{Budgets: 4, Nominated: 4, Taints: true, Selectors: true}
}

func TestOnlyNodeOrderMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(gen.Full()).Draw(t, "cluster")
		p := gen.Preemptor(gen.Full()).Draw(t, "preemptor")
		other := gen.Shuffled(c).Draw(t, "shuffled")
		if c.Release = rapid.SampledFrom([]outrank.Release{outrank.V1_36, outrank.V1_37}).Draw(t, "release"); c.Release == outrank.V1_37 {
			other.Budgets = c.Budgets // their order has a meaning (rule 6.3.8)
		}
		other.Release = c.Release
		want, got := decide(c, p), decide(other, p)
		// Written in the node order of one of them, all but the choice agrees.
		withoutChoice := func(d reference.Decision) string {
			d.Best, d.ClearedNominations = "", nil
			return text(c, d)
		}
		if diff := testdiff.Diff(lines(withoutChoice(want)), lines(withoutChoice(got))); diff != "" {
			t.Fatalf("Decide of the shuffled cluster (-want +got):\n%s", diff)
		}
		// In the same node order, the choice does too.
		other.Nodes = c.Nodes
		if diff := testdiff.Diff(lines(text(c, want)), lines(text(c, decide(other, p)))); diff != "" {
			t.Fatalf("Decide with pods and budgets shuffled (-want +got):\n%s", diff)
		}
	})
}

func TestInputIsReadOnly(t *testing.T) {
	for seed := range 50 {
		c, p := gen.Cluster(gen.Full()).Example(seed), gen.Preemptor(gen.Full()).Example(seed)
		decide(c, p)
		if diff := testdiff.Diff(gen.Cluster(gen.Full()).Example(seed), c); diff != "" {
			t.Fatalf("Decide changed the cluster of seed %d (-before +after):\n%s", seed, diff)
		}
		if diff := testdiff.Diff(gen.Preemptor(gen.Full()).Example(seed), p); diff != "" {
			t.Fatalf("Decide changed the preemptor of seed %d (-before +after):\n%s", seed, diff)
		}
	}
}

func TestVictimsMatterLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(gen.Full()).Draw(t, "cluster")
		p := gen.Preemptor(gen.Full()).Draw(t, "preemptor")
		for _, k := range decide(c, p).Candidates {
			for _, v := range k.Victims {
				if v.PriorityValue() >= p.PriorityValue() {
					t.Fatalf("victim %s has priority %d, the preemptor %d", v.Key(), v.PriorityValue(), p.PriorityValue())
				}
				if v.NodeName != k.Node {
					t.Fatalf("victim %s of node %s is on %s", v.Key(), k.Node, v.NodeName)
				}
			}
		}
	})
}

func TestVictimsMakeRoomAndNoneIsSpare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(monotone()).Draw(t, "cluster")
		p := gen.Preemptor(monotone()).Draw(t, "preemptor")
		for _, k := range decide(c, p).Candidates {
			if !fits(without(c, k.Victims), p, k.Node) {
				t.Fatalf("the pod does not fit on %s after the victims have left", k.Node)
			}
			for i, spared := range k.Victims {
				rest := slices.Delete(slices.Clone(k.Victims), i, i+1)
				if fits(without(c, rest), p, k.Node) {
					t.Fatalf("the pod fits on %s although %s stays", k.Node, spared.Key())
				}
			}
		}
	})
}

func fits(c *outrank.Cluster, p *outrank.Pod, node string) bool {
	return decide(c, p).Filter[node].Code == reference.Success
}

func without(c *outrank.Cluster, victims []*outrank.Pod) *outrank.Cluster {
	rest := *c
	rest.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool { return slices.Contains(victims, p) })
	return &rest
}
