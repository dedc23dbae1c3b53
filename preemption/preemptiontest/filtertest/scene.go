package filtertest

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// scene is one generated cluster on which the filter is checked.
type scene struct {
	filter subject
	shape  clustergen.Shape
	seed   uint64
	tally  *tally

	// here is the cluster that the filter sees. untouched is an equal one of other objects, which the filter
	// is not to change: comparing the two shows what the filter changed in here.
	here, untouched stage
	// other is another pod that looks for a place in the same cluster.
	other *outrank.Pod

	// calls describes the calls of the filter in the current case.
	calls []string
	// within says that the last call has not returned yet.
	within bool
}

// stage is a cluster and a pod that looks for a place in it.
type stage struct {
	cluster *outrank.Cluster
	pod     *outrank.Pod
	snap    *engine.Snapshot
}

// nodes goes through the nodes of the cluster, in its order.
func (s *stage) nodes() iter.Seq[*outrank.Node] { return s.snap.Nodes() }

// node returns the node with this name.
func (s *stage) node(name string) *outrank.Node {
	n, _ := s.snap.Node(name)
	return n
}

// clone returns a copy of the snapshot, to be changed.
func (s *stage) clone() *engine.Snapshot { return s.snap.Clone() }

// errPrepare is the error about an Options.Prepare that gives different results for equal clusters.
var errPrepare = errors.New("filter test options: Prepare does not do the same to equal clusters")

// subject is a filter that is checked, or a guard in the form of one.
type subject struct {
	// concerns reports whether a pod concerns the filter; nil means that all do.
	concerns func(*outrank.Pod) bool
	start    func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error)
}

// subjectOf returns a filter as a subject. A filter with a Node gets a state that calls it.
func subjectOf(f *preemption.Filter) subject {
	if f.Node == nil {
		return subject{f.Concerns, f.Start}
	}
	return subject{nil, func(pod *outrank.Pod, _ preemption.View) (preemption.FilterState, error) {
		return nodeAlone{f.Node, pod}, nil
	}}
}

// nodeAlone is the state of a filter that looks only at the pod and the node (preemption.Filter.Node).
type nodeAlone struct {
	ask func(*outrank.Pod, *outrank.Node) preemption.Status
	pod *outrank.Pod
}

func (a nodeAlone) Check(n *outrank.Node) preemption.Status { return a.ask(a.pod, n) }
func (nodeAlone) Remove(*outrank.Pod, *outrank.Node)        {}
func (nodeAlone) Add(*outrank.Pod, *outrank.Node)           {}
func (a nodeAlone) Clone() preemption.FilterState           { return a }

// tally counts calls over all clusters: states that Start returned, and answers that turned a pod away.
type tally struct {
	started, turnedAway int
	// failure is the last error of Start, nil for none.
	failure error
}

// own gives a pod labels and requests that it shares with no other pod.
func own(p *outrank.Pod) {
	p.Labels = ownLabels(p.Labels)
	p.Containers = slices.Clone(p.Containers)
	for i := range p.Containers {
		c := &p.Containers[i]
		c.Requests = c.Requests.Clone()
		if c.Requests == nil {
			c.Requests = resource.List{}
		}
	}
}

// ownLabels returns a copy of labels, never nil.
func ownLabels(labels map[string]string) map[string]string {
	if labels == nil {
		return map[string]string{}
	}
	return maps.Clone(labels)
}

// try makes one check. A panic in the filter is a violation of ruleNoPanic; any other panic goes on.
func (s *scene) try(check func(*scene) *Violation) (v *Violation) {
	defer func() {
		if !s.within {
			return
		}
		p := recover()
		v = s.violation(ruleNoPanic, "panic: %v", p)
	}()
	return check(s)
}

// violation returns a violation with the calls of the current case.
func (s *scene) violation(rule string, format string, args ...any) *Violation {
	return &Violation{
		Rule: rule, Text: fmt.Sprintf(format, args...), Shape: s.shape, Seed: s.seed, Calls: slices.Clone(s.calls),
	}
}

// victims returns the pods on a node that have a lower priority than the pod and concern the filter, the
// most important first.
func (s *scene) victims(node *outrank.Node, pod *outrank.Pod) []*outrank.Pod {
	snap := s.here.snap
	return slices.DeleteFunc(snap.PodsOn(node.Name), func(p *outrank.Pod) bool {
		return p.PriorityValue() >= pod.PriorityValue() || !s.concerns(p)
	})
}

// concerns reports whether a pod concerns the filter, so that a decision tells it of the pod.
func (s *scene) concerns(p *outrank.Pod) bool {
	return s.filter.concerns == nil || s.filter.concerns(p)
}

// nominated returns the pods that are nominated to a node, have at least the priority of the scene's pod, and
// concern the filter.
func (s *scene) nominated(node *outrank.Node) []*outrank.Pod {
	pod, snap := s.here.pod, s.here.snap
	return slices.DeleteFunc(snap.NominatedTo(node.Name), func(p *outrank.Pod) bool {
		return p.PriorityValue() < pod.PriorityValue() || p.Key() == pod.Key() || !s.concerns(p)
	})
}

// changed names an object that the filter has changed, empty if it has changed none.
func (s *scene) changed() string {
	a, b := s.here, s.untouched
	switch {
	case !reflect.DeepEqual(a.pod, b.pod):
		return "the pod that looks for a place"
	case len(a.cluster.Nodes) != len(b.cluster.Nodes) || len(a.cluster.Pods) != len(b.cluster.Pods):
		return "the cluster"
	}

	for i, n := range a.cluster.Nodes {
		if !reflect.DeepEqual(n, b.cluster.Nodes[i]) {
			return "node " + b.cluster.Nodes[i].Name
		}
	}
	for i, p := range a.cluster.Pods {
		if !reflect.DeepEqual(p, b.cluster.Pods[i]) {
			return "pod " + string(b.cluster.Pods[i].Key())
		}
	}

	// Nodes and pods were compared above, so only the rest of the clusters is left.
	was, is := *b.cluster, *a.cluster
	was.Nodes, was.Pods = nil, nil
	is.Nodes, is.Pods = nil, nil
	if !reflect.DeepEqual(is, was) {
		return "the cluster"
	}
	if !slices.Equal(contents(a.snap), contents(b.snap)) {
		return "the snapshot"
	}
	return ""
}

// contents returns the names of the objects in a snapshot.
func contents(snap *engine.Snapshot) []string {
	var list []string
	for n := range snap.Nodes() {
		list = append(list, "node "+n.Name)
		for _, p := range snap.PodsOn(n.Name) {
			list = append(list, "pod "+string(p.Key()))
		}
		for _, p := range snap.NominatedTo(n.Name) {
			list = append(list, "nominated "+string(p.Key()))
		}
	}
	for b := range snap.Budgets() {
		list = append(list, "budget "+string(b.Key()))
	}
	return list
}
