package thirdparty

import (
	"context"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// asking is an extender that outrank asks about candidates.
type asking struct {
	*Extender
	c *Cluster
}

// Preemption returns the extender as outrank asks it about the candidates of a cluster.
func (x *Extender) Preemption(c *Cluster) preemption.Extender {
	a := &asking{x, c}
	return preemption.Extender{
		Name: "x", Process: a.process, Ignorable: x.Ignorable,
		Interested: func(*outrank.Pod) bool { return x.Interested(c.Preemptor) },
	}
}

// process changes the candidates as the extender does over HTTP. A victim that is on no node has the UID nobody.
func (x *asking) process(_ context.Context, _ *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
	// The question is put into the form that both sides share.
	proposals := map[string]proposal{}
	for _, c := range candidates {
		p := proposal{violations: int64(c.Score.Violations)}
		for _, v := range c.Victims {
			p.victims = append(p.victims, string(v.Pod.Key()))
		}
		proposals[c.Node] = p
	}
	left, err := x.change(x.c, proposals)
	if err != nil {
		return nil, err
	}

	// Outrank looks victims up by name and UID, so that one with another UID is unknown to it.
	all := x.c.onNodes()
	var out []preemption.Candidate
	for _, node := range slices.Sorted(maps.Keys(left)) {
		c := preemption.Candidate{Node: node, Score: preemption.Score{Violations: int(left[node].violations)}}
		for _, key := range left[node].victims {
			namespace, name := outrank.Key(key).Split()
			v := &outrank.Pod{Namespace: namespace, Name: name, UID: "nobody"}
			if pod := all[key]; pod != nil {
				v.UID = string(pod.UID)
			}
			c.Victims = append(c.Victims, preemption.Victim{Pod: v})
		}
		out = append(out, c)
	}
	return out, nil
}
