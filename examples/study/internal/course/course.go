// Package course answers what became of each pod of a run: when it ended, how long that was
// beside the work that it had, and what was kept of the time on nodes. It follows the binding
// of pods and the plans that evict them, since a simulation that has to tell every event makes
// each attempt by itself; the rest follows from the rules of a run without kubelets, whose
// evicted pods are made anew when they are gone.
package course

import (
	"container/heap"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/devices"
	"github.com/outrank-go/outrank/resource"
)

// work is that of a pod of the trace, and of all that are made in its place.
type work struct {
	pod               *outrank.Pod
	arrival, duration time.Duration // which is never for one that does not end
}

// stay is the time of a pod on a node.
type stay struct {
	work        *work
	cpu, gpu    int64 // its request
	priority    int32
	key         outrank.Key
	node        string
	bound, ends time.Duration
	// told is set if it was told to go, evicted if it goes before its end for that.
	told, evicted bool
	order         int // of binding
}

// Course follows a run.
type Course struct {
	works    []work            // by the name of the pod: 24 bytes for each
	all      ratios            // of the pods that came to their end
	speeds   map[int32]*ratios // by priority
	grace    time.Duration
	now      time.Duration
	stays    map[outrank.Key]*stay
	agenda   agenda
	used     map[int32]*amounts // of stays that are over, by priority
	lost     amounts
	capacity amounts // of the nodes
	bound    int     // counts all
	table    *devices.Table
	pieces   *devices.Fragments
	// asked counts the bindings of pods that ask for GPUs, unfit those to nodes whose
	// devices had no room.
	asked, unfit int
}

// amounts are cores and GPUs, in thousandths, or those times seconds.
type amounts struct{ cpu, gpu float64 }

func (a *amounts) add(s *stay, seconds float64) {
	a.cpu, a.gpu = a.cpu+seconds*float64(s.cpu), a.gpu+seconds*float64(s.gpu)
}

// New follows a run of pods on nodes, from its beginning. Evicted pods have the grace to end
// that their spec or, if it has none, the argument says.
func New(nodes []*outrank.Node, items []workload.Item, grace time.Duration) *Course {
	c := &Course{
		works: make([]work, len(items)), speeds: map[int32]*ratios{}, grace: grace,
		stays: map[outrank.Key]*stay{}, used: map[int32]*amounts{}, table: devices.New(nodes),
	}
	for i := range items {
		x := &items[i]
		c.works[i] = work{x.Pod, x.Arrival, x.Duration}
		if x.Endless {
			c.works[i].duration = never
		}
	}
	slices.SortFunc(c.works, func(a, b work) int { return strings.Compare(a.pod.Name, b.pod.Name) })
	for _, n := range nodes {
		c.capacity.cpu += float64(n.Allocatable.Amount(resource.CPU))
		c.capacity.gpu += float64(n.Allocatable.Amount(workload.GPU))
	}
	if c.capacity.gpu > 0 {
		c.pieces = devices.NewFragments(c.table, nodes, items)
	}
	return c
}

// Table has the devices that the pods hold.
func (c *Course) Table() *devices.Table { return c.table }

// workOf is the work of a pod, nil if it is none of the trace. Pods that are made in place of
// another have a number behind its name, like web-r2.
func (c *Course) workOf(name string) *work {
	i, found := slices.BinarySearchFunc(c.works, name, func(w work, name string) int { return strings.Compare(w.pod.Name, name) })
	if found {
		return &c.works[i]
	}
	if i := strings.LastIndex(name, "-r"); i >= 0 {
		return c.workOf(name[:i])
	}
	return nil
}

// Bound takes in that a pod is put on a node at a time. Times do not go back.
func (c *Course) Bound(at time.Duration, obj *outrank.Pod, node *outrank.Node) {
	c.Advance(at)
	w := c.workOf(obj.Name)
	if w == nil {
		return
	}
	asks := obj.RunningRequests(outrank.DefaultRelease)
	s := &stay{
		work: w, cpu: asks.Amount(resource.CPU), gpu: asks.Amount(workload.GPU), priority: obj.PriorityValue(),
		key: obj.Key(), node: node.Name, bound: at, ends: never, order: c.bound,
	}
	if w.duration < never-at {
		s.ends = at + w.duration
	}
	c.bound++
	c.stays[s.key] = s
	heap.Push(&c.agenda, event{s.ends, s})
	if demand := devices.DemandOf(obj); demand.Count > 0 {
		c.asked++
		if !c.table.Bind(s.key, demand, s.node) {
			c.unfit++
		}
	}
	c.changed(s, -1)
}

// never is after the end of every run.
const never = time.Duration(1<<63 - 1)

// Evicted takes in that a pod on a node is told to go at a time, with a grace of the policy's
// where there is one. A pod that ends in its grace period ends as if nothing had been. One that
// was told before goes when it was told, unless the policy has it go sooner.
func (c *Course) Evicted(at time.Duration, obj *outrank.Pod, grace *time.Duration) {
	c.Advance(at)
	s := c.stays[obj.Key()]
	if s == nil || s.told && grace == nil {
		return
	}
	s.told = true
	gone := at + obj.GracePeriod(c.grace)
	if grace != nil {
		gone = at + *grace
	}
	if gone < s.ends {
		s.ends, s.evicted = gone, true
		heap.Push(&c.agenda, event{gone, s})
	}
}

// Advance lets time pass: stays end.
func (c *Course) Advance(to time.Duration) {
	for len(c.agenda) > 0 && c.agenda[0].at <= to {
		e := heap.Pop(&c.agenda).(event)
		if s := e.stay; s.ends == e.at && c.stays[s.key] == s {
			c.end(s)
		}
	}
	c.now = max(c.now, to)
}

// end ends a stay, with the work done or lost.
func (c *Course) end(s *stay) {
	delete(c.stays, s.key)
	c.table.Leave(s.key)
	c.now = s.ends
	c.changed(s, 1)
	c.account(s, s.ends)
	if s.evicted {
		c.lost.add(s, (s.ends - s.bound).Seconds())
		return
	}
	c.finish(s)
}

// finish counts a pod that came to its end.
func (c *Course) finish(s *stay) {
	took := (s.ends - s.work.arrival).Seconds()
	slowdown := max(1, took/max(s.work.duration, Briefest).Seconds())
	if c.speeds[s.priority] == nil {
		c.speeds[s.priority] = &ratios{}
	}
	c.speeds[s.priority].add(took, slowdown)
	c.all.add(took, slowdown)
}

// account counts a stay's use up to a time.
func (c *Course) account(s *stay, until time.Duration) {
	if c.used[s.priority] == nil {
		c.used[s.priority] = &amounts{}
	}
	c.used[s.priority].add(s, (until - s.bound).Seconds())
}

// changed tells the fragments of a node about a pod that came, or that left.
func (c *Course) changed(s *stay, sign int64) {
	if c.pieces != nil {
		at := s.bound
		if sign > 0 {
			at = s.ends
		}
		c.pieces.Changed(at, s.node, sign*s.cpu)
	}
}

// event is the time at which a stay may end; it does if it still says so.
type event struct {
	at   time.Duration
	stay *stay
}

// agenda is a heap by time, of equals by the order of binding.
type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	if a[i].at != a[j].at {
		return a[i].at < a[j].at
	}
	return a[i].stay.order < a[j].stay.order
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push and Pop are those of [heap.Interface].
func (a *agenda) Push(x any) { *a = append(*a, x.(event)) }

// Pop removes the last one.
func (a *agenda) Pop() any {
	last := len(*a) - 1
	e := (*a)[last]
	(*a)[last] = event{} // it is not to be kept
	*a = (*a)[:last]
	return e
}
