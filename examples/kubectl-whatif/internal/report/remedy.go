package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// MostRemedies is the most controllers for whose pods a remedy is looked for.
const MostRemedies = 20

// Remedies are what would help the pods that find no place.
type Remedies struct {
	List []Remedy `json:"list"`
	// NotAsked counts pods for which none was looked for: their controllers come after
	// MostRemedies others, they are scheduled with a group, or they wait for a resize.
	NotAsked int `json:"notAsked"`
}

// Remedy is the cheapest thing that was found to help a pod, tried once everybody else has had
// a turn.
type Remedy struct {
	// Pod is one of Pods of the same controller and priority that wait, and Owner is Kind/Name
	// of the controller, empty for a pod of its own.
	Pod   outrank.Key `json:"pod"`
	Owner string      `json:"owner,omitempty"`
	Pods  int         `json:"pods"`
	Kind  Kind        `json:"kind"`
	// Node takes the pod then, or is the node that a new one is like; Text says what it takes.
	Node string `json:"node,omitempty"`
	Text string `json:"text"`
}

// Kind is a kind of remedy.
type Kind string

// The kinds, the cheapest first.
const (
	// Wait: room comes free by itself.
	Wait Kind = "wait"
	// Change: the pod or the node is changed, and nobody leaves.
	Change Kind = "change"
	// MoreNodes: a node more, like one that is there.
	MoreNodes Kind = "node"
	// Priority: another priority, with which the pod fits or pushes others out.
	Priority Kind = "priority"
	// Evict: pods are evicted by hand.
	Evict Kind = "evict"
	// None: nothing that was tried helps.
	None Kind = "none"
)

// lookForRemedies looks for one remedy for each controller of pods that wait.
func lookForRemedies(ctx context.Context, s *question.Scenario, waiting *question.Pending) (*Remedies, error) {
	out := &Remedies{List: []Remedy{}}
	type controller struct {
		namespace, owner string
		priority         int32
	}

	// Pods of one controller and one priority wait for the same thing: the first of them is asked about.
	at := map[controller]int{}
	var asked []outrank.Key
	for i := range waiting.Turns {
		t := &waiting.Turns[i]
		if t.Outcome != question.Waits && t.InVain == nil {
			continue
		}
		if t.Group || t.Resize {
			out.NotAsked += max(1, len(t.Members))
			continue
		}

		namespace, name := t.Pod.Key.Split()
		c := controller{namespace, cmp.Or(t.Pod.Owner, "Pod/"+name), t.Pod.Priority}
		if j, known := at[c]; known {
			out.List[j].Pods++
			continue
		}
		if len(out.List) == MostRemedies {
			out.NotAsked++
			continue
		}

		at[c] = len(out.List)
		asked = append(asked, t.Pod.Key)
		out.List = append(out.List, Remedy{Pod: t.Pod.Key, Owner: t.Pod.Owner, Pods: 1})
	}
	if len(asked) == 0 {
		return out, nil
	}

	// Remedies are tried on the cluster once everybody has had a turn.
	settled, err := s.Settled()
	if err != nil {
		return nil, err
	}
	a := &adviser{ctx: ctx, set: settled.Setting(), settled: settled}
	a.kinds()
	for i := range out.List {
		if err := a.advise(&out.List[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// adviser tries remedies on the cluster once everybody has had a turn.
type adviser struct {
	ctx     context.Context
	set     question.Setting
	settled *question.Scenario
	// nodes are one of each kind.
	nodes []*outrank.Node
}

// mostKinds is the most kinds of nodes of which one more is tried.
const mostKinds = 16

// kinds finds the nodes that differ in what they offer, in their taints and in their labels but for
// the host's.
func (a *adviser) kinds() {
	seen := map[string]bool{}
	for n := range a.set.Snapshot.Nodes() {
		var b strings.Builder
		for _, name := range n.Allocatable.Names() {
			q := n.Allocatable[name]
			fmt.Fprintf(&b, "%s=%s,", name, q.String())
		}
		for _, t := range n.Taints {
			fmt.Fprintf(&b, "%s=%s:%s,", t.Key, t.Value, t.Effect)
		}
		for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
			if key != "kubernetes.io/hostname" {
				fmt.Fprintf(&b, "%s=%s,", key, n.Labels[key])
			}
		}
		if kind := b.String(); !seen[kind] && len(a.nodes) < mostKinds {
			seen[kind] = true
			a.nodes = append(a.nodes, n)
		}
	}
}

// advise finds the cheapest remedy for a pod: to wait costs nothing, a change of the pod less than
// another node, that less than a priority or an eviction, and what enlarges a node or evicts beside
// the change comes last.
func (a *adviser) advise(r *Remedy) error {
	pod, ok := a.set.Snapshot.Pod(r.Pod)
	if !ok {
		return fmt.Errorf("pod %s: %w", r.Pod, preemption.ErrNotFound)
	}
	eval := a.set.EvaluatorFor(pod)

	// The snapshot is as it stands once everybody has had a turn, so that there may be room by now.
	if node := a.set.Snapshot.NodeOf(r.Pod); node != "" {
		r.set(Wait, node, "Once those are gone who leave for other pods, node "+node+" takes it.")
		return nil
	}
	free, err := eval.Feasible(a.ctx, a.set.Snapshot, pod)
	if err != nil {
		return err
	}
	if len(free) > 0 {
		r.set(Wait, free[0].Name, "Once everybody else has had a turn, node "+free[0].Name+" takes it.")
		return nil
	}

	req := preemption.Request{Pod: pod, Now: a.set.Now}
	why, err := explain.Ask(a.ctx, explain.Question{Evaluator: eval, Snapshot: a.set.Snapshot, Request: req}, explain.Options{Classes: a.set.Cluster.Classes})
	if err != nil {
		return err
	}
	if why.Leaving != nil {
		r.set(Wait, why.Leaving.Node, sentence(why.Leaving.Text()))
		return nil
	}

	low, dear := changes(why)
	if low != nil {
		r.set(Change, low.Example, help(low))
		return nil
	}
	if found, err := a.oneMore(r, eval, pod); found || err != nil {
		return err
	}

	switch {
	case r.setNothing(why.Nothing):
	case dear != nil:
		r.set(Change, dear.Example, help(dear))
	default:
		r.set(None, "", "Nothing that was tried helps.")
	}
	return nil
}

// changes returns the first nodes where changes alone make room for the pod: with those that cost
// little, and with any but larger nodes and evictions; nil for none.
func changes(why *explain.Report) (low, dear *explain.NodeGroup) {
	for i := range why.Nodes {
		g := &why.Nodes[i]
		if g.Way == nil || g.Way.Outcome != preemption.Fits {
			continue
		}
		if cheap(g.Way) {
			return g, dear
		}
		if dear == nil && without(g.Way, "enlarge-node", "evict") {
			dear = g
		}
	}
	return nil, dear
}

// setNothing takes what helps where nothing else does, and reports whether there is any: enough
// priority, if that is to be had, before a lower one of others, and that before an eviction.
func (r *Remedy) setNothing(n *explain.Nothing) bool {
	switch {
	case n == nil:
		return false
	case n.Enough != nil && (n.Enough.Class != "" || n.Enough.Priority <= priority.UserMax):
		r.set(Priority, n.Enough.Node, joined((&explain.Nothing{Enough: n.Enough}).Texts()))
	case n.Lower != nil:
		r.set(Priority, n.Lower.Node, joined((&explain.Nothing{Lower: n.Lower}).Texts()))
	case n.Eviction != nil:
		r.set(Evict, n.Eviction.Node, joined((&explain.Nothing{Eviction: n.Eviction}).Texts()))
	default:
		return false
	}
	return true
}

func (r *Remedy) set(kind Kind, node, text string) { r.Kind, r.Node, r.Text = kind, node, text }

func joined(texts []string) string { return strings.Join(texts, " ") }

func sentence(text string) string {
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// help is what the group says of its way, without the number of its nodes.
func help(g *explain.NodeGroup) string {
	_, text, found := strings.Cut(g.Help(), ": ")
	if !found {
		text = g.Help()
	}
	return sentence(text)
}

// mostLess is the part of a request, in hundredths, that a pod can be expected to ask for less.
const mostLess = 10

// cheap reports whether a way changes settings alone, or takes a little off a request.
func cheap(w *explain.Way) bool {
	for i := range w.Steps {
		for _, c := range w.Steps[i].Changes {
			switch c {
			case "enlarge-node", "evict":
				return false
			case "ask-less":
				for _, s := range w.Steps[i].Obstacle.Short {
					if little := resource.Amount(s.Resource, s.Needed) / 100 * mostLess; resource.Amount(s.Resource, s.Short) > little {
						return false
					}
				}
			}
		}
	}
	return true
}

// without reports whether a way has none of some changes.
func without(w *explain.Way, changes ...string) bool {
	return !slices.ContainsFunc(w.Steps, func(s explain.Step) bool {
		return slices.ContainsFunc(s.Changes, func(c string) bool { return slices.Contains(changes, c) })
	})
}

// oneMore tries a node more of each kind.
func (a *adviser) oneMore(r *Remedy, eval *engine.Evaluator, pod *outrank.Pod) (bool, error) {
	for _, like := range a.nodes {
		snap := a.set.Snapshot
		mark := snap.Mark()
		one := a.settled.NodesLike(like, 1)[0]
		err := snap.PutNode(one)
		var status preemption.Status
		if err == nil {
			status, err = eval.Check(snap, pod, one.Name)
		}
		if undone := snap.Undo(mark); err == nil {
			err = undone
		}
		if err != nil {
			return false, err
		}
		if status.Code == preemption.Success {
			r.set(MoreNodes, like.Name, "One more node like "+like.Name+" takes it.")
			return true, nil
		}
	}
	return false, nil
}
