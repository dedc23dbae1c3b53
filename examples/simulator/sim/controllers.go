package sim

import (
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
)

// controllers make the pods of the work, and the pods that replace others.
type controllers struct {
	config     *Config
	recreation Recreate
	kubelets   *Kubelets // nil without kubelets
	clock      *clock
	agenda     *agenda
	teller     *teller
	schedulers *schedulers
	lives      *lives
	columns    columns
	sharing    *sharing
	gangs      *gangs
	progress   *progress
}

// admit makes a pod for a piece of work. It returns nil and records a problem if that is not possible.
func (c *controllers) admit(w *Work, ps *problems) *pod {
	key := w.Pod.Key()
	if before := c.lives.pods[key]; before != nil && before.phase != Gone && before.phase != Finished {
		ps.add("pod "+string(key), "", "there is one of that name")
		return nil
	}
	scheduler := c.schedulerOf(w.Pod, ps)
	if scheduler == nil {
		return nil
	}

	p := &pod{obj: w.Pod, work: w, scheduler: scheduler, phase: Coming, asks: c.columns.row(w.Pod.RunningRequests(outrank.DefaultRelease))}
	if c.kubelets != nil {
		p.uses = usageOf(w)
	}

	// Every pod gets a number, even if it has a UID, so that a UID does not depend on how many pods bring
	// their own.
	p.revise(func(o *outrank.Pod) {
		if c.lives.uids++; o.UID == "" {
			o.UID = "sim-" + strconv.Itoa(c.lives.uids)
		}
	})

	// Only the first pod of a lineage counts as expected work and joins its gang.
	c.lives.pods[key] = p
	if c.lives.join(p) {
		c.progress.expect(w)
		c.gangs.enlist(p)
	}
	c.sharing.relate(p)
	return p
}

// schedulerOf returns the scheduler of a pod, or nil if none has the name that Config.SchedulerOf returns.
func (c *controllers) schedulerOf(obj *outrank.Pod, ps *problems) *schedulerState {
	if c.config.SchedulerOf == nil {
		return c.schedulers.inOrder[0]
	}
	name := c.config.SchedulerOf(obj)
	found := c.schedulers.byName[name]
	if found == nil {
		ps.add("pod "+string(obj.Key()), "", "no scheduler is called %s", name)
	}
	return found
}

// expect schedules the arrival of a pod at the time of its work.
func (c *controllers) expect(p *pod) {
	c.agenda.add(moment{at: p.work.Arrival, kind: arriveMoment, pod: p})
}

// replace recreates a pod that has left, if its controller does so at that time. A pod that was lost with its
// node before it was evicted is recreated by both rules.
func (c *controllers) replace(p *pod) error {
	rule := c.recreation.Rule
	if p.evicted && rule == RecreateWhenGone || p.lost && !p.evicted && rule != RecreateNever {
		return c.recreate(p)
	}

	// With RecreateWhenEvicted an evicted pod has been replaced already. Otherwise its gang has one pod less.
	if !p.evicted || rule != RecreateWhenEvicted {
		c.gangs.retire(p)
	}
	return nil
}

// replaceAtOnce reports whether controllers replace a pod as soon as it is evicted.
func (c *controllers) replaceAtOnce() bool { return c.recreation.Rule == RecreateWhenEvicted }

// replaceEvicted recreates a pod that has just been evicted, if its controller does so at once.
func (c *controllers) replaceEvicted(p *pod) error {
	if c.replaceAtOnce() {
		return c.recreate(p)
	}
	return nil
}

// replaceRejected recreates a pod that its kubelet has rejected.
func (c *controllers) replaceRejected(p *pod) error {
	if c.recreation.Rule == RecreateNever {
		c.gangs.retire(p)
		return nil
	}
	return c.recreate(p)
}

// recreate makes a pod that replaces another one, unless its controller gives up. A pod that came directly to
// a node does so again.
func (c *controllers) recreate(p *pod) error {
	if !c.goesOn(p) {
		c.gangs.retire(p)
		return nil
	}

	// Each new pod is a copy of the first one, so that the effects of Change do not add up.
	l := p.lineage
	first := l.lives[0]
	made := pendingCopy(first.work.Pod, first.there)
	base := made.Name
	if c.recreation.Change != nil {
		c.recreation.Change(made, l.evictions)
	}
	c.rename(made, base, len(l.lives))

	// Change may have made an invalid pod, which is an error as in any other work.
	w := *first.work
	w.Pod = made
	w.Arrival = later(c.clock.at, c.delayOf(l))
	w.Lineage = l.name

	var ps problems
	w.check(&ps, c.kubelets != nil)
	if len(ps) == 0 {
		if next := c.admit(&w, &ps); next != nil {
			c.expect(next)
		}
	}
	return ps.err()
}

// pendingCopy returns a pod as it was created, without a UID and without any trace of its life. A pod that
// was on a node from the beginning of the run goes through a scheduler this time.
func pendingCopy(of *outrank.Pod, there bool) *outrank.Pod {
	made := *of
	if there {
		made.NodeName = ""
	}
	made.NominatedNodeName, made.UID = "", ""
	made.StartTime, made.DeletionTimestamp = time.Time{}, time.Time{}
	made.DisruptionReason = ""
	made.Ready, made.Phase = false, ""
	return &made
}

// rename gives a pod of a lineage a name that no other pod of the run has or had: the name base with a
// number, from n on.
func (c *controllers) rename(made *outrank.Pod, base string, n int) {
	for ; ; n++ {
		made.Name = base + "-r" + strconv.Itoa(n)
		if c.lives.pods[made.Key()] == nil {
			return
		}
	}
}

// goesOn reports whether a controller replaces a pod that failed, was evicted or was lost. If the controller
// gives up, goesOn records it.
func (c *controllers) goesOn(p *pod) bool {
	switch {
	case c.kubelets == nil:
		return true
	case p.obj.Static:
		return false // the kubelet reads the file of a static pod only once
	case p.lineage.failures > c.kubelets.Retries:
		p.lineage.givenUp = true
		c.teller.tell(Event{Kind: GivenUp, Pod: p.obj}, "after %d tries", p.lineage.failures)
		return false
	}
	return true
}

// mostRetryDelay is the longest delay between two pods of a lineage.
const mostRetryDelay = 6 * time.Minute

// delayOf returns how long a controller waits before it makes the next pod of a lineage. The delay doubles
// with each failure after the first.
func (c *controllers) delayOf(l *lineage) time.Duration {
	d := c.recreation.Delay
	for range l.failures - 1 {
		if d >= mostRetryDelay {
			break
		}
		d = min(2*d, mostRetryDelay)
	}
	return d
}
