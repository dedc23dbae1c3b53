package schedules

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

// The operations of a call.
const (
	Evict    = "evict"
	Nominate = "nominate"
	Status   = "status"
	Bind     = "bind"
	// Mark says in the status of a victim that it will leave. It is the first half of an eviction where that is
	// two calls.
	Mark = "mark"
)

var operations = []string{Evict, Evict, Nominate, Status, Bind, Bind, Mark}

// The ways in which a call can go wrong.
const (
	fails = "fails" // nothing is done, and that is final
	busy  = "busy"  // nothing is done, and the next try may work
	lost  = "lost"  // it is done, and the answer is lost
	slow  = "slow"  // it is done after the delay
	drags = "drags" // it is done, and the answer comes after the delay
	hangs = "hangs" // nothing is done, and the caller gives up
	late  = "late"  // the caller gives up, and it is done after that
	twice = "twice" // it is done, and once more after the delay
)

var ways = []string{fails, busy, lost, slow, drags, hangs, late, twice}

// patience is how long a caller waits for an answer.
const patience = 10 * time.Second

// Call is what a scheduler asks of the server.
type Call struct {
	Op, Pod, UID string
	// Node is where the pod is to be bound or nominated; an empty one clears the nomination.
	Node string
	// Override says that a call for the status changes the nomination, too. Why is the reason in the status.
	Override bool
	Why      string
	// For is the UID of the preemptor of an eviction.
	For string
}

// Port is what a [Brain] reaches the cluster through. Its methods may be called at once.
type Port struct {
	process *process
	judge   *judge
}

// Latest returns the version of a pod that the process has seen last, nil if it is gone.
func (p *Port) Latest(name string) *Pod {
	p.process.mu.Lock()
	defer p.process.mu.Unlock()
	return p.process.seen[name]
}

// Present returns what the server has of a pod, nil if it is gone.
func (p *Port) Present(name string) *Pod {
	s := p.process.world.server
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pods[name]
}

// Do makes a call, and returns when it is answered, or when the caller has lost its patience.
func (p *Port) Do(ctx context.Context, c Call) error {
	w := p.process.world
	p.judge.begins(p.process, &c)
	err := w.call(ctx, &c)
	p.judge.ends(p.process, &c, err)
	return err
}

// Carried reports what became of a plan for a pod with these victims, by UID. done says that the whole plan is
// reported to be carried out.
func (p *Port) Carried(preemptor string, victims []string, done bool) {
	p.judge.carried(p.process, preemptor, victims, done)
}

// call lets a call go the way that the schedule has for it.
func (w *world) call(ctx context.Context, c *Call) error {
	way, delay := w.wayOf(c)

	// Each call takes a time of its own, so that calls which begin at one moment are carried out in a settled order.
	w.sleep(ctx, own(c))
	if ctx.Err() != nil {
		return ctx.Err()
	}

	switch way {
	// The server does not do what it is asked.
	case fails:
		return ErrFailed
	case busy:
		return ErrBusy

	// The server does it, and its answer is lost or comes after a while. A caller whose patience has ended would not
	// hear it, so that delays end before that.
	case lost:
		_ = w.server.apply(c)
		return ErrTimeout
	case slow:
		return w.later(ctx, c, min(delay, patience-time.Second))
	case drags:
		err := w.server.apply(c)
		w.sleep(ctx, min(delay, patience-time.Second))
		return err

	// The server does it once more later, or not at all, or when the caller has given up.
	case twice:
		w.server.after(delay, func() { _ = w.server.apply(c) })
	case hangs:
		w.sleep(ctx, patience)
		return ErrTimeout
	case late:
		w.server.after(patience+delay, func() { _ = w.server.apply(c) })
		w.sleep(ctx, patience)
		return ErrTimeout
	}
	return w.server.apply(c)
}

// later has a call done after a delay, even if its caller is gone by then.
func (w *world) later(ctx context.Context, c *Call, delay time.Duration) error {
	answer := make(chan error, 1)
	w.server.after(delay, func() { answer <- w.server.apply(c) })
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wayOf takes the first fault that the schedule has for a call, and notes the call.
func (w *world) wayOf(c *Call) (way string, delay time.Duration) {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	i := slices.IndexFunc(w.faults, func(e Event) bool { return e.Pod.Name == c.Pod && strings.HasPrefix(e.Op, c.Op+" ") })
	if i >= 0 {
		way, delay = strings.TrimPrefix(w.faults[i].Op, c.Op+" "), w.faults[i].Delay
		w.faults = slices.Delete(w.faults, i, i+1)
	}
	w.server.note("%s", strings.Join(strings.Fields(c.Op+" "+c.Pod+" "+c.Node+" "+way), " "))
	return way, delay
}

// own is how long a call takes that goes well. It differs from call to call, so that no two of them end at the
// same moment.
func own(c *Call) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.Op + c.UID + c.Node))
	return time.Millisecond + time.Duration(h.Sum32()%1e6)
}

// sleep waits for a while, or until the context ends.
func (w *world) sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Decided tells the judge of a plan for a pod with these victims, by UID, before anything is done.
func (p *Port) Decided(preemptor string, victims []string) {
	p.judge.decided(p.process, preemptor, victims)
}

// Missed tells the judge that a victim of the preemptor was known to be gone, so that no call was made.
func (p *Port) Missed(preemptor string) {
	p.judge.mu.Lock()
	defer p.judge.mu.Unlock()
	p.judge.missed[preemptor] = true
}

// Go runs f beside the scheduler.
func (p *Port) Go(f func()) { p.process.world.group.Go(f) }

// Broken tells the judge of an error that must not be.
func (p *Port) Broken(why string) {
	p.judge.mu.Lock()
	defer p.judge.mu.Unlock()
	p.judge.says("%s: %s.", p.process.name, why)
}
