package sim

import (
	"math"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Phase is a pod's stage of life. A pod is in one phase at any time.
type Phase uint8

// The phases.
const (
	// Unknown: there is no such pod.
	Unknown Phase = iota
	// Coming: it has not arrived yet.
	Coming
	// Queued: it waits for a node.
	Queued
	// Admitting: it is on a node, and waits for its kubelet to start it.
	Admitting
	// Running: it is on a node.
	Running
	// Terminating: it is on a node, and has been told to go.
	Terminating
	// Finished: it came to its end.
	Finished
	// Gone: it was evicted, deleted, or lost with its node.
	Gone
)

var phaseNames = [...]string{"unknown", "coming", "queued", "admitting", "running", "terminating", "finished", "gone"}

// String names the phase.
func (p Phase) String() string { return phaseNames[p] }

// pod is one life: from the arrival of a pod to its end. A pod that is recreated
// is another one, of the same lineage.
type pod struct {
	// obj is the latest version; versions are never changed.
	obj *outrank.Pod
	// shown is the version in the snapshot, nil where it is not there: only pods
	// on nodes and nominated ones are.
	shown     *outrank.Pod
	work      *Work
	lineage   *lineage
	scheduler *schedulerState
	phase     Phase
	// asks is its request of each resource.
	asks []int64
	// tried is the state of the cluster, by number, in which the last attempt
	// came to nothing.
	tried uint64
	// queued is the time since which it waits, bound that since which it runs,
	// ends the end of its work, until that of its grace period.
	queued, bound, ends, until time.Duration
	host                       *host
	// reserved is the node that it is nominated to in the snapshot, and claim its
	// claim there; nil for none.
	reserved *host
	claim    *claim
	// there is set if it was on its node from the beginning.
	there bool
	// started is set when its work has begun, evicted when it was told to go and
	// not from outside, lost when its node went away.
	started, evicted, lost bool
	// cause is why it has to go, or went, before its end; uses is its usage while it runs.
	cause Cause
	uses  kubeletadmit.Usage
	// class has the pods that it is equal to while it waits, nil where that is
	// not known.
	class *podClass
	// covering are the budgets that cover it.
	covering []int32
}

// level is the pod's priority as nodes count it. Pods without a priority are of
// the lowest level, since some rules let any pod push them out.
func (p *pod) level() int64 {
	if p.obj.Priority == nil {
		return math.MinInt64
	}
	return int64(*p.obj.Priority)
}

// present reports whether the pod waits or is on a node.
func (p *pod) present() bool { return p.phase == Queued || p.onNode() }

// onNode reports whether the pod takes room on a node.
func (p *pod) onNode() bool {
	return p.phase == Admitting || p.phase == Running || p.phase == Terminating
}

// lineage is a pod with all those that were made in its place.
type lineage struct {
	name string
	// lives are in the order in which they were made; the last one is the
	// present one.
	lives     []*pod
	priority  int32
	evictions int
	// failures counts the times that a kubelet turned it away or evicted it under
	// pressure; givenUp is set once its controller gave up.
	failures int
	givenUp  bool
	// waited is the time that its lives were in the queue, the present one's
	// left out.
	waited time.Duration
	// refused is set if an attempt came to nothing; placed if it was on a node,
	// finished if it came to its end there.
	arrived, refused, placed, finished bool
}

// current returns the present life.
func (l *lineage) current() *pod { return l.lives[len(l.lives)-1] }

// revise makes a new version of the pod.
func (p *pod) revise(change func(*outrank.Pod)) {
	obj := *p.obj
	change(&obj)
	p.obj, p.class = &obj, nil
}

// relational reports whether a pod's place depends on other pods' labels.
func relational(obj *outrank.Pod) bool {
	a := &obj.Affinity
	return len(a.PodAffinity)+len(a.PodAntiAffinity)+len(obj.TopologySpreadConstraints) > 0
}

// lives are all pods of a run, those that are over among them.
type lives struct {
	pods map[outrank.Key]*pod // by key
	// lineages are in the order of the input, byLineage finds them by name.
	lineages  []*lineage
	byLineage map[string]*lineage
	// uids counts the pods, which numbers the UIDs that are given.
	uids int
}

// find returns the present life of this very pod, nil where it is over.
func (l *lives) find(obj *outrank.Pod) *pod {
	p := l.pods[obj.Key()]
	if p == nil || p.obj.UID != obj.UID || !p.present() {
		return nil
	}
	return p
}

// told returns what an event tells of a pod beside it.
func (l *lives) told(key outrank.Key) (lineage string, cause Cause, ok bool) {
	p := l.pods[key]
	if p == nil {
		return "", NoCause, false
	}
	return p.lineage.name, p.cause, true
}

// join puts a pod into its lineage, and reports whether that is a new one.
func (l *lives) join(p *pod) (first bool) {
	name := p.work.Lineage
	if name == "" {
		name = string(p.work.Pod.Key())
	}
	of := l.byLineage[name]
	if of == nil {
		first, of = true, &lineage{name: name}
		l.byLineage[name] = of
		l.lineages = append(l.lineages, of)
	}
	of.lives = append(of.lives, p)
	of.priority = p.obj.PriorityValue()
	p.lineage = of
	return first
}
