package thirdparty

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Extender is one of the scheduler's extenders.
type Extender struct {
	// Filters, Preempts and Ignorable are settings of the scheduler's file. Cached is nodeCacheCapable there. Gpu
	// says that only pods that ask for a GPU concern the extender.
	Filters, Preempts, Ignorable, Cached, Gpu bool
	// Fails makes every call fail. Over HTTP that is a status code, or an error in the answer of a filter with
	// Cached.
	Fails bool `json:",omitempty"`
	// Turns has the answer about each node in the attempt itself: one of the turns below, or nothing.
	Turns map[string]string `json:",omitempty"`
	// Changes says for each node how the extender changes the candidate: one of the changes below, or nothing.
	Changes map[string]string `json:",omitempty"`
}

// The turns: an extender's answers about a node in the attempt itself.
const (
	turnsDown    = "no"
	turnsForGood = "never"
	leavesOut    = "leaves it out"
)

// The changes of a candidate by an extender.
const (
	drops      = "drops it"
	spares     = "spares the last victim"
	adds       = "adds a victim"
	emptied    = "leaves no victim"
	strange    = "adds a pod of another node"
	violating  = "counts one more violation"
	uninvited  = "names the node although it was not asked about it"
	nowhere    = "names a node that there is not"
	absentNode = "n-absent"
)

// DrawExtender draws an extender for a cluster with these nodes.
func DrawExtender(r *rand.Rand, nodes []*corev1.Node) *Extender {
	x := &Extender{
		Filters: oneIn(r, 3), Preempts: !oneIn(r, 4), Ignorable: oneIn(r, 3), Cached: oneIn(r, 2), Gpu: oneIn(r, 8), Fails: oneIn(r, 10),
		Turns: map[string]string{}, Changes: map[string]string{},
	}

	// The extender changes the candidates of one node in most, and turns down one node in turns.
	most, turns := pick(r, 1, 2, 4, 8), pick(r, 1, 2, 4)
	for _, n := range nodes {
		if oneIn(r, turns) {
			x.Turns[n.Name] = pick(r, turnsDown, turnsDown, turnsDown, turnsForGood, leavesOut)
		}
		if oneIn(r, most) {
			x.Changes[n.Name] = pick(r, drops, drops, drops, drops, spares, adds, violating, uninvited, emptied)
		}
		if oneIn(r, 40) {
			x.Changes[n.Name] = pick(r, strange, nowhere)
		}
	}
	if oneIn(r, 5) { // the extender leaves no candidate
		for _, n := range nodes {
			x.Changes[n.Name] = drops
		}
	}
	return x
}

// asksForGpu reports whether a container of the pod requests a GPU or limits its GPUs. The reference asks an
// extender that manages GPUs about such pods alone.
func asksForGpu(p *corev1.Pod) bool {
	const gpu = "example.com/gpu"
	for _, containers := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range containers {
			_, requested := containers[i].Resources.Requests[gpu]
			_, limited := containers[i].Resources.Limits[gpu]
			if requested || limited {
				return true
			}
		}
	}
	return false
}

// Interested reports whether the scheduler asks the extender about a pod.
func (x *Extender) Interested(p *corev1.Pod) bool { return !x.Gpu || asksForGpu(p) }

// InOrder returns the extenders in the order in which they are asked: the ignorable ones come last (rule 10.2.1).
func InOrder(extenders []*Extender) []*Extender {
	list := slices.Clone(extenders)
	slices.SortStableFunc(list, func(x, y *Extender) int {
		switch {
		case x.Ignorable == y.Ignorable:
			return 0
		case x.Ignorable:
			return 1
		}
		return -1
	})
	return list
}

// Turn returns the nodes that the extender leaves, and its answers about the others: those that it turns down,
// and those that it turns down for good. Some of the others it leaves out without an answer.
func (x *Extender) Turn(nodes []string) (left []string, no, never extenderv1.FailedNodesMap, err error) {
	if x.Fails {
		return nil, nil, nil, errExtender
	}
	no, never = extenderv1.FailedNodesMap{}, extenderv1.FailedNodesMap{}
	left = []string{}
	for _, n := range nodes {
		switch x.Turns[n] {
		case turnsDown:
			no[n] = "an extender says no"
		case turnsForGood:
			never[n] = "an extender says never"
		case leavesOut:
		default:
			left = append(left, n)
		}
	}
	return left, no, never, nil
}

// proposal is a candidate in the question to an extender, or in its answer.
type proposal struct {
	victims    []string // namespace/name, the most important first
	violations int64
}

// errExtender is the error of an extender that fails.
var errExtender = errors.New("an extender fails")

// change returns the candidates as the extender changes them. It does not change what it is given.
func (x *Extender) change(c *Cluster, asked map[string]proposal) (map[string]proposal, error) {
	if x.Fails {
		return nil, errExtender
	}

	left := map[string]proposal{}
	for _, n := range c.Nodes {
		p, there := asked[n.Name]
		how := x.Changes[n.Name]

		// A node that the extender was not asked about gets a victim, which an answer must have.
		if how == uninvited && !there {
			p.victims, there = c.oneMoreOn(n.Name, nil), true
		}
		if !there || how == drops {
			continue
		}

		// The candidates of the question stay as they are: the next extender may be asked about them, too.
		p.victims = slices.Clone(p.victims)
		switch how {
		case spares:
			p.victims = p.victims[:len(p.victims)-1]
		case emptied:
			p.victims = nil
		case adds:
			p.victims = append(p.victims, c.oneMoreOn(n.Name, p.victims)...)
		case strange:
			p.victims = append(p.victims, c.oneNotOn(n.Name)...)
		case violating:
			p.violations++
		case nowhere:
			left[absentNode] = p
		}

		c.sortByImportance(p.victims)
		left[n.Name] = p
	}
	return left, nil
}

// Remaining returns the victims on each node that the extenders leave of these candidates.
func Remaining(extenders []*Extender, c *Cluster, victims map[string][]string) map[string][]string {
	left := map[string]proposal{}
	for node, list := range victims {
		left[node] = proposal{victims: list}
	}

	for _, x := range InOrder(extenders) {
		if !x.Preempts || !x.Interested(c.Preemptor) {
			continue
		}
		// After an error the next extender is asked about what was left before.
		changed, err := x.change(c, left)
		if err != nil || c.namesOthers(changed) {
			continue
		}
		if left = changed; x.Ignorable {
			maps.DeleteFunc(left, func(_ string, p proposal) bool { return len(p.victims) == 0 })
		}
	}

	remaining := map[string][]string{}
	for node, p := range left {
		remaining[node] = p.victims
	}
	return remaining
}
