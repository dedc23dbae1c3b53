package filters_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// questionAbout is a question about a pod in a cluster.
func questionAbout(t require.TestingT, c *outrank.Cluster, p *outrank.Pod) *filters.Question {
	snap, err := state.New(c, state.UsualTraits)
	require.NoError(t, err)
	q := &filters.Question{Snap: snap, Rules: snap.Rules, Pod: p, Priority: p.PriorityValue(), Needs: filters.AppendNeeds(snap.Columns, nil, p)}
	q.Deferral = filters.DeferralOf(snap, p)
	require.NoError(t, q.Configure(context.Background(), &preemption.Profile{}))
	return q
}

// onNode returns one built-in filter of an attempt, for a worker. It is nil if the filter has nothing to say.
func onNode(q *filters.Question, name string) filters.NodeFilter {
	var plan filters.Plan
	plan.Begin(q)
	if name == preemption.NodeResourcesFit {
		return &filters.ResourcesOnNode{Asked: q, Taken: make([]state.Total, len(q.Needs))}
	}
	for i := range plan.Active {
		if filters.BuiltInNames[plan.Active[i].Index] == name {
			return plan.Active[i].OnNode(nil)
		}
	}
	return nil
}

// scene is a cluster of a few nodes as a rule looks at it while pods of one node leave and come back.
type scene struct {
	nodes []*outrank.Node
	pod   *outrank.Pod // looks for a place
	node  *outrank.Node
	// there are the pods that run at present, wherever, and nominated those that are nominated to node.
	there, nominated []*outrank.Pod
}

// on lists the pods that run on a node, and the nominated pods if it is the node that is asked.
func (s *scene) on(node string) (pods []*outrank.Pod) {
	for _, p := range s.there {
		if p.NodeName == node {
			pods = append(pods, p)
		}
	}
	if node == s.node.Name {
		pods = append(pods, s.nominated...)
	}
	return pods
}

// verdict is the answer of a rule.
type verdict struct {
	code    filters.Code
	reasons []string
}

func (v verdict) String() string { return fmt.Sprint(v.code.Public(), " ", v.reasons) }

var passes = verdict{}

// world draws three nodes, pods on them, and a pod that looks for a place.
type world struct {
	node func(t *rapid.T, n *outrank.Node)
	pod  func(t *rapid.T, p *outrank.Pod)
}

func (w world) draw(t *rapid.T) *outrank.Cluster {
	c := &outrank.Cluster{}
	for i := range 3 {
		n := &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", "1000", "pods", "1000"), Labels: map[string]string{}}
		w.node(t, n)
		c.Nodes = append(c.Nodes, n)
	}
	for i := range rapid.IntRange(0, 7).Draw(t, "pods") {
		p := &outrank.Pod{Name: fmt.Sprint("p", i), NodeName: rapid.SampledFrom([]string{"n0", "n0", "n1", "n2", ""}).Draw(t, "node")}
		if p.NodeName == "" { // counts beside those that run
			p.NominatedNodeName = "n0"
		}
		w.pod(t, p)
		c.Pods = append(c.Pods, p)
	}
	return c
}

// follows holds a filter to a rule: on a node as it is, and while its pods leave and come back, with
// and without the pods nominated to it. Once all pods are back the filter answers as before.
func follows(t *testing.T, name string, w world, rule func(*scene) verdict) {
	failed := 0
	rapid.Check(t, func(t *rapid.T) {
		c := w.draw(t)
		pod := &outrank.Pod{Name: "asks", Priority: outrank.Priority(10)}
		w.pod(t, pod)
		q := questionAbout(t, c, pod)
		filter := onNode(q, name)
		s := &scene{nodes: c.Nodes, pod: pod, node: c.Nodes[0]}
		var here, away []*outrank.Pod
		for _, p := range c.Pods {
			if p.NodeName != "" {
				s.there = append(s.there, p)
			}
			if p.NodeName == "n0" {
				here = append(here, p)
			}
		}
		n := q.Snap.NodeState("n0")
		check := func(when string) {
			for _, nominated := range [][]*state.PodState{nil, n.Nominated} {
				s.nominated = state.PodsOf(nominated)
				want, got := rule(s), passes
				if filter != nil {
					got = said(q, filter.Check(nominated))
				}
				if got.String() != want.String() {
					t.Fatalf("%s, with %d nominated pods: the filter says %v, and the rule %v", when, len(nominated), got, want)
				}
				if want.code != filters.Success {
					failed++
				}
			}
		}
		if filter != nil {
			filter.Enter(n)
		}
		check("as things are")

		change := func(p *outrank.Pod, by int) {
			if filter != nil {
				known, _ := q.Snap.PodStates.Of(p)
				filter.Change(known, by)
			}
		}
		isAway := func(p *outrank.Pod) bool { return slices.Contains(away, p) }
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			if len(here) == 0 {
				break
			}
			p := rapid.SampledFrom(here).Draw(t, "pod")
			if isAway(p) {
				away, s.there = slices.DeleteFunc(away, func(q *outrank.Pod) bool { return q == p }), append(s.there, p)
				change(p, 1)
			} else {
				away, s.there = append(away, p), slices.DeleteFunc(s.there, func(q *outrank.Pod) bool { return q == p })
				change(p, -1)
			}
			check(fmt.Sprint("with ", len(away), " pods away"))
		}
		for _, p := range away {
			s.there = append(s.there, p)
			change(p, 1)
		}
		check("with all back")
	})
	require.Positive(t, failed, "no node was refused")
}

// said is the answer of a filter with its texts.
func said(q *filters.Question, s filters.Status) verdict {
	reasons := s.Text
	if s.TooMany || s.Short != 0 {
		reasons = q.Shortages(s)
	}
	return verdict{s.Code, reasons}
}
