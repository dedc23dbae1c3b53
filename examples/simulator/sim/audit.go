package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// ErrAudit is what the error of a run wraps that an audit has found wrong ([Config.Audit]). It is a
// mistake of this package or of a rule of the caller's that broke its contract.
var ErrAudit = errors.New("the books of the run do not add up")

// auditing makes every run of this package's tests audited.
var auditing bool

// auditor keeps books of its own, from the events alone, and compares them with the run:
//
//   - No node holds more than it offers once a pod has been put on it: the requests of the pods that
//     the snapshot has there are summed anew.
//   - The life of every pod adds up: it comes, waits, starts, runs, and leaves, in this order, and
//     the times that it waited, started and ran make up its age when it is over.
//   - What the lives of a lineage waited is what the run counts as its wait.
//   - Lost work is the running time of those that left for a cause by which work is lost.
type auditor struct {
	clock   *clock
	cluster *cluster
	lives   *lives
	tally   *tally
	// fits says which resources schedulers heed; nil for none.
	fits func(resource.Name) bool
	// kubelets is set where pods take their room when they start.
	kubelets bool

	books  map[*pod]*book
	waited map[*lineage]time.Duration
	lost   report.Lost
	// touched are the pods of the present step.
	touched []*pod
	found   error // the first
}

// book is the life of one pod.
type book struct {
	phase Phase
	// came is when it came, since when it is in its phase.
	came, since time.Duration
	// spent has the time in each phase that is over.
	spent [Gone + 1]time.Duration
	// running is set while it runs, also while it is told to go.
	running bool
	ran     time.Duration
}

// heeded reports which resources all schedulers look at; nil where one looks at none.
func heeded(list []Scheduler) func(resource.Name) bool {
	ignored := map[resource.Name]bool{}
	for i := range list {
		plugins := &list[i].Preemption.Profile
		if slices.Contains(plugins.Off, preemption.NodeResourcesFit) || slices.Contains(plugins.OffOnNodes, preemption.NodeResourcesFit) ||
			len(plugins.IgnoredResourceGroups) > 0 {
			return nil
		}
		for _, name := range plugins.IgnoredResources {
			ignored[name] = true
		}
	}
	return func(name resource.Name) bool { return !ignored[name] }
}

func (a *auditor) wrong(p *pod, format string, args ...any) {
	if a.found == nil {
		a.found = fmt.Errorf("%w: pod %s: %s", ErrAudit, p.obj.Key(), fmt.Sprintf(format, args...))
	}
}

// event enters an event.
func (a *auditor) event(e Event) {
	if e.Pod == nil {
		return
	}
	p := a.lives.pods[e.Pod.Key()]
	b := a.books[p]
	a.touched = append(a.touched, p)
	if b == nil {
		b = &book{came: e.Time, since: e.Time}
		a.books[p] = b
	}
	from := b.phase
	to, ok := follows(e, from)
	if !ok {
		a.wrong(p, "%s while it is %v", e.Kind, from)
		return
	}
	if to == from {
		return
	}
	b.spent[from] += e.Time - b.since
	b.phase, b.since = to, e.Time
	if to == Running {
		b.running = true
	}
	if from == Queued {
		a.waited[p.lineage] += b.spent[Queued]
	}
	if to == Running || e.Kind == Bound && !a.kubelets {
		a.capacity(p, e.Node)
	}
	if to == Finished || to == Gone {
		a.close(p, b, e)
	}
}

// follows returns the phase of a pod after an event; not ok where it cannot be.
func follows(e Event, from Phase) (to Phase, ok bool) {
	onNode := from == Admitting || from == Running || from == Terminating
	switch e.Kind {
	case Arrived:
		if e.Node != "" {
			return Admitting, from == Unknown
		}
		return Queued, from == Unknown
	case Bound:
		if e.Pod.Phase == outrank.PhaseRunning {
			return Running, from == Queued
		}
		return Admitting, from == Queued
	case Started:
		return Running, from == Admitting
	case Rejected:
		return Gone, from == Admitting
	case Evicted:
		return Terminating, from == Admitting || from == Running
	case Ended:
		return Finished, from == Running || from == Terminating
	case Left:
		return Gone, onNode
	case Deleted:
		if from == Queued {
			return Gone, true
		}
		return Terminating, from == Admitting || from == Running
	case Refused, Nominated:
		return from, from == Queued
	}
	return from, true
}

// capacity sums the requests of the pods on a node anew.
func (a *auditor) capacity(p *pod, name string) {
	node, ok := a.cluster.snap.Node(name)
	if !ok {
		a.wrong(p, "on node %s, which is not there", name)
		return
	}
	if a.fits == nil {
		return
	}
	count := int64(0)
	sums := map[resource.Name]int64{}
	for _, obj := range a.cluster.snap.PodsOn(name) {
		if b := a.books[a.lives.pods[obj.Key()]]; b == nil || a.kubelets && !b.running {
			continue
		}
		count++
		requests := obj.RunningRequests(outrank.DefaultRelease)
		for r := range requests {
			sums[r] = resource.AddSat(sums[r], requests.Amount(r))
		}
	}
	if most := node.Allocatable.Amount(resource.Pods); count > most {
		a.wrong(p, "node %s has %d pods, and takes %d", name, count, most)
	}
	asked := p.obj.RunningRequests(outrank.DefaultRelease)
	for _, r := range slices.Sorted(maps.Keys(sums)) {
		if has := node.Allocatable.Amount(r); asked.Amount(r) > 0 && a.fits(r) && sums[r] > has {
			a.wrong(p, "node %s has %d of %s, and its pods take %d", name, has, r, sums[r])
		}
	}
}

// close ends the book of a pod.
func (a *auditor) close(p *pod, b *book, e Event) {
	spent := b.spent[Queued] + b.spent[Admitting] + b.spent[Running] + b.spent[Terminating]
	if age := e.Time - b.came; spent != age {
		a.wrong(p, "it waited %v, started %v, ran %v and ended %v, and is %v old",
			b.spent[Queued], b.spent[Admitting], b.spent[Running], b.spent[Terminating], age)
	}
	if !b.running {
		return
	}
	b.ran = b.spent[Running] + b.spent[Terminating]
	if since := e.Time - p.bound; b.ran != since {
		a.wrong(p, "it ran for %v by its events, and for %v by the run", b.ran, since)
	}
	if e.Kind == Left && e.Cause.Lost() {
		a.lost.Add(b.ran, e.Pod.RunningRequests(outrank.DefaultRelease).Amount(resource.CPU))
	}
}

// step compares the books with the run after a step.
func (a *auditor) step() error {
	for _, p := range a.touched {
		b := a.books[p]
		if b.phase != p.phase {
			a.wrong(p, "it is %v by its events, and %v by the run", b.phase, p.phase)
		}
		if waited := a.waited[p.lineage]; waited != p.lineage.waited {
			a.wrong(p, "%s has waited %v by its events, and %v by the run", p.lineage.name, waited, p.lineage.waited)
		}
	}
	a.touched = a.touched[:0]
	if a.found == nil && a.lost != a.tally.lost {
		a.found = fmt.Errorf("%w: %v of work is lost by the events, and %v by the run", ErrAudit, a.lost, a.tally.lost)
	}
	return a.found
}
