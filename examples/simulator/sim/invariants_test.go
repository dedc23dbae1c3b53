package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

// watch runs step by step and checks everything after each. It recomputes as
// much as it can from the pods themselves, the slow way.
type watch struct {
	require.TestingT
	s      *Simulation
	events []Event
	seen   int // events looked at
	// toldToGo is the time at which each pod was told to go, by key.
	toldToGo map[outrank.Key]time.Duration
	evicted  int
	causes   map[Cause]int // of pods that left, and of evictions
	kubeletWatch
}

// watched prepares a run under watch; events go to the observer of the
// configuration, too.
func watched(t require.TestingT, cluster *outrank.Cluster, work []Work, config Config) *watch {
	w := &watch{TestingT: t, toldToGo: map[outrank.Key]time.Duration{}, causes: map[Cause]int{}}
	config.Observe = func(e Event) { w.events = append(w.events, e) }
	s, err := New(cluster, work, config)
	require.NoError(t, err)
	w.s = s
	w.check()
	return w
}

// run goes to the end, at most so many steps.
func (w *watch) run(steps int) {
	for range steps {
		next, ok := w.s.Next()
		if !ok || next > w.s.config.End {
			return
		}
		w.step(next)
	}
	require.Fail(w, "the run does not end", "%d steps, at %v", steps, w.s.clock.at)
}

func (w *watch) step(next time.Duration) {
	w.noteNodes()
	before, cycles := w.s.Pending(), w.s.tally.metrics.Values().ScheduleAttempts
	require.NoError(w, w.s.Step())
	require.Equal(w, next, w.s.clock.at, "Next tells when the next step is")
	if sum(cycles) != sum(w.s.tally.metrics.Values().ScheduleAttempts) && w.s.gangs == nil {
		w.first(before)
	}
	w.whole()
	w.check()
}

func sum(attempts map[metrics.Attempt]uint64) (n uint64) {
	for _, v := range attempts {
		n += v
	}
	return n
}

// check checks the rules at one moment.
func (w *watch) check() {
	w.places()
	w.capacity()
	w.kubelets()
	w.nominations()
	w.leaving()
	w.counters()
	w.allowances()
	w.rest()
	w.idle()
	for ; w.seen < len(w.events); w.seen++ {
		w.event(w.events[w.seen])
	}
}

// places: every pod is in exactly one place, and in its latest version.
func (w *watch) places() {
	queued := map[outrank.Key]*outrank.Pod{}
	p := w.s.Pending()
	require.Empty(w, p.InFlight, "no attempt is left open")
	require.Empty(w, p.Waiting, "no attempt with a group is left open")
	for _, e := range podsOf(p.Active, p.Backoff, p.Unschedulable, p.Gated, p.Incomplete) {
		require.Nil(w, queued[e.Pod.Key()], "%s is in the queue twice", e.Pod.Key())
		queued[e.Pod.Key()] = e.Pod
	}
	running := map[outrank.Key]*outrank.Pod{}
	for n := range w.s.cluster.snap.Nodes() {
		for _, p := range w.s.cluster.snap.PodsOn(n.Name) {
			require.Nil(w, running[p.Key()], "%s is on two nodes", p.Key())
			require.Equal(w, n.Name, p.NodeName)
			running[p.Key()] = p
		}
	}
	for _, l := range w.s.lives.lineages {
		w.lineage(l)
		for _, p := range l.lives {
			key := p.obj.Key()
			if p.phase == Queued {
				require.Same(w, p.obj, queued[key], "%s waits", key)
				delete(queued, key)
			}
			if p.onNode() {
				require.Same(w, p.obj, running[key], "%s has a node", key)
				delete(running, key)
			}
		}
	}
	require.Empty(w, queued, "waiting, but not known to")
	require.Empty(w, running, "on nodes, but not known to be")
}

// lineage: nothing is lost. Every pod that has come is there, is over for good,
// or left without a controller that makes it anew.
func (w *watch) lineage(l *lineage) {
	alive := 0
	for _, p := range l.lives {
		if p.phase != Gone && p.phase != Finished && (p.phase != Terminating || !p.evicted) {
			alive++
		}
	}
	require.LessOrEqual(w, alive, 1, "%s is there twice", l.name)
	now := l.current()
	switch {
	case now.phase != Gone:
	case w.s.config.Recreate.Rule == RecreateNever:
	case l.givenUp:
		require.Greater(w, l.failures, w.s.config.Kubelets.Retries, "%s was given up too early", l.name)
	case now.obj.Static: // its file is read once
	default:
		require.False(w, now.evicted, "%s was evicted, and nobody made it anew", l.name)
		require.False(w, now.lost, "%s was lost with its node, and nobody made it anew", l.name)
	}
}

// capacity: no node holds more than it offers. Where there are kubelets that is so for
// the pods that have started; a critical pod has its node before others have left it.
func (w *watch) capacity() {
	for n := range w.s.cluster.snap.Nodes() {
		pods := w.s.cluster.snap.PodsOn(n.Name)
		started := 0
		for _, p := range pods {
			started += one(w.s.lives.pods[p.Key()].started)
		}
		require.LessOrEqual(w, int64(started), n.Allocatable.Amount("pods"), "pods on %s", n.Name)
		require.True(w, started == len(pods) || w.s.config.Kubelets != nil)
		used := map[resource.Name]int64{}
		for _, p := range pods {
			if !w.s.lives.pods[p.Key()].started {
				continue
			}
			for name, q := range p.Requests() {
				used[name] += resource.Amount(name, q)
			}
		}
		for name, v := range used {
			require.LessOrEqual(w, v, n.Allocatable.Amount(name), "%s on %s", name, n.Name)
		}
	}
}

// nominations: the nominator, the pods and the snapshot say the same; bringing
// the snapshot in line changes nothing.
func (w *watch) nominations() {
	nominated := 0
	for _, l := range w.s.lives.lineages {
		for _, p := range l.lives {
			if node := w.s.cluster.nominator.NodeOf(p.obj.Key()); node != "" || p.phase == Queued {
				require.Equal(w, Queued, p.phase, "%s is nominated", p.obj.Key())
				require.Equal(w, node, p.obj.NominatedNodeName)
				require.Equal(w, node, w.s.cluster.snap.NominationOf(p.obj.Key()))
				nominated += one(node != "")
			}
		}
	}
	require.Equal(w, nominated, w.s.cluster.nominator.Len())
	aligned := w.s.cluster.snap.Clone()
	require.NoError(w, w.s.cluster.nominator.ApplyTo(aligned))
	for n := range w.s.cluster.snap.Nodes() {
		require.Equal(w, aligned.NominatedTo(n.Name), w.s.cluster.snap.NominatedTo(n.Name))
	}
}

// leaving: a pod that is told to go says so, and is gone by the end of its time.
func (w *watch) leaving() {
	for _, l := range w.s.lives.lineages {
		for _, p := range l.lives {
			if p.phase != Terminating {
				require.Equal(w, p.phase == Finished || p.phase == Gone, p.obj.Terminating() || p.phase == Finished || p.phase == Gone)
				continue
			}
			require.GreaterOrEqual(w, p.until, w.s.clock.at, "%s should be gone", p.obj.Key())
			require.Equal(w, w.s.config.Start.Add(p.until), p.obj.DeletionTimestamp)
			told := p.evicted && p.cause == Preempted && w.s.config.variant() == 0 // the other causes are silent
			require.Equal(w, told, p.obj.DisruptionReason == outrank.PreemptionByScheduler)
			require.Equal(w, p.cause.byKubelet(), p.obj.DisruptionReason == outrank.TerminationByKubelet)
		}
	}
}

// counters: the running counts equal those of counting now.
func (w *watch) counters() {
	used := make([]int64, len(w.s.meter.columns))
	waiting, queued, tried, relational := map[int32]int{}, 0, 0, 0
	for _, l := range w.s.lives.lineages {
		for _, p := range l.lives {
			if p.onNode() {
				addTo(used, w.s.meter.columns.row(p.obj.Requests()), 1)
			}
			if p.phase == Queued {
				queued++
				waiting[p.obj.PriorityValue()]++
				tried += one(p.tried == w.s.cluster.tries.state)
				a := p.obj.Affinity
				relational += one(len(a.PodAffinity)+len(a.PodAntiAffinity)+len(p.obj.TopologySpreadConstraints) > 0)
			}
		}
	}
	require.Equal(w, used, w.s.meter.used)
	require.Equal(w, queued, w.s.line.inQueue)
	require.Equal(w, tried, w.s.cluster.tries.tried)
	require.Equal(w, relational, w.s.line.relational)
	for value, n := range w.s.meter.waiting {
		require.Equal(w, waiting[value], n)
	}
	for _, h := range w.s.cluster.hosts {
		require.Equal(w, w.s.cluster.snap.Used(h.node.Name, "cpu"), h.used[cpuColumn])
		require.Equal(w, w.s.cluster.snap.Used(h.node.Name, "memory"), h.used[memoryColumn])
	}
}

// allowances: where budgets are up to date, a controller that looks at all pods
// has the same result.
func (w *watch) allowances() {
	if w.s.cluster.budgets.any {
		return
	}
	in := pdb.StatusInput{Now: w.s.Time()}
	for _, l := range w.s.lives.lineages {
		for _, p := range l.lives {
			if p.phase == Queued || p.onNode() {
				in.Pods = append(in.Pods, p.obj)
			}
		}
	}
	for i, b := range slices.Collect(w.s.cluster.snap.Budgets()) {
		require.Same(w, b, w.s.cluster.budgets.list[i])
		if b.MinAvailable == nil && b.MaxUnavailable == nil {
			continue
		}
		in.Budget = b
		status, err := pdb.StatusOf(in)
		require.NoError(w, err)
		require.Equal(w, status.Allowed, b.DisruptionsAllowed, "%s at %v", b.Key(), w.s.clock.at)
	}
}

// rest: the scheduler rests only where it could neither place nor evict any pod.
func (w *watch) rest() {
	if !w.s.scheduling.allTried() {
		return
	}
	w.s.cluster.syncBudgets(w.s.Time())
	for _, l := range w.s.lives.lineages {
		for _, p := range l.lives {
			if p.phase != Queued || p.obj.Gated() || w.s.gangs.of(p.obj) != nil {
				continue
			}
			plan, err := p.scheduler.eval.Preempt(context.Background(), w.s.cluster.snap, preemption.Request{Pod: p.obj, Now: w.s.Time()})
			if err != nil {
				continue // a rule of the caller's that gives no answers
			}
			require.NotEqual(w, preemption.Fits, plan.Outcome, "%s waits at %v", p.obj.Key(), w.s.clock.at)
			for _, v := range plan.Victims {
				require.True(w, v.Pod.Terminating(), "%s would push out %s", p.obj.Key(), v.Pod.Key())
			}
		}
	}
}

// whole: a gang has enough pods on nodes after it was placed, and none runs on
// where one was told to go and its mode is all.
func (w *watch) whole() {
	if w.s.gangs == nil {
		return
	}
	for _, e := range w.events[w.seen:] {
		if e.Pod == nil {
			continue
		}
		g := w.s.gangs.of(e.Pod)
		if g == nil || e.Kind != Bound && e.Kind != Evicted || e.Cause == Drained {
			continue
		}
		running, there := 0, 0
		for _, l := range g.members {
			running += one(l.current().phase == Running)
			there += one(l.current().onNode())
		}
		if e.Kind == Bound && g.group.Policy == outrank.GangPolicy {
			require.GreaterOrEqual(w, int32(there), g.group.MinCount, "%s was placed in part at %v", g.group.Key(), e.Time)
		}
		if e.Kind == Evicted && g.group.DisruptionMode == outrank.DisruptPodGroup {
			require.Zero(w, running, "%s was pushed out in part at %v", g.group.Key(), e.Time)
		}
	}
}

// idle: no gang waits that could be placed, or that could push anybody out.
func (w *watch) idle() {
	if w.s.gangs == nil || !w.s.scheduling.allTried() {
		return
	}
	w.s.cluster.syncBudgets(w.s.Time())
	pending := w.s.Pending()
	for _, e := range slices.Concat(pending.Active, pending.Backoff) {
		if e.Group == nil {
			continue
		}
		var pods []*outrank.Pod
		for _, m := range e.Group.Members {
			pods = append(pods, m.Pod)
		}
		x := w.s.lives.pods[pods[0].Key()].scheduler
		plan, err := x.eval.PreemptGroup(context.Background(), w.s.cluster.snap, preemption.GroupRequest{Pods: pods, Now: w.s.Time(), Place: w.s.scheduling.placing(x, pods)})
		require.NoError(w, err)
		require.NotEqual(w, preemption.Fits, plan.Outcome, "%s waits at %v", e.Group.Key(), w.s.clock.at)
		for _, v := range plan.Victims {
			require.True(w, v.Pod.Terminating(), "%s would push out %s", e.Group.Key(), v)
		}
	}
}

// first: the pod that was tried was the first of those ready.
func (w *watch) first(before queue.Parts[[]queue.Entry]) {
	var tried *outrank.Pod
	for _, e := range w.events[w.seen:] {
		if e.Kind == Bound || e.Kind == Refused {
			tried = e.Pod
		}
	}
	require.NotNil(w, tried, "an attempt tells how it ended")
	ready := before.Active
	early := !w.s.config.Queue.NoEarlyPop
	for _, e := range before.Backoff {
		over := e.BackoffEnd
		if early {
			over = over.Add(time.Second)
		}
		if !over.After(w.s.Time()) {
			ready = append(ready, e)
		}
	}
	if early && len(ready) == 0 && w.earliest(before.Backoff, tried) {
		return
	}
	i := slices.IndexFunc(ready, func(e queue.Entry) bool { return e.Pod.Key() == tried.Key() })
	if i < 0 { // its time in the unschedulable pool was up
		i = slices.IndexFunc(before.Unschedulable, func(e queue.Entry) bool { return e.Pod.Key() == tried.Key() })
		require.GreaterOrEqual(w, i, 0, "%s was ready", tried.Key())
		timeout := 5 * time.Minute
		if w.s.config.variant() == outrank.VariantV1_13 {
			timeout = time.Minute
		}
		require.GreaterOrEqual(w, w.s.Time().Sub(before.Unschedulable[i].Enqueued), timeout)
	}
	if w.s.config.Discipline == FIFOQueue {
		require.Zero(w, i, "%s came first", ready[0].Pod.Key())
		return
	}
	for _, e := range ready {
		require.LessOrEqual(w, e.Pod.PriorityValue(), tried.PriorityValue(), "%s was ready when %s was tried", e.Pod.Key(), tried.Key())
	}
}

// earliest: a pod that was tried before its backoff was over is the first in
// backoff, those left aside that failed with an error.
func (w *watch) earliest(inBackoff []queue.Entry, tried *outrank.Pod) bool {
	i := slices.IndexFunc(inBackoff, func(e queue.Entry) bool { return len(e.FailedFilters) > 0 })
	return i >= 0 && inBackoff[i].Pod.Key() == tried.Key()
}

// event checks an event against the rules.
func (w *watch) event(e Event) {
	if w.seen > 0 {
		require.GreaterOrEqual(w, e.Time, w.events[w.seen-1].Time)
	}
	switch e.Kind {
	case Evicted:
		w.evicted++
		w.causes[e.Cause]++
		w.toldToGo[e.Pod.Key()] = e.Time
		require.Equal(w, w.s.lives.pods[e.Pod.Key()].cause, e.Cause)
		if e.Cause == Drained {
			return
		}
		if e.Cause.byKubelet() {
			w.byKubelet(e)
			return
		}
		variant := w.s.config.variant()
		if variant != outrank.VariantSimplified || e.Pod.Priority != nil {
			require.Less(w, e.Pod.PriorityValue(), e.Related.PriorityValue(), "%s pushed out %s", e.Related.Key(), e.Pod.Key())
		}
		if variant != outrank.VariantV1_13 {
			require.NotEqual(w, outrank.PreemptNever, e.Related.PreemptionPolicy, "%s", e.Related.Key())
		}
	case Deleted:
		w.toldToGo[e.Pod.Key()] = e.Time
	case Left, Ended:
		w.causes[e.Cause] += one(e.Cause == NodeLost)
		w.onTime(e)
	case Bound:
		require.False(w, e.Pod.Gated(), "%s was held back", e.Pod.Key())
		w.welcome(e)
	}
}

// onTime: no pod stays longer than its time.
func (w *watch) onTime(e Event) {
	told, ok := w.toldToGo[e.Pod.Key()]
	if !ok {
		return
	}
	p := w.s.lives.pods[e.Pod.Key()]
	grace := w.s.config.grace()
	if p.work.Grace != nil {
		grace = *p.work.Grace
	}
	for _, x := range w.s.config.Schedulers {
		if x.Preemption.Variant == outrank.VariantSimplified && p.cause == Preempted {
			grace = 0
		}
	}
	if p.cause == UnderMemory || p.cause == UnderDisk {
		grace = pressureGrace
	}
	require.LessOrEqual(w, e.Time, told+grace, "%s", e.Pod.Key())
}

// welcome: no pod runs on a node that does not want it.
func (w *watch) welcome(e Event) {
	n, ok := w.s.cluster.snap.Node(e.Node)
	require.True(w, ok)
	taints := n.Taints
	if n.Unschedulable {
		taints = append(slices.Clone(taints), outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule})
	}
	for _, taint := range taints {
		require.True(w, taint.Effect == outrank.PreferNoSchedule || e.Pod.Tolerates(taint), "%s on %s", e.Pod.Key(), n.Name)
	}
	for k, v := range e.Pod.NodeSelector {
		require.Equal(w, v, n.Labels[k], "%s on %s", e.Pod.Key(), n.Name)
	}
	w.apart(e)
}

// apart: required anti-affinity on one node holds, both ways.
func (w *watch) apart(e Event) {
	for _, other := range w.s.cluster.snap.PodsOn(e.Node) {
		if other.Key() == e.Pod.Key() {
			continue
		}
		for _, pair := range [][2]*outrank.Pod{{e.Pod, other}, {other, e.Pod}} {
			for _, term := range pair[0].Affinity.PodAntiAffinity {
				require.False(w, term.TopologyKey == "host" && term.LabelSelector.Matches(pair[1].Labels),
					"%s and %s", pair[0].Key(), pair[1].Key())
			}
		}
	}
}

// log writes the events down.
func (w *watch) log() string {
	var b strings.Builder
	for _, e := range w.events {
		key := "-"
		if e.Pod != nil {
			key = string(e.Pod.Key())
		}
		fmt.Fprintln(&b, e.Time, e.Kind, key, e.Node, e.Text)
	}
	return b.String()
}
