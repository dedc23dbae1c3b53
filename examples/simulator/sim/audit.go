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

// ErrAudit is wrapped by the error with which an audit ends a run (see [Config.Audit]). Either this package
// has made a mistake, or a rule of the caller's has broken its contract.
var ErrAudit = errors.New("the books of the run do not add up")

// auditing turns on Config.Audit in every run of this package's tests.
var auditing bool

// auditor keeps books of its own, from the events alone, and compares them with the run:
//
//   - When a pod is put on a node, the requests of all pods there, summed anew, are within what the node offers.
//   - Every pod arrives, waits, starts, runs and leaves, in this order. When it has left, the times that it
//     waited, started and ran make up its age.
//   - The waiting times of the pods of a lineage make up what the run counts as the wait of the lineage.
//   - Lost work is the running time of the pods that left for a cause by which work is lost.
type auditor struct {
	clock   *clock
	cluster *cluster
	lives   *lives
	tally   *tally
	// heeds reports whether all schedulers check a resource. It is nil if one scheduler checks none.
	heeds func(resource.Name) bool
	// kubelets is set if the run has kubelets. Then a pod takes its room when it starts, and otherwise when
	// it is bound.
	kubelets bool

	books  map[*pod]*book
	waited map[*lineage]time.Duration
	lost   report.Lost
	// touched has the pods that the events of the present step were about.
	touched []*pod
	found   error // the first finding, which ends the run
}

// book is the life of one pod, as its events tell it.
type book struct {
	phase Phase
	// came is the time of arrival, and since is the time at which the pod entered its phase.
	came, since time.Duration
	// spent has the time that the pod spent in each phase that it has left.
	spent [Gone + 1]time.Duration
	// running is set once the pod runs. It stays set while the pod terminates.
	running bool
	// ran is the time that the pod ran. It is set once the pod has left.
	ran time.Duration
}

// heeded returns a function that reports whether all schedulers check a resource, or nil if one of them
// checks none. A scheduler may overcommit a resource that it does not check.
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

// newAuditor returns an auditor with books for the pods that exist already.
func (s *Simulation) newAuditor() *auditor {
	a := &auditor{
		clock: s.clock, cluster: s.cluster, lives: s.lives, tally: s.tally, heeds: heeded(s.config.Schedulers),
		kubelets: s.config.Kubelets != nil, books: map[*pod]*book{}, waited: map[*lineage]time.Duration{},
	}
	for _, l := range s.lives.lineages {
		for _, p := range l.lives {
			if p.phase != Coming {
				a.books[p] = &book{phase: p.phase, running: p.started}
			}
		}
	}
	return a
}

// wrong records a finding about a pod, unless there was one before.
func (a *auditor) wrong(p *pod, format string, args ...any) {
	if a.found == nil {
		a.found = fmt.Errorf("%w: pod %s: %s", ErrAudit, p.obj.Key(), fmt.Sprintf(format, args...))
	}
}

// event enters an event into the books.
func (a *auditor) event(e Event) {
	if e.Pod == nil {
		return
	}
	p := a.lives.pods[e.Pod.Key()]
	a.touched = append(a.touched, p)
	b := a.bookOf(p, e.Time)

	// An event that is impossible in this phase is a finding, and does not change the books.
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

	// A pod waits at most once, so the time that it spent in the queue is all of its wait.
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

// enter ends the present phase of the pod and begins the next one.
func (b *book) enter(to Phase, now time.Duration) {
	b.spent[b.phase] += now - b.since
	b.phase, b.since = to, now
	if to == Running {
		b.running = true
	}
}

// phaseAfter returns the phase of a pod after an event. ok is false if the event is impossible in the phase
// from.
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
		return Admitting, from == Queued // until its kubelet starts it
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

// checkCapacity checks that the requests of a node's pods are within what it offers, after p was put on it.
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

	// Only resources that the pod requests are checked: at the beginning, nodes may already be overcommitted.
	asked := p.obj.RunningRequests(outrank.DefaultRelease)
	for _, r := range slices.Sorted(maps.Keys(sums)) {
		if has := node.Allocatable.Amount(r); asked.Amount(r) > 0 && a.heeds(r) && sums[r] > has {
			a.wrong(p, "node %s has %d of %s, and its pods take %d", name, has, r, sums[r])
		}
	}
}

// requestsOn counts the pods that take room on a node, and sums their requests anew.
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

// close ends the book of a pod. The times in its phases must make up its age, and its running time must be
// the one of the run.
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
