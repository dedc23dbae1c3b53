package mirror

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Mirror keeps a snapshot up to date. Make one with [New].
type Mirror struct {
	mu   sync.RWMutex
	snap *engine.Snapshot
	// known has the latest objects, except the pods that are in the snapshot.
	known    map[id]metav1.Object
	problems map[id]error
	// told says that pods or nodes have come one by one. frame is not nil if they have come from the framework.
	told  bool
	frame *frame
	// tell, if set, is called with the pods and nodes that change.
	tell func(old, new any)
	// news, if set, receives a value after each change that is passed to tell.
	news chan<- struct{}

	nodes     map[string]*outrank.Node     // the nodes without the content of their CSINodes
	refused   map[outrank.Key]*outrank.Pod // pods that were refused because of the volumes behind their claims
	drivers   drivers
	storage   storage
	classes   map[string]*outrank.PriorityClass
	workloads map[outrank.Key]*outrank.Workload
	amounts   amounts
}

// New returns a mirror of an empty cluster, by the rules of a release. An unknown
// release is an error.
func New(release outrank.Release) (*Mirror, error) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{Release: release})
	if err != nil {
		return nil, err
	}
	return &Mirror{
		snap:     snap,
		known:    map[id]metav1.Object{},
		problems: map[id]error{},
		nodes:    map[string]*outrank.Node{},
		refused:  map[outrank.Key]*outrank.Pod{},
		drivers:  newDrivers(), storage: newStorage(),
		classes:   map[string]*outrank.PriorityClass{},
		workloads: map[outrank.Key]*outrank.Workload{},
		amounts:   newAmounts(),
	}, nil
}

// View calls f with the snapshot itself, for decisions. The snapshot keeps what speeds up the next decision. f
// must neither change nor keep it. Changes of the mirror wait until f has returned. The error is that of f.
func (m *Mirror) View(f func(*engine.Snapshot) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return f(m.snap)
}

// Update calls f with the snapshot itself, for changes from outside: Bind
// and Nominate for decisions that are not yet written, Apply for a plan. The
// error is that of f.
func (m *Mirror) Update(f func(*engine.Snapshot) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(m.snap)
}

// Snapshot returns a copy of the snapshot. Later changes of the mirror do not affect the copy. It is cheap,
// because the two share everything that neither changes. Decisions on a copy do not speed up decisions on the
// next copy; see [Mirror.View].
func (m *Mirror) Snapshot() *engine.Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snap.Clone()
}

// Rebuild makes a new snapshot of all objects. That is worth its time once, after a mirror was filled, because
// the snapshot is laid out for the resources that the pods ask for. Filters count again what they track. The
// former snapshot, which a loop of attempts may hold, is no longer kept up to date. It takes time linear in the
// number of pods.
func (m *Mirror) Rebuild() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	snap, err := engine.NewSnapshot(m.snap.Cluster())
	if err == nil {
		m.snap = snap
	}
	return err
}

// Cluster returns everything that is in the mirror, including priority classes, claims and workloads, sorted.
// The caller owns the slices. It takes time linear in the number of objects.
func (m *Mirror) Cluster() *outrank.Cluster {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := m.snap.Cluster()
	c.Classes = sorted(m.classes)
	c.Claims = m.storage.all()
	c.Workloads = sorted(m.workloads)
	return c
}

func sorted[K ~string, T any](of map[K]T) []T {
	var out []T
	for _, key := range slices.Sorted(maps.Keys(of)) {
		out = append(out, of[key])
	}
	return out
}

// Problem is an object that was refused.
type Problem struct {
	// Kind and Name identify the object, such as "pod" and "default/web-1".
	Kind, Name string
	// Node is the name of a refused node, or of the node that a refused pod is on or nominated to. It is empty
	// for other objects.
	Node string
	Err  error
}

// String returns the problem, with the name of the object.
func (p Problem) String() string { return fmt.Sprintf("%s %s: %v", p.Kind, p.Name, p.Err) }

// Problems lists the objects that were refused and are not in the mirror, by kind and name.
func (m *Mirror) Problems() []Problem {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []Problem
	for _, id := range slices.SortedFunc(maps.Keys(m.problems), id.compare) {
		out = append(out, Problem{id.kind, id.name, m.nodeOf(id), m.problems[id]})
	}
	return out
}

// nodeOf returns the node of a refused object.
func (m *Mirror) nodeOf(id id) string {
	if id.kind == nodeKind {
		return id.name
	}
	p, _ := m.known[id].(*corev1.Pod)
	switch {
	case p == nil:
		return ""
	case p.Spec.NodeName != "":
		return p.Spec.NodeName
	case m.frame != nil:
		return m.frame.nominated[outrank.Key(id.name)].node
	}
	return p.Status.NominatedNodeName
}
