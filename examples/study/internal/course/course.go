// Package course answers what became of each pod of a run: when it ended, how long that took compared with its
// work, and how much of the nodes' time was not lost. It follows only the binding of pods and the plans that
// evict them, because a simulation with an observer makes its attempts one by one. Everything else follows from
// the rules of a run without kubelets, in which evicted pods are recreated once they are gone.
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

// work is the work of a pod of the trace, and of all pods that are created in its place.
type work struct {
	pod     *outrank.Pod
	arrival time.Duration
	// duration is never for a pod that does not end.
	duration time.Duration
}

// stay is the time that a pod spends on a node.
type stay struct {
	work        *work
	cpu, gpu    int64 // the pod's request
	priority    int32
	key         outrank.Key
	node        string
	bound, ends time.Duration
	// told is set if the pod was told to go, and evicted if it therefore goes before its end.
	told, evicted bool
	// order numbers the stays in the order in which they began.
	order int
}

// Course follows a run.
type Course struct {
	works []work // sorted by the name of the pod; 24 bytes for each
	// all and speeds sum up the pods that have finished, speeds by priority.
	all    ratios
	speeds map[int32]*ratios
	grace  time.Duration
	now    time.Duration
	stays  map[outrank.Key]*stay
	agenda agenda
	// used is what the finished stays have used, by priority. lost is the part of it that was lost.
	used map[int32]*amounts
	lost amounts
	// capacity is the sum of what the nodes offer.
	capacity amounts
	// bound counts the stays.
	bound  int
	table  *devices.Table
	pieces *devices.Fragments
	// asked counts the bindings of pods that ask for GPUs, and unfit the bindings to nodes whose devices had no
	// room.
	asked, unfit int
}

// amounts are in thousandths of cores and GPUs, or in such thousandths times seconds.
type amounts struct{ cpu, gpu float64 }

// add adds the request of a stay for a number of seconds.
func (a *amounts) add(s *stay, seconds float64) {
	a.cpu += seconds * float64(s.cpu)
	a.gpu += seconds * float64(s.gpu)
}

// New follows a run of pods on nodes from its beginning. Evicted pods have the grace period of their spec or,
// if it has none, grace.
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

// Table returns the devices with the pods that hold them.
func (c *Course) Table() *devices.Table { return c.table }

// workOf returns the work of a pod. It is nil if the pod does not come from the trace. A pod that is created in
// place of another one has the other's name with a number, such as web-r2.
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

// Bound records that a pod is bound to a node at a time. Times never decrease.
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

// never is later than the end of any run.
const never = time.Duration(1<<63 - 1)

// Evicted records that a pod on a node is told to go at a time, with the grace period of the eviction if it has
// one. A pod that finishes its work within the grace period counts as finished. If a pod was told before, the
// earlier time counts, or the first one if there is no grace.
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
		s.ends = gone
		s.evicted = true
		heap.Push(&c.agenda, event{gone, s})
	}
}

// Advance lets time pass. Stays that end until then are ended. An event is ignored if its stay has a different
// end by now, or is over.
func (c *Course) Advance(to time.Duration) {
	for len(c.agenda) > 0 && c.agenda[0].at <= to {
		e := heap.Pop(&c.agenda).(event)
		if s := e.stay; s.ends == e.at && c.stays[s.key] == s {
			c.end(s)
		}
	}
	c.now = max(c.now, to)
}

// end ends a stay, whose work is then either done or lost.
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

// finish counts a pod that has finished its work.
func (c *Course) finish(s *stay) {
	took := (s.ends - s.work.arrival).Seconds()
	slowdown := max(1, took/max(s.work.duration, Briefest).Seconds())

	if c.speeds[s.priority] == nil {
		c.speeds[s.priority] = &ratios{}
	}
	c.speeds[s.priority].add(took, slowdown)
	c.all.add(took, slowdown)
}

// account adds what a stay has used up to a time.
func (c *Course) account(s *stay, until time.Duration) {
	if c.used[s.priority] == nil {
		c.used[s.priority] = &amounts{}
	}
	c.used[s.priority].add(s, (until - s.bound).Seconds())
}

// changed updates the fragments of a node after a pod came or, with a positive sign, left.
func (c *Course) changed(s *stay, sign int64) {
	if c.pieces != nil {
		at := s.bound
		if sign > 0 {
			at = s.ends
		}
		c.pieces.Changed(at, s.node, sign*s.cpu)
	}
}

// event is a time at which a stay may end. The stay ends if this is still its end.
type event struct {
	at   time.Duration
	stay *stay
}

// agenda is a heap by time. Events at the same time are in the order of binding.
type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	if a[i].at != a[j].at {
		return a[i].at < a[j].at
	}
	return a[i].stay.order < a[j].stay.order
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push appends an event, for [heap.Interface].
func (a *agenda) Push(x any) { *a = append(*a, x.(event)) }

// Pop removes the last event, for [heap.Interface].
func (a *agenda) Pop() any {
	last := len(*a) - 1
	e := (*a)[last]
	(*a)[last] = event{} // releases the stay
	*a = (*a)[:last]
	return e
}
