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

// ErrAudit is wrapped by the error with which an audit ends a run ([Config.Audit]). This package has made a
// mistake, or a rule of the caller's has broken its contract.
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
//   - Lost work is the running time of the pods that left for a cause by which work is lost.
type auditor struct {
	clock   *clock
	cluster *cluster
	lives   *lives
	tally   *tally
	// heeds reports whether all schedulers look at a resource; it is nil where one looks at none.
	heeds func(resource.Name) bool
	// kubelets is set where pods take their room when they start.
	kubelets bool

	books  map[*pod]*book
	waited map[*lineage]time.Duration
	lost   report.Lost
	// touched has the pods of the present step's events.
	touched []*pod
	found   error // the first finding
}

// book is the life of one pod, by its events.
type book struct {
	phase Phase
	// came is when the pod came, since when it entered its phase.
	came, since time.Duration
	// spent has the time that the pod spent in each phase that is over.
	spent [Gone + 1]time.Duration
	// running is set once the pod runs, also when it is told to go then.
	running bool
	// ran is the time that the pod ran, once it is over.
	ran time.Duration
}

// heeded returns a function that reports whether all schedulers look at a resource, or nil where one looks
// at none. What a scheduler does not look at it may overcommit.
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

// wrong records a finding about a pod, if it is the first one.
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
	a.touched = append(a.touched, p)
	b := a.bookOf(p, e.Time)

	// An event that cannot happen is not entered: the books stay as they are.
	from := b.phase
	to, ok := phaseAfter(e, from)
	if !ok {
		a.wrong(p, "%s while it is %v", e.Kind, from)
		return
	}
	if to == from {
		return
	}
	b.enter(to, e.Time)

	// A pod waits once at most, so what it has spent in the queue is the whole of this wait.
	if from == Queued {
		a.waited[p.lineage] += b.spent[Queued]
	}
	// Without kubelets a pod takes room when it is bound, with kubelets when it starts.
	if to == Running || e.Kind == Bound && !a.kubelets {
		a.checkCapacity(p, e.Node)
	}
	if to == Finished || to == Gone {
		a.close(p, b, e)
	}
}

// bookOf returns the book of a pod, a new one for a pod that has just come.
func (a *auditor) bookOf(p *pod, now time.Duration) *book {
	b := a.books[p]
	if b == nil {
		b = &book{came: now, since: now}
		a.books[p] = b
	}
	return b
}

// enter enters the pod's next phase.
func (b *book) enter(to Phase, now time.Duration) {
	b.spent[b.phase] += now - b.since
	b.phase, b.since = to, now
	if to == Running {
		b.running = true
	}
}

// phaseAfter returns the phase of a pod after an event; it is not ok where the event cannot happen in the
// phase before.
func phaseAfter(e Event, from Phase) (to Phase, ok bool) {
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
		return Admitting, from == Queued // its kubelet starts it
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

// checkCapacity checks that a node offers what its pods request, once p has been put on it.
func (a *auditor) checkCapacity(p *pod, name string) {
	node, ok := a.cluster.node(name)
	if !ok {
		a.wrong(p, "on node %s, which is not there", name)
		return
	}
	if a.heeds == nil {
		return
	}

	count, sums := a.requestsOn(node)
	if most := node.Allocatable.Amount(resource.Pods); count > most {
		a.wrong(p, "node %s has %d pods, and takes %d", name, count, most)
	}

	// A node may have too little of a resource that the pod does not ask for: the nodes of the beginning
	// come as they are.
	asked := p.obj.RunningRequests(outrank.DefaultRelease)
	for _, r := range slices.Sorted(maps.Keys(sums)) {
		if has := node.Allocatable.Amount(r); asked.Amount(r) > 0 && a.heeds(r) && sums[r] > has {
			a.wrong(p, "node %s has %d of %s, and its pods take %d", name, has, r, sums[r])
		}
	}
}

// requestsOn counts the pods on a node that take room there, and sums their requests anew.
func (a *auditor) requestsOn(node *outrank.Node) (count int64, sums map[resource.Name]int64) {
	sums = map[resource.Name]int64{}
	for _, obj := range a.cluster.podsOnNode(node.Name) {
		if b := a.books[a.lives.pods[obj.Key()]]; b == nil || a.kubelets && !b.running {
			continue
		}
		count++
		requests := obj.RunningRequests(outrank.DefaultRelease)
		for r := range requests {
			sums[r] = resource.AddSat(sums[r], requests.Amount(r))
		}
	}
	return count, sums
}

// close ends the book of a pod: the times in its phases make up its age, and its running time is the run's.
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
