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

// Reach is the running pods that new pods of a class could push out, by priority alone: those
// with a lower one. A disruption budget does not change that. Pods of a group count with their
// own priority.
type Reach struct {
	Class string `json:"class"`
	Value int32  `json:"value"`
	Count
	// Namespaces are those of the pods, the one with the most first.
	Namespaces []NamespaceReach `json:"namespaces"`
}

// NamespaceReach is the part of a namespace.
type NamespaceReach struct {
	Namespace string `json:"namespace"`
	Count
}

// Count counts running pods by what becomes of them once they are pushed out.
type Count struct {
	Pods int `json:"pods"`
	// Elsewhere are those whose replacement finds room on another node as things are, NoRoom
	// those whose replacement finds none, Lost have no controller to recreate them, and Tied
	// come back to their node alone.
	Elsewhere int `json:"elsewhere"`
	NoRoom    int `json:"noRoom"`
	Lost      int `json:"lost"`
	Tied      int `json:"tied"`
	// Unknown are those nobody asked about: another scheduler places them, they are scheduled with a group, or too many
	// controllers came before theirs.
	Unknown int `json:"unknown"`
}

// Fates say how the places of replacements were found.
type Fates struct {
	// Tried counts the controllers of which one pod was taken away and put to the question by
	// itself, its own node left out. The others of the controller count as it does.
	Tried int `json:"tried"`
	// NotTried counts controllers beyond the most that are tried.
	NotTried int `json:"notTried"`
}

// mostTried is the most controllers of which a pod is tried.
const mostTried = 20_000

// fate is what becomes of a pod that is pushed out.
type fate uint8

const (
	unknown fate = iota
	elsewhere
	noRoom
	lost
	tied
)

func (c *Count) addOne(f fate) {
	c.Pods++
	switch f {
	case elsewhere:
		c.Elsewhere++
	case noRoom:
		c.NoRoom++
	case lost:
		c.Lost++
	case tied:
		c.Tied++
	default:
		c.Unknown++
	}
}

// group is running pods of one namespace that count with one priority and share a fate.
type group struct {
	namespace string
	priority  int32
	fate      fate
}

// reach counts the pods in the reach of each class.
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
		reach := Reach{Class: c.Name, Value: c.Value, Namespaces: []NamespaceReach{}}
		by := map[string]*Count{}
		for g, n := range groups {
			if g.priority >= c.Value {
				continue
			}
			if by[g.namespace] == nil {
				by[g.namespace] = &Count{}
			}
			by[g.namespace].addMany(g.fate, n)
			reach.addMany(g.fate, n)
		}
		for namespace, count := range by {
			reach.Namespaces = append(reach.Namespaces, NamespaceReach{namespace, *count})
		}
		slices.SortFunc(reach.Namespaces, func(a, b NamespaceReach) int {
			return cmp.Or(cmp.Compare(b.Pods, a.Pods), strings.Compare(a.Namespace, b.Namespace))
		})
		r.Reach = append(r.Reach, reach)
	}
	return nil
}

func (c *Count) addMany(f fate, n int) {
	one := Count{}
	one.addOne(f)
	c.Pods += n
	c.Elsewhere += n * one.Elsewhere
	c.NoRoom += n * one.NoRoom
	c.Lost += n * one.Lost
	c.Tied += n * one.Tied
	c.Unknown += n * one.Unknown
}

// classesOf are the classes that the cluster has, the highest value first. A dump without
// classes has those that are built in.
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

// groups counts the running pods that nobody deletes.
func (r *Report) groups(ctx context.Context, set *question.Setting) (map[group]int, error) {
	type controller struct {
		namespace string
		owner     outrank.Owner
	}
	out, known := map[group]int{}, map[controller]fate{}
	snap := set.Snapshot.Clone()
	for _, listed := range set.Cluster.Pods {
		p, ok := snap.Pod(listed.Key())
		node := snap.NodeOf(listed.Key())
		if _, there := snap.Node(node); !ok || !there || p.Terminating() {
			continue
		}
		f := tied
		switch {
		case question.TiedToItsNode(p):
		case p.Owner == (outrank.Owner{}):
			f = lost
		default:
			c := controller{p.NamespaceName(), p.Owner}
			tried, ok := known[c]
			if !ok {
				var err error
				if tried, err = r.tryElsewhere(ctx, set, snap, p); err != nil {
					return nil, err
				}
				known[c] = tried
			}
			f = tried
		}
		out[group{p.NamespaceName(), p.PriorityValue(), f}]++
	}
	return out, nil
}

// try takes a pod away and asks where the one that is recreated for it would go but to the
// same node.
func (r *Report) tryElsewhere(ctx context.Context, set *question.Setting, snap *engine.Snapshot, p *outrank.Pod) (_ fate, err error) {
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
	if slices.ContainsFunc(nodes, func(n *outrank.Node) bool { return n.Name != node }) {
		return elsewhere, nil
	}
	return noRoom, nil
}

// groupGate has pods of a group scheduled as a whole.
const groupGate = "GenericWorkload"
