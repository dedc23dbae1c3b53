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

// pod is one life of a pod, from its arrival to its end. The pod that is made in its place is another one of
// the same lineage.
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
	// asks has the pod's requests by column.
	asks []int64
	// tried is the number of the state in which the last attempt came to nothing.
	tried uint64
	// queued is when the pod came into the queue, bound when it began to run.
	queued, bound time.Duration
	// ends is when the pod's work ends, until when its grace period does.
	ends, until time.Duration
	// host is the node that the pod is on, or was on last.
	host *host
	// reserved is the node on which room is kept for the pod, and claim its claim there; nil for none.
	reserved *host
	claim    *claim
	// there is set if the pod was on its node from the beginning.
	there bool
	// started is set when the pod's work has begun.
	started bool
	// evicted is set when the pod was told to go, unless that came from outside.
	evicted bool
	// lost is set when the pod's node went away.
	lost bool
	// cause is why the pod leaves or left before its end.
	cause Cause
	// uses is the pod's usage while it runs.
	uses kubeletadmit.Usage
	// class is the class of the pods that equal this version, nil where that is not known.
	class *podClass
	// covering has the budgets that cover the pod, by their place in the list.
	covering []int32
}

// level returns the pod's priority as nodes count it. Pods without a priority are of
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
	lives []*pod
	// priority is the priority of the present life.
	priority  int32
	evictions int
	// failures counts the times that a kubelet turned a life away or evicted it under
	// pressure.
	failures int
	// givenUp is set once the controller has given up.
	givenUp bool
	// waited is the time that the lives spent in the queue. A life that is still there is left out.
	waited time.Duration
	// refused is set if an attempt came to nothing, placed if a life has begun its work, finished if one
	// came to its end.
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

// lives holds all pods of a run, those that are over among them.
type lives struct {
	// pods has the last pod with each key.
	pods map[outrank.Key]*pod
	// lineages are in the order in which their first pods were admitted, byLineage finds them by name.
	lineages  []*lineage
	byLineage map[string]*lineage
	// uids counts the pods. A pod without a UID is given one with its number.
	uids int
}

// find returns the life of this very pod, nil where it is over.
func (l *lives) find(obj *outrank.Pod) *pod {
	p := l.pods[obj.Key()]
	if p == nil || p.obj.UID != obj.UID || !p.present() {
		return nil
	}
	return p
}

// fateOf returns what an event tells of a pod beside the pod itself: its lineage and why it leaves.
func (l *lives) fateOf(key outrank.Key) (lineage string, cause Cause, ok bool) {
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
		w := p.work
		name = string(w.Pod.Key())
	}

	joined := l.byLineage[name]
	if joined == nil {
		first = true
		joined = &lineage{name: name}
		l.byLineage[name] = joined
		l.lineages = append(l.lineages, joined)
	}

	joined.lives = append(joined.lives, p)
	joined.priority = p.obj.PriorityValue()
	p.lineage = joined
	return first
}
