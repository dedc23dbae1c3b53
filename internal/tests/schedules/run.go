package schedules

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Maker makes a scheduler that knows nothing yet.
type Maker func(s *Schedule, port *Port) (Brain, error)

// calm is how long nothing changes before a cluster counts as quiet. It is longer than the longest grace period,
// backoff, lag and late call, and shorter than the five minutes after which a queue tries everything anew.
const calm = 60 * time.Second

// world is a run of a schedule.
type world struct {
	schedule *Schedule
	maker    Maker
	server   *server
	judge    *judge
	faults   []Event // calls that are still to go wrong
	// podsLag and nodesLag are those of all watches.
	podsLag, nodesLag time.Duration
	leader, standby   *process
	processes         int // that ever were
	ctx               context.Context
	group             sync.WaitGroup
}

// Outcome says what broke in a run, nothing if all held, and what was done.
type Outcome struct {
	Broke string
	Log   []string
}

// Run runs a schedule with schedulers that make makes.
func Run(t *testing.T, s *Schedule, maker Maker) (o Outcome) {
	synctest.Test(t, func(*testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		w := &world{schedule: s, maker: maker, judge: newJudge(), ctx: ctx}
		w.server = &server{start: time.Now(), changed: time.Now(), pods: map[string]*Pod{}, nodes: map[string]Node{}, after: w.after}
		w.play()
		stop()
		w.group.Wait()
		o = Outcome{w.judge.broke, w.server.log}
	})
	return o
}

// play goes through the schedule, and waits until it is quiet.
func (w *world) play() {
	for _, n := range w.schedule.Nodes {
		w.server.putNode(n)
	}
	for _, p := range w.schedule.Pods {
		w.comes(p)
	}
	w.leads(w.starts(), nil)
	if w.schedule.Standby {
		w.leads(w.leader, w.starts())
	}
	for i := range w.schedule.Events {
		e := &w.schedule.Events[i]
		w.sleep(w.ctx, e.After+time.Duration(i)*time.Microsecond)
		w.happens(e)
	}

	w.server.mu.Lock()
	w.faults, w.podsLag, w.nodesLag = nil, 0, 0
	w.server.mu.Unlock()
	for range 90 {
		w.sleep(w.ctx, 10*time.Second)
		synctest.Wait()
		if w.server.calm() {
			w.judge.quiet(w.server, w.leader)
			return
		}
	}
	w.judge.says("It does not become quiet in a quarter of an hour.")
}

// after calls f when a while has passed, unless the run is over.
func (w *world) after(d time.Duration, f func()) {
	w.group.Go(func() {
		if w.sleep(w.ctx, d); w.ctx.Err() == nil {
			f()
		}
	})
}

// starts starts a process, which lists everything and follows from there.
func (w *world) starts() *process {
	w.processes++
	ctx, stop := context.WithCancel(w.ctx)
	p := &process{
		world: w, name: fmt.Sprint("scheduler ", w.processes), wake: make(chan struct{}, 1), stop: stop,
		ended: make(chan struct{}), seen: map[string]*Pod{}, nodes: map[string]Node{},
	}
	brain, err := w.maker(w.schedule, &Port{p, w.judge})
	if err != nil {
		panic(err)
	}
	p.brain = brain
	w.server.mu.Lock()
	w.server.watches = append(w.server.watches, p)
	p.breaks(w.server, 0)
	w.server.mu.Unlock()
	w.group.Go(func() { p.run(ctx) })
	return p
}

// ends ends a process, whatever it does.
func (w *world) ends(p *process) {
	w.server.mu.Lock()
	w.server.watches = slices.DeleteFunc(w.server.watches, func(x *process) bool { return x == p })
	w.server.mu.Unlock()
	p.stop()
	<-p.ended
}

// comes makes a pod, unless there is one of the name.
func (w *world) comes(p Pod) {
	w.judge.knows(&p)
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	if w.server.pods[p.Name] == nil {
		w.server.put(p)
	}
}

// happens does what an event says.
func (w *world) happens(e *Event) {
	switch e.What {
	case PodComes:
		w.comes(e.Pod)
	case NodeComes:
		w.server.putNode(e.Node)
	case NodeGoes:
		w.server.removeNode(e.Node.Name)
	case Restart:
		w.ends(w.leader)
		w.leads(w.starts(), w.standby)
	case Lead:
		if was := w.leader; w.standby != nil {
			w.leads(w.standby, was)
			w.after(e.Delay, func() { w.notices(was) })
		}
	default:
		w.disturbs(e)
	}
}

// leads makes a process lead, beside another that stands by.
func (w *world) leads(leader, standby *process) {
	w.server.mu.Lock()
	w.leader, w.standby = leader, standby
	w.server.mu.Unlock()
	leader.lead(true)
}

// notices has a process that led find out whether it still does.
func (w *world) notices(p *process) {
	w.server.mu.Lock()
	still := p == w.leader
	w.server.mu.Unlock()
	p.lead(still)
}

// disturbs does what an event says about calls and watches.
func (w *world) disturbs(e *Event) {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	switch e.What {
	case PodDeleted:
		if p := w.server.pods[e.Pod.Name]; p != nil {
			w.server.leave(*p)
		}
	case Fault:
		w.faults = append(w.faults, *e)
	case PodsLag:
		w.podsLag = e.Delay
	case NodesLag:
		w.nodesLag = e.Delay
	}
	for _, p := range w.server.watches {
		switch e.What {
		case Again:
			p.again(e.Pod.Name)
		case WatchBreaks:
			p.breaks(w.server, time.Second)
		}
	}
}
