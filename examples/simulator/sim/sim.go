package sim

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/history"
	"github.com/outrank-go/outrank/priority/queue"
	"github.com/outrank-go/outrank/resource"
)

// Simulation is a run under way. It is for one goroutine at a time.
type Simulation struct {
	config     Config
	schedulers map[string]*schedulerState
	inOrder    []*schedulerState // as in the configuration

	at time.Duration
	// busy is until when the scheduler works on the last pod.
	busy   time.Duration
	agenda agenda
	steps  int
	// atOnce counts the attempts since time passed or something else happened.
	atOnce int

	queue     *queue.Queue
	snap      *preemption.Snapshot
	release   outrank.Release
	nominator execution.Nominator
	metrics   execution.Metrics
	history   *history.Log
	budgets   *budgets
	actions   *actions
	dice      *rand.Rand // nil where ties go to the first

	pods map[outrank.Key]*pod // by key, also those that are over
	// lineages are in the order of the input, byLineage finds them by name.
	lineages  []*lineage
	byLineage map[string]*lineage
	uids      int
	hosts     map[string]*host
	byNode    map[*outrank.Node]*host
	namespace []*outrank.Namespace
	groups    []*outrank.PodGroup
	gangs     *gangs

	// state numbers the states of the cluster: it grows whenever something
	// changes that the outcome of an attempt may depend on. tried counts the
	// pods in the queue whose last attempt came to nothing in this state.
	state uint64
	tried int
	// latest is the number of the latest attempt, since that of the latest before
	// the present state. changes are what made the states.
	latest, since int64
	changes       changeLog
	// sharing says that pods which are alike share answers, related that some pod
	// of the run minds what other pods are near.
	sharing, related bool
	classes          map[likeness][]*alike
	// waiting counts the pods in the queue by priority, inQueue all of them,
	// relational those of them whose place may depend on other pods' labels.
	waiting    map[int32]int
	inQueue    int
	relational int

	columns        []resource.Name
	used, capacity []int64
	// unsampled says that something changed since the last sample.
	unsampled bool
	levels    []chart.Level
	evictions map[int32]int // since the last sample, by priority
	progress  progress
	lost      losses
	kubelets  kubeletCounts
}

// schedulerState is a [Scheduler] ready for use.
type schedulerState struct {
	name     string
	eval     *preemption.Evaluator
	executor *execution.Executor
	score    Score
	// shares says that pods that are alike get the same answer, refused counts the
	// attempts that were not made one by one.
	shares  bool
	refused uint64
}

// New prepares a run: the cluster as it is at the beginning, and the work to
// come. Pods of the cluster that have a node run there for ever; those that are
// being deleted go at their deletion time; pending ones arrive at the beginning,
// and never end; finished ones, and pending ones that are being deleted, are left
// out. Priorities and volumes stand as the pods have them: classes and claims of
// the cluster are not looked at. Nothing given is changed, and it must not be changed by others
// during the run. Errors are *[outrank.InputError] with all that is wrong, and
// those of the cluster's own Validate. The rules are those of the cluster's Release,
// in the queue unless its configuration has another.
func New(cluster *outrank.Cluster, work []Work, config Config) (*Simulation, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if cluster == nil {
		cluster = &outrank.Cluster{}
	}
	if err := cluster.Validate(); err != nil {
		return nil, err
	}
	if config.Kubelets != nil && len(cluster.Groups) > 0 {
		var ps problems
		ps.add("simulation config", "Kubelets", "kubelets and groups of pods do not go together")
		return nil, ps.err()
	}
	s := newSimulation(cluster, config.filledIn())
	if err := s.assemble(cluster); err != nil {
		return nil, err
	}
	if err := s.admitAll(cluster.Pods, work); err != nil {
		return nil, err
	}
	return s, s.build()
}

func newSimulation(cluster *outrank.Cluster, config Config) *Simulation {
	s := &Simulation{
		config: config, schedulers: map[string]*schedulerState{}, dice: newDice(config.Seed),
		pods: map[outrank.Key]*pod{}, byLineage: map[string]*lineage{},
		hosts: map[string]*host{}, byNode: map[*outrank.Node]*host{},
		namespace: cluster.Namespaces, groups: cluster.Groups,
		release: cluster.Release, nominator: execution.Nominator{Release: cluster.Release},
		metrics: execution.Metrics{Release: cluster.Release},
		state:   1, waiting: map[int32]int{}, evictions: map[int32]int{}, unsampled: true,
		columns: columnsOf(cluster.Nodes), classes: map[likeness][]*alike{},
		sharing: !config.OneByOne && len(cluster.Groups) == 0,
	}
	s.used, s.capacity = make([]int64, len(s.columns)), make([]int64, len(s.columns))
	s.actions = &actions{s}
	return s
}

// assemble makes the parts.
func (s *Simulation) assemble(cluster *outrank.Cluster) (err error) {
	s.queue = queue.NewFIFO()
	if s.config.Discipline == PriorityQueue {
		config := s.config.Queue
		config.Release, config.Variant = cmp.Or(config.Release, s.release), s.config.variant()
		q, err := queue.New(config)
		if err != nil {
			return err
		}
		s.queue = q
	}
	s.formGangs(cluster.Groups)
	if s.history, err = history.New(s.config.History); err != nil {
		return err
	}
	for i := range s.config.Schedulers {
		if err := s.addScheduler(&s.config.Schedulers[i]); err != nil {
			return err
		}
	}
	// Nodes first, so that the snapshot has their order.
	if s.snap, err = preemption.NewSnapshot(&outrank.Cluster{Release: s.release, Nodes: cluster.Nodes}); err != nil {
		return err
	}
	for _, n := range cluster.Nodes {
		s.addHost(n)
	}
	s.budgets, err = newBudgets(cluster.Budgets, s.config.Scale)
	return err
}

func (s *Simulation) addScheduler(c *Scheduler) error {
	eval, err := preemption.NewEvaluator(c.Preemption)
	if err != nil {
		return err
	}
	executor, err := execution.NewExecutor(execution.Config{
		Actions: s.actions, Release: s.release, Variant: c.Preemption.Variant, Order: s.config.Order, Parallel: 1, Scheduler: c.name(),
		Nominator: &s.nominator, Metrics: &s.metrics,
	})
	if err != nil {
		return err
	}
	added := &schedulerState{name: c.name(), eval: eval, executor: executor, score: c.Score, shares: sharesAnswers(c.Preemption)}
	if added.score == nil {
		added.score = LeastAllocated
	}
	s.schedulers[added.name] = added
	s.inOrder = append(s.inOrder, added)
	return nil
}

// build makes the snapshot of what there is at the start.
// Time is that of indexing the cluster.
func (s *Simulation) build() error {
	c := &outrank.Cluster{Release: s.release, Namespaces: s.namespace, Groups: s.groups, Budgets: s.budgets.current()}
	for n := range s.snap.Nodes() {
		c.Nodes = append(c.Nodes, s.hosts[n.Name].node)
	}
	for _, l := range s.lineages {
		for _, p := range l.lives {
			if p.shown != nil {
				c.Pods = append(c.Pods, p.shown)
			}
		}
	}
	snap, err := preemption.NewSnapshot(c)
	if err != nil {
		return err
	}
	s.snap = snap
	if err := s.attachFilters(); err != nil {
		return err
	}
	if s.config.Kubelets != nil {
		for _, n := range c.Nodes {
			s.watchUse(s.hosts[n.Name])
		}
	}
	return nil
}

// attachFilters has the snapshot keep what filters know of the cluster. Two schedulers
// may have different filters of one name, so that theirs are left alone.
func (s *Simulation) attachFilters() error {
	if len(s.config.Schedulers) > 1 {
		return nil
	}
	for _, f := range s.config.Schedulers[0].Preemption.Filters {
		if stateful, ok := f.(preemption.StatefulFilter); ok {
			if err := s.snap.Attach(stateful); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run goes on until nothing happens any more, the end of the configuration, or
// the end of the context, whose error comes with what was simulated until then.
// A pod that fits nowhere and pushes nobody out stays in the queue. Any other
// error is about something done from outside, a pod that a controller made, or
// one of the caller's rules.
func (s *Simulation) Run(ctx context.Context) (*Result, error) {
	err := s.Until(ctx, s.config.End)
	return s.Result(), err
}

// Until goes on up to a time, with all that happens then, or to the end of the
// configuration if that is earlier; the clock stands there afterwards. The error
// is that of [Simulation.Run].
func (s *Simulation) Until(ctx context.Context, t time.Duration) error {
	t = min(t, s.config.End)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		next, ok := s.Next()
		if !ok || next > t {
			if t < horizon {
				s.at = max(s.at, t)
			}
			return nil
		}
		if err := s.Step(); err != nil {
			return err
		}
	}
}

// Step does the next thing on the agenda, or one scheduling cycle if that comes
// before it, whenever that is. Cycles that come to nothing one after another, at
// the same time, may be done in one call. Without a next step it does nothing.
// After an error the run cannot go on.
func (s *Simulation) Step() error {
	at, ok := s.agenda.next()
	cycle, may := s.nextCycle()
	var err error
	switch {
	case may && (!ok || cycle < at):
		if err = s.passTo(cycle); err == nil {
			err = s.cycle(context.Background())
		}
	case ok:
		s.atOnce = 0
		s.at = at
		err = s.happen(s.agenda.pop())
	}
	s.steps++
	s.sample()
	if s.config.Progress != nil {
		s.config.Progress()
	}
	if err != nil {
		return fmt.Errorf("at %v: %w", s.at, err)
	}
	return nil
}

// passTo has the time come to a cycle. Where cycles take no time, pods can take nominations
// from one another without end while a victim is on the way out: that is an error, once
// there were more attempts than it takes for each pod to be tried after each success of
// another, many times over.
func (s *Simulation) passTo(cycle time.Duration) error {
	if cycle > s.at {
		s.atOnce = 0
	}
	s.at = cycle
	s.atOnce++
	if n := float64(s.inQueue); float64(s.atOnce) > 100_000+10*n*n {
		return fmt.Errorf("%d attempts in which no time passes: a cycle has to take some", s.atOnce)
	}
	return nil
}

// happen does what is on the agenda.
func (s *Simulation) happen(m *moment) error {
	switch m.kind {
	case arriveMoment:
		return s.arrive(m.pod)
	case endMoment:
		return s.end(m.pod)
	case goneMoment:
		if m.pod.phase == Terminating {
			return s.leave(m.pod)
		}
	case lookMoment:
		if h := m.host; !h.removed && h.lookAt == m.at {
			return s.look(h)
		}
	case changeMoment:
		if err := m.change.do(s); err != nil {
			return fmt.Errorf("%s: %w", m.change.what, err)
		}
	}
	return nil
}

// Now is the time since the beginning, Time the time itself.
func (s *Simulation) Now() time.Duration { return s.at }

// Time is the virtual time.
func (s *Simulation) Time() time.Time { return s.config.Start.Add(s.at) }
