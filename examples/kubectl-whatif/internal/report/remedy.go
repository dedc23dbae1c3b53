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

// MostRemedies is the most controllers whose pods are looked after.
const MostRemedies = 20

// Remedies says what would help the pods that find no place.
type Remedies struct {
	List []Remedy `json:"list"`
	// NotAsked counts the pods for which no remedy was looked for: their controller comes after the first
	// MostRemedies, they are scheduled with a group, or they wait for a resize.
	NotAsked int `json:"notAsked"`
}

// Remedy is the cheapest remedy that was found for a pod. It was tried once all other pods had had their turns.
type Remedy struct {
	// Pod is the first of the waiting pods that share a controller and a priority, and Pods is their number.
	// Owner names the controller as Kind/Name. It is empty for a pod without one.
	Pod   outrank.Key `json:"pod"`
	Owner string      `json:"owner,omitempty"`
	Pods  int         `json:"pods"`
	Kind  Kind        `json:"kind"`
	// Node is the node that then takes the pod, or the node that the new node is like. Text says what helps.
	Node string `json:"node,omitempty"`
	Text string `json:"text"`
}

// Kind is a kind of remedy.
type Kind string

// The kinds, the cheapest first.
const (
	// Wait means that room comes free by itself.
	Wait Kind = "wait"
	// Change means that the pod or the node is changed, and nobody leaves.
	Change Kind = "change"
	// MoreNodes means one more node, like an existing one.
	MoreNodes Kind = "node"
	// Priority means that the pod or other pods get another priority, with which it fits or pushes others out.
	Priority Kind = "priority"
	// Evict means that pods are evicted by hand.
	Evict Kind = "evict"
	// None means that nothing that was tried helps.
	None Kind = "none"
)

// lookForRemedies looks for one remedy for each controller of waiting pods.
func lookForRemedies(ctx context.Context, s *question.Scenario, waiting *question.Pending) (*Remedies, error) {
	out := withoutPlace(waiting)
	if len(out.List) == 0 {
		return out, nil
	}

	// Remedies are tried on the cluster in which all pods have had their turns.
	settled, err := s.Settled()
	if err != nil {
		return nil, err
	}
	set := settled.Setting()
	a := &adviser{ctx: ctx, set: set, snap: set.Snapshot, settled: settled}
	a.kinds()
	for i := range out.List {
		if err := a.advise(&out.List[i]); err != nil {
			return nil, err
		}
		set.Show(i+1, len(out.List))
	}
	return out, nil
}

// withoutPlace lists the pods that need a remedy. Waiting pods with the same controller and priority need the
// same one, so that the first of them stands for all.
func withoutPlace(waiting *question.Pending) *Remedies {
	type kind struct {
		namespace, owner string
		priority         int32
	}

	out := &Remedies{List: []Remedy{}}
	index := map[kind]int{}
	for i := range waiting.Turns {
		// Pods whose victims leave in vain have no place either.
		t := &waiting.Turns[i]
		if t.Outcome != question.Waits && t.InVain == nil {
			continue
		}

		// For a group or a resize no remedy can be found node by node.
		if t.Group || t.Resize {
			out.NotAsked += max(1, len(t.Members))
			continue
		}

		// A pod without a controller stands for itself.
		pod := &t.Pod
		namespace, name := pod.Key.Split()
		k := kind{namespace, cmp.Or(pod.Owner, "Pod/"+name), pod.Priority}
		if j, known := index[k]; known {
			out.List[j].Pods++
			continue
		}
		if len(out.List) == MostRemedies {
			out.NotAsked++
			continue
		}

		index[k] = len(out.List)
		out.List = append(out.List, Remedy{Pod: pod.Key, Owner: pod.Owner, Pods: 1})
	}
	return out
}

// adviser tries remedies on the cluster in which all pods have had their turns.
type adviser struct {
	ctx     context.Context
	set     question.Setting
	snap    *engine.Snapshot
	settled *question.Scenario
	// nodes has one node of each kind (see kinds).
	nodes []*outrank.Node
}

// mostKinds is the most kinds of nodes of which one more is tried.
const mostKinds = 16

// kinds finds one node of each kind. Nodes of one kind offer the same and have the same taints and, apart from
// the host name, the same labels.
func (a *adviser) kinds() {
	seen := map[string]bool{}
	for n := range a.snap.Nodes() {
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

// advise finds the cheapest remedy for a pod. Waiting costs nothing. A small change of the pod is cheaper than
// one more node, which is cheaper than another priority or an eviction. A change that reduces the pod's
// requests by more comes last. Changes that enlarge a node or also evict pods are not considered.
func (a *adviser) advise(r *Remedy) error {
	set, snap := &a.set, a.snap
	pod, ok := snap.Pod(r.Pod)
	if !ok {
		return fmt.Errorf("pod %s: %w", r.Pod, preemption.ErrNotFound)
	}
	eval := set.EvaluatorFor(pod)
	if waits, err := a.wait(r, eval, pod); waits || err != nil {
		return err
	}

	cluster := set.Cluster
	req := preemption.Request{Pod: pod, Now: set.Now}
	why, err := explain.Ask(a.ctx, explain.Question{Evaluator: eval, Snapshot: snap, Request: req}, explain.Options{Classes: cluster.Classes})
	if err != nil {
		return err
	}

	// Pods that are leaving already may make room for this one.
	if leaving := why.Leaving; leaving != nil {
		r.set(Wait, leaving.Node, sentence(leaving.Text()))
		return nil
	}

	// The explanation has tried changes, but no additional node. That is tried here, because it is cheaper than
	// a large change.
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

// wait reports whether the pod only has to wait: the snapshot, in which all pods have had their turns, has room
// for it.
func (a *adviser) wait(r *Remedy, eval *engine.Evaluator, pod *outrank.Pod) (bool, error) {
	snap := a.snap
	if node := snap.NodeOf(r.Pod); node != "" {
		r.set(Wait, node, "Once those are gone who leave for other pods, node "+node+" takes it.")
		return true, nil
	}

	free, err := eval.Feasible(a.ctx, snap, pod)
	if err != nil || len(free) == 0 {
		return false, err
	}
	r.set(Wait, free[0].Name, "Once everybody else has had a turn, node "+free[0].Name+" takes it.")
	return true, nil
}

// changes returns the first nodes on which changes make room for the pod: low with changes that cost little,
// dear with any changes except larger nodes and evictions. Each is nil if there is none.
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

// setNothing sets the remedy from a report in which nothing helps as things are, and reports whether there is
// one. A higher priority of the pod comes first, if a class or a user can give it, then a lower priority of
// other pods, then an eviction.
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

// set records what helps.
func (r *Remedy) set(kind Kind, node, text string) {
	r.Kind = kind
	r.Node = node
	r.Text = text
}

// joined joins sentences with spaces.
func joined(texts []string) string { return strings.Join(texts, " ") }

// sentence turns a text into a sentence with a capital letter and a full stop.
func sentence(text string) string {
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// help says what helps on the nodes of a group. It leaves out how many nodes there are.
func help(g *explain.NodeGroup) string {
	_, text, found := strings.Cut(g.Help(), ": ")
	if !found {
		text = g.Help()
	}
	return sentence(text)
}

// mostLess is the largest reduction of a request, in percent, that counts as small.
const mostLess = 10

// cheap reports whether a way only changes settings, or reduces requests by no more than mostLess.
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

// without reports whether a way makes none of the given changes.
func without(w *explain.Way, changes ...string) bool {
	return !slices.ContainsFunc(w.Steps, func(s explain.Step) bool {
		return slices.ContainsFunc(s.Changes, func(c string) bool { return slices.Contains(changes, c) })
	})
}

// oneMore tries one more node of each kind, and records the first that takes the pod.
func (a *adviser) oneMore(r *Remedy, eval *engine.Evaluator, pod *outrank.Pod) (bool, error) {
	for _, like := range a.nodes {
		status, err := a.tryNode(eval, pod, a.settled.NodesLike(like, 1)[0])
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

// tryNode returns the answer of a new node to the pod, and removes the node again.
func (a *adviser) tryNode(eval *engine.Evaluator, pod *outrank.Pod, n *outrank.Node) (preemption.Status, error) {
	snap := a.snap
	mark := snap.Mark()
	err := snap.PutNode(n)
	var status preemption.Status
	if err == nil {
		status, err = eval.Check(snap, pod, n.Name)
	}
	if undone := snap.Undo(mark); err == nil {
		err = undone
	}
	return status, err
}
