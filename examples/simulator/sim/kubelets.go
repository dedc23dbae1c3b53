package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Defaults of [Kubelets].
const (
	DefaultLookPeriod = 10 * time.Second
	DefaultTransition = 5 * time.Minute
	DefaultRetries    = 6
)

// Kubelets has a kubelet on every node. A pod that was bound does not run before its
// kubelet has admitted it, pods may come to a node past the scheduler, and a node whose
// pods use more than it can allocate is under pressure; see the package comment.
type Kubelets struct {
	// Period is how often a kubelet looks at what its pods use: at whole multiples of it.
	// Zero means [DefaultLookPeriod].
	Period time.Duration
	// Transition is how long a node counts as under pressure after a kubelet has seen it
	// so for the last time; zero means [DefaultTransition].
	Transition time.Duration
	// Retries is how often a controller makes a pod anew that kubelets turned away, or
	// evicted under pressure; after that it gives up. Zero means [DefaultRetries], the
	// backoffLimit of a job. Each time it waits twice as long as before, six minutes at
	// most, beginning with the delay of [Recreate].
	Retries int
	// PriorityFirst and Exact choose who goes for a critical pod otherwise than kubelets
	// do: by priority before class, and the best set of pods; see
	// [kubeletadmit.Admitter].
	PriorityFirst, Exact bool
}

// mostRetryDelay ends the doubling.
const mostRetryDelay = 6 * time.Minute

// delayOf is how long a controller waits before it makes the next pod of a lineage.
func (s *Simulation) delayOf(l *lineage) time.Duration {
	d := s.config.Recreate.Delay
	for range l.failures - 1 {
		if d >= mostRetryDelay {
			break
		}
		d = min(2*d, mostRetryDelay)
	}
	return d
}

func (k *Kubelets) check(ps *problems) {
	if k == nil {
		return
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{{"Kubelets.Period", k.Period}, {"Kubelets.Transition", k.Transition}} {
		if d.value < 0 || d.value > horizon {
			ps.add("simulation config", d.field, "%v is not between 0 and %v", d.value, horizon)
		}
	}
	if k.Retries < 0 {
		ps.add("simulation config", "Kubelets.Retries", "%d is negative", k.Retries)
	}
}

// filledIn puts the defaults in place of what is zero.
func (k *Kubelets) filledIn() *Kubelets {
	if k == nil {
		return nil
	}
	out := *k
	if out.Period == 0 {
		out.Period = DefaultLookPeriod
	}
	if out.Transition == 0 {
		out.Transition = DefaultTransition
	}
	if out.Retries == 0 {
		out.Retries = DefaultRetries
	}
	return &out
}

// kubelet is what that of a node is about.
type kubelet struct {
	// inbox are pods that it has not looked at yet, in the order in which they came.
	inbox []*pod
	// starting waits until the victims are gone, which are killed one after another. All
	// of the inbox waits for that, too.
	starting *pod
	victims  []*pod
	// uses is what the pods that have started use, by kind of pressure.
	uses      [kindsOfPressure]int64
	pressures [kindsOfPressure]pressed
	// relieving was evicted last because of a pressure. lookAt is when it looks next at
	// what is in use, 0 where nothing would come of that.
	relieving *pod
	lookAt    time.Duration
	// removed: the node is not there any more.
	removed bool
}

// cause is why a kubelet evicted a pod.
type cause uint8

const (
	noCause cause = iota
	forCritical
	underMemory
	underDisk
	causes
)

// kubeletCounts are those of all kubelets.
type kubeletCounts struct {
	started   int
	rejected  map[string]int // by reason
	evicted   [causes]int
	pressures int
}

// usageOf is what a pod uses while it runs: what its work says, or else what the kubelet
// counts it with.
func usageOf(w *Work) kubeletadmit.Usage {
	if w.Usage != nil {
		return *w.Usage
	}
	amount := func(name resource.Name) int64 { return max(resource.Amount(name, w.Pod.KubeletRequestOf(name)), 0) }
	return kubeletadmit.Usage{Memory: amount(resource.Memory), Disk: amount(resource.EphemeralStorage)}
}

// anew reports whether a controller makes a pod in place of one that failed, was evicted
// or lost; it notes where one gives up.
func (s *Simulation) anew(p *pod) bool {
	k := s.config.Kubelets
	switch {
	case k == nil:
		return true
	case p.obj.Static:
		return false // its file is read once
	case p.lineage.failures > k.Retries:
		p.lineage.givenUp = true
		s.tell(Event{Kind: GivenUp, Pod: p.obj}, "after %d tries", p.lineage.failures)
		return false
	}
	return true
}

// sum counts what kubelets did, and what became of the pods that they evicted; nil where
// there are none.
func (s *Simulation) kubeletSum() *report.Kubelets {
	if s.config.Kubelets == nil {
		return nil
	}
	c := &s.kubelets
	sum := &report.Kubelets{
		Started: c.started, Pressures: c.pressures, Rejected: report.ReasonsOf(c.rejected),
		ForCritical: c.evicted[forCritical], UnderMemory: c.evicted[underMemory], UnderDisk: c.evicted[underDisk],
	}
	for _, l := range s.lineages {
		for i, p := range l.lives {
			if p.cause != noCause {
				l.fate(i, &sum.Evicted)
			}
		}
		sum.GivenUp += one(l.givenUp)
	}
	return sum
}

// fate counts what became of a life that a kubelet evicted.
func (l *lineage) fate(i int, f *report.Fates) {
	p := l.lives[i]
	for _, next := range l.lives[i+1:] {
		if next.started {
			f.Elsewhere += one(next.host.node.Name != p.host.node.Name)
			f.SameNode += one(next.host.node.Name == p.host.node.Name)
			return
		}
	}
	switch now := l.current(); {
	case p.phase == Finished:
		f.Finished++
	case now == p && p.phase == Terminating:
		f.Leaving++
	case now != p && now.phase != Gone:
		f.Waiting++
	default:
		f.Over++
	}
}

// critical is what no kubelet evicts under pressure, and turns away for none.
func critical(p *pod) bool { return kubeletadmit.Critical(p.obj) }

// SetUsage has a pod use so much from then on. One that is over is left alone; one that
// never was is an error, and so is a run without kubelets. Pods that are made in its
// place use what they did at first.
func SetUsage(key outrank.Key, u kubeletadmit.Usage) Change {
	return Change{"set usage of pod " + string(key), func(s *Simulation) error {
		p := s.pods[key]
		var ps problems
		checkUsage(&ps, "pod "+string(key), &u)
		switch {
		case len(ps) > 0:
			return ps.err()
		case s.config.Kubelets == nil:
			ps.add("simulation config", "Kubelets", "none, so that nobody looks at what pods use")
			return ps.err()
		case p == nil || p.phase == Coming:
			return missingKey(key)
		case p.phase == Finished || p.phase == Gone:
			return nil
		}
		s.tell(Event{Kind: Changed, Pod: p.obj, Node: p.obj.NodeName}, "uses %s of memory and %s of disk",
			resource.NewBinary(u.Memory), resource.NewBinary(u.Disk))
		if p.started {
			s.use(p, -1)
		}
		if p.uses = u; p.started {
			s.use(p, 1)
			s.watchUse(p.host)
		}
		return nil
	}}
}

func checkUsage(ps *problems, object string, u *kubeletadmit.Usage) {
	for _, x := range []struct {
		field string
		value int64
	}{{"Usage.Memory", u.Memory}, {"Usage.Disk", u.Disk}, {"Usage.Inodes", u.Inodes}, {"Usage.Processes", u.Processes}} {
		if x.value < 0 {
			ps.add(object, x.field, "%d is negative", x.value)
		}
	}
}
