package report

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/priority"
)

// Reach counts the running pods that new pods of a class could push out, by priority alone: the pods with a
// lower one. It ignores disruption budgets. Pods of a group count with their own priority.
type Reach struct {
	Class string `json:"class"`
	Value int32  `json:"value"`
	Count
	// Namespaces counts the pods by namespace, the largest number first.
	Namespaces []NamespaceReach `json:"namespaces"`
}

// NamespaceReach counts the pods of a reach that are in one namespace.
type NamespaceReach struct {
	Namespace string `json:"namespace"`
	Count
}

// Count counts running pods by what becomes of them when they are pushed out.
type Count struct {
	Pods int `json:"pods"`
	// Elsewhere counts the pods whose replacement finds room on another node as things are, and NoRoom the pods
	// whose replacement finds none. Lost counts the pods that no controller recreates, and Tied the pods that
	// can return only to their own node.
	Elsewhere int `json:"elsewhere"`
	NoRoom    int `json:"noRoom"`
	Lost      int `json:"lost"`
	Tied      int `json:"tied"`
	// Unknown counts the pods whose replacement was not tried: their scheduler is not known, they are scheduled
	// with a group, or their controller comes after the bound.
	Unknown int `json:"unknown"`
}

// Fates says how it was found out where replacements go.
type Fates struct {
	// Tried counts the controllers for which one pod was tried: it was removed, and the nodes other than its
	// own were asked about its replacement. The result counts for all pods of the controller.
	Tried int `json:"tried"`
	// NotTried counts the controllers beyond the bound.
	NotTried int `json:"notTried"`
}

// mostTried is the most controllers for which a pod is tried.
const mostTried = 20_000

// fate says what becomes of a pod that is pushed out.
type fate uint8

const (
	unknown fate = iota
	elsewhere
	noRoom
	lost
	tied
)

// add counts n pods of one fate.
func (c *Count) add(f fate, n int) {
	c.Pods += n
	switch f {
	case elsewhere:
		c.Elsewhere += n
	case noRoom:
		c.NoRoom += n
	case lost:
		c.Lost += n
	case tied:
		c.Tied += n
	default:
		c.Unknown += n
	}
}

// group stands for the running pods of one namespace that have the same priority and fate.
type group struct {
	namespace string
	priority  int32
	fate      fate
}

// findReach counts the pods that each class that preempts could push out. It counts groups of pods, which are
// far fewer than the pods.
func (r *Report) findReach(ctx context.Context, set *question.Setting) error {
	r.Reach = []Reach{}
	groups, err := r.groups(ctx, set)
	if err != nil {
		return err
	}
	for _, c := range classesOf(set.Cluster) {
		if c.PreemptionPolicy == outrank.PreemptNever {
			continue
		}
		r.Reach = append(r.Reach, reachOf(c, groups))
	}
	return nil
}

// reachOf counts the pods of lower priority than a class, in total and by namespace.
func reachOf(c *outrank.PriorityClass, groups map[group]int) Reach {
	reach := Reach{Class: c.Name, Value: c.Value, Namespaces: []NamespaceReach{}}
	byNamespace := map[string]*Count{}
	for g, n := range groups {
		if g.priority >= c.Value {
			continue
		}
		if byNamespace[g.namespace] == nil {
			byNamespace[g.namespace] = &Count{}
		}
		byNamespace[g.namespace].add(g.fate, n)
		reach.add(g.fate, n)
	}

	for namespace, count := range byNamespace {
		reach.Namespaces = append(reach.Namespaces, NamespaceReach{namespace, *count})
	}
	slices.SortFunc(reach.Namespaces, func(a, b NamespaceReach) int {
		return cmp.Or(cmp.Compare(b.Pods, a.Pods), strings.Compare(a.Namespace, b.Namespace))
	})
	return reach
}

// classesOf lists the classes of the cluster, the highest value first. For a dump without classes it lists the
// built-in ones.
func classesOf(c *outrank.Cluster) []*outrank.PriorityClass {
	out := slices.Clone(c.Classes)
	if len(out) == 0 {
		table, _ := priority.NewTable(nil)
		for _, one := range table.Classes() {
			out = append(out, &one)
		}
	}
	slices.SortFunc(out, func(a, b *outrank.PriorityClass) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Name, b.Name))
	})
	return out
}

// controller names the object that recreates pods.
type controller struct {
	namespace string
	owner     outrank.Owner
}

// groups counts the running pods that are not being deleted, by namespace, priority and fate.
func (r *Report) groups(ctx context.Context, set *question.Setting) (map[group]int, error) {
	out, known := map[group]int{}, map[controller]fate{}
	snap := set.Snapshot.Clone()

	// Going through the input in its order tries the same controllers every time.
	for i, listed := range set.Cluster.Pods {
		set.Show(i+1, len(set.Cluster.Pods))
		// The snapshot lacks pods that have ended. A pod on a missing node cannot be pushed out.
		p, ok := snap.Pod(listed.Key())
		node := snap.NodeOf(listed.Key())
		if _, there := snap.Node(node); !ok || !there || p.Terminating() {
			continue
		}

		// A pod that does not come back is tied to its node, or lost; the others may be recreated elsewhere.
		f := tied
		switch {
		case question.TiedToItsNode(p):
		case p.Owner == (outrank.Owner{}):
			f = lost
		default:
			// The pods of a controller are alike, so that the first one stands for all.
			c := controller{p.NamespaceName(), p.Owner}
			if _, ok := known[c]; !ok {
				tried, err := r.tryElsewhere(ctx, set, snap, p)
				if err != nil {
					return nil, err
				}
				known[c] = tried
			}
			f = known[c]
		}
		out[group{p.NamespaceName(), p.PriorityValue(), f}]++
	}
	return out, nil
}

// tryElsewhere removes a pod, and asks whether a node other than its own takes its replacement. It restores the
// snapshot.
func (r *Report) tryElsewhere(ctx context.Context, set *question.Setting, snap *engine.Snapshot, p *outrank.Pod) (_ fate, err error) {
	// A pod of a group is recreated with the rest of the group, and placed together with it.
	eval := set.EvaluatorFor(p)
	if eval == nil || p.Group != "" && snap.Release().Gates()[groupGate] {
		return unknown, nil
	}
	if r.Fates.Tried == mostTried {
		r.Fates.NotTried++
		return unknown, nil
	}
	r.Fates.Tried++

	node, mark := snap.NodeOf(p.Key()), snap.Mark()
	defer func() {
		if undone := snap.Undo(mark); err == nil {
			err = undone
		}
	}()
	if err = snap.RemovePod(p.Key()); err != nil {
		return unknown, err
	}

	nodes, err := eval.Feasible(ctx, snap, question.Recreated(p))
	if err != nil {
		return unknown, err
	}

	// The room on the pod's own node does not count, because the pod that pushes it out takes it.
	if slices.ContainsFunc(nodes, func(n *outrank.Node) bool { return n.Name != node }) {
		return elsewhere, nil
	}
	return noRoom, nil
}

// groupGate is the feature gate with which the pods of a group are scheduled as a whole.
const groupGate = "GenericWorkload"
