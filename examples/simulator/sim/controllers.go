package sim

import (
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
)

// controllers make pods: those of the work, and new ones in place of others.
type controllers struct {
	config     *Config
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

// admit makes a life for a piece of work, nil where that is not possible.
func (c *controllers) admit(w *Work, ps *problems) *pod {
	key := w.Pod.Key()
	if before := c.lives.pods[key]; before != nil && before.phase != Gone && before.phase != Finished {
		ps.add("pod "+string(key), "", "there is one of that name")
		return nil
	}
	scheduler := c.schedulers.inOrder[0]
	if c.config.SchedulerOf != nil {
		name := c.config.SchedulerOf(w.Pod)
		if scheduler = c.schedulers.byName[name]; scheduler == nil {
			ps.add("pod "+string(key), "", "no scheduler is called %s", name)
			return nil
		}
	}
	p := &pod{obj: w.Pod, work: w, scheduler: scheduler, phase: Coming, asks: c.columns.row(w.Pod.RunningRequests(outrank.DefaultRelease))}
	if c.config.Kubelets != nil {
		p.uses = usageOf(w)
	}
	p.revise(func(o *outrank.Pod) {
		if c.lives.uids++; o.UID == "" {
			o.UID = "sim-" + strconv.Itoa(c.lives.uids)
		}
	})
	c.lives.pods[key] = p
	if c.lives.join(p) {
		c.progress.expect(w)
		c.gangs.enlist(p)
	}
	c.sharing.relate(p)
	return p
}

// expect schedules the arrival of a pod at the time of its work.
func (c *controllers) expect(p *pod) {
	c.agenda.add(moment{at: p.work.Arrival, kind: arriveMoment, pod: p})
}

// replace makes up for a pod that has gone, if its controller does so then.
func (c *controllers) replace(p *pod) error {
	rule := c.config.Recreate.Rule
	if p.evicted && rule == RecreateWhenGone || p.lost && !p.evicted && rule != RecreateNever {
		return c.recreate(p)
	}
	if !p.evicted || rule != RecreateWhenEvicted {
		c.gangs.retire(p)
	}
	return nil
}

// replaceEvicted makes up for a pod that was told to go, if its controller does
// so at once.
func (c *controllers) replaceEvicted(p *pod) error {
	if c.config.Recreate.Rule == RecreateWhenEvicted {
		return c.recreate(p)
	}
	return nil
}

// recreate makes a pod in place of another, unless its controller gives up. A pod
// that came to a node past the scheduler comes to it again.
func (c *controllers) recreate(p *pod) error {
	if !c.anew(p) {
		c.gangs.retire(p)
		return nil
	}
	l, first := p.lineage, p.lineage.lives[0]
	made := *first.work.Pod
	if first.there {
		made.NodeName = ""
	}
	made.NominatedNodeName, made.UID = "", ""
	made.StartTime, made.DeletionTimestamp, made.DisruptionReason = time.Time{}, time.Time{}, ""
	made.Ready, made.Phase = false, ""
	if c.config.Recreate.Change != nil {
		c.config.Recreate.Change(&made, l.evictions)
	}
	for n := len(l.lives); ; n++ {
		if made.Name = first.work.Pod.Name + "-r" + strconv.Itoa(n); c.lives.pods[made.Key()] == nil {
			break
		}
	}
	w := *first.work
	w.Pod, w.Arrival, w.Lineage = &made, later(c.clock.at, c.delayOf(l)), l.name
	var ps problems
	w.check(&ps, c.config.Kubelets != nil)
	if len(ps) == 0 {
		if next := c.admit(&w, &ps); next != nil {
			c.expect(next)
		}
	}
	return ps.err()
}

// anew reports whether a controller makes a pod in place of one that failed, was
// evicted or lost; it records where one gives up.
func (c *controllers) anew(p *pod) bool {
	k := c.config.Kubelets
	switch {
	case k == nil:
		return true
	case p.obj.Static:
		return false // its file is read once
	case p.lineage.failures > k.Retries:
		p.lineage.givenUp = true
		c.teller.tell(Event{Kind: GivenUp, Pod: p.obj}, "after %d tries", p.lineage.failures)
		return false
	}
	return true
}

// mostRetryDelay ends the doubling.
const mostRetryDelay = 6 * time.Minute

// delayOf is the time that a controller waits before it makes the next pod of a lineage.
func (c *controllers) delayOf(l *lineage) time.Duration {
	d := c.config.Recreate.Delay
	for range l.failures - 1 {
		if d >= mostRetryDelay {
			break
		}
		d = min(2*d, mostRetryDelay)
	}
	return d
}
