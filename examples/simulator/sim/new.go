package sim

import (
	"cmp"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// New prepares a run from the initial cluster and the work to come.
//
// Pods of the cluster that have a node run there forever; those that are being deleted leave at their
// deletion time. Pending pods arrive at the beginning and never end. Finished pods, and pending pods that are
// being deleted, are ignored. Priorities and volumes are taken from the pods themselves; classes and claims
// of the cluster are ignored.
//
// New changes nothing that it is given, and nobody else may change it during the run. Errors are
// *[outrank.InputError] with everything that is wrong, or come from the cluster's own Validate. The rules are
// those of the cluster's Release, also for the queue unless its configuration names another.
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

	cluster, err := withOrder(cluster, &config)
	if err != nil {
		return nil, err
	}
	s := begin(cluster, config.filledIn())
	if err := s.assemble(cluster); err != nil {
		return nil, err
	}
	if err := s.admitAll(cluster.Pods, work); err != nil {
		return nil, err
	}
	return s, s.build(cluster)
}

// withOrder returns the cluster with a release that fits the configured order of execution. Plans depend on
// it, because they say which nominations are cleared (rule 14.2.6).
func withOrder(given *outrank.Cluster, config *Config) (*outrank.Cluster, error) {
	if config.Order == "" || config.variant() != 0 {
		return given, nil
	}

	release, err := given.Release.With(map[string]bool{"SchedulerAsyncPreemption": config.Order == execution.Asynchronous})
	if err != nil {
		return nil, err
	}
	made := *given
	made.Release = release
	return &made, nil
}

// begin makes the parts that depend only on the configuration and the nodes.
func begin(given *outrank.Cluster, config Config) *Simulation {
	s := &Simulation{
		config: config, clock: &clock{start: config.Start}, agenda: &agenda{}, meter: newMeter(given.Nodes),
		lives:      &lives{pods: map[outrank.Key]*pod{}, byLineage: map[string]*lineage{}},
		tally:      &tally{},
		schedulers: &schedulers{byName: map[string]*schedulerState{}},
	}
	s.teller = &teller{clock: s.clock, fateOf: s.lives.fateOf, observe: config.Observe}
	if config.Follow != nil {
		s.teller.follow = append(s.teller.follow, config.Follow)
	}

	// States count from 1, because a pod that was never tried has the state 0.
	tries := &tries{state: 1}
	s.cluster = &cluster{
		release: given.Release, nominator: execution.Nominator{Release: given.Release},
		hosts: map[string]*host{}, byNode: map[*outrank.Node]*host{}, tries: tries, meter: s.meter,
	}
	s.line = &line{clock: s.clock, tries: tries, meter: s.meter}
	s.sharing = &sharing{
		on: !config.OneByOne && len(given.Groups) == 0, classes: map[likeness][]*podClass{},
		present: &present{clock: s.clock, tries: tries}, cluster: s.cluster, line: s.line, lives: s.lives,
	}

	if config.Kubelets != nil {
		s.table = &kubeletTable{period: config.Kubelets.Period, clock: s.clock, byHost: map[*host]*kubelet{}}
	}
	return s
}

// assemble makes the parts that may reject the input, and those that depend on them.
func (s *Simulation) assemble(given *outrank.Cluster) (err error) {
	if s.line.queue, err = newQueue(&s.config, given.Release); err != nil {
		return err
	}
	s.gangs = formGangs(&s.config, s.cluster, s.line.queue, given.Groups)
	if s.gangs != nil {
		if err := refuseTopologies(given); err != nil {
			return err
		}
	}
	if s.tally.history, err = history.New(s.config.History); err != nil {
		return err
	}

	// The order of the configuration is kept, because without SchedulerOf all pods have the first scheduler.
	s.connect()
	for i := range s.config.Schedulers {
		if err := s.schedulers.add(&s.config.Schedulers[i]); err != nil {
			return err
		}
	}

	// The first snapshot has only the nodes, so that pods can be admitted to them. build replaces it, and
	// takes over the order of its nodes.
	if s.cluster.snap, err = engine.NewSnapshot(&outrank.Cluster{Release: given.Release, Nodes: given.Nodes}); err != nil {
		return err
	}
	for _, n := range given.Nodes {
		s.cluster.addHost(n)
		s.fleet.known[n.Name] = true
	}
	s.cluster.budgets, err = newBudgets(given.Budgets, s.config.Scale)
	return err
}

// newQueue makes the configured queue. Its release is the one of the cluster, unless it has its own.
func newQueue(config *Config, release outrank.Release) (*queue.Queue, error) {
	if config.Discipline != PriorityQueue {
		return queue.NewFIFO(), nil
	}
	settings := config.Queue
	settings.Release = cmp.Or(settings.Release, release)
	settings.Variant = config.variant()
	return queue.New(settings)
}

// connect makes the parts that act on pods, each with references to the parts that it uses. Parts that others
// use come first.
func (s *Simulation) connect() {
	config := &s.config
	s.controllers = &controllers{
		config: config, recreation: config.Recreate, kubelets: config.Kubelets,
		clock: s.clock, agenda: s.agenda, teller: s.teller, schedulers: s.schedulers,
		lives: s.lives, columns: s.meter.columns, sharing: s.sharing, gangs: s.gangs, progress: &s.tally.progress,
	}

	s.stays = &stays{
		config: config, clock: s.clock, agenda: s.agenda, schedulers: s.schedulers, cluster: s.cluster, line: s.line, kubelets: s.table,
	}

	s.fleet = &fleet{teller: s.teller, cluster: s.cluster, line: s.line, known: map[string]bool{}}
	if s.table != nil {
		s.kubelets = &kubeletWork{
			rules: config.Kubelets, table: s.table, clock: s.clock, agenda: s.agenda, teller: s.teller, lives: s.lives, cluster: s.cluster,
			fleet: s.fleet, tally: s.tally, controllers: s.controllers, stays: s.stays,
		}
	}

	s.life = &life{
		clock: s.clock, teller: s.teller, lives: s.lives, cluster: s.cluster, line: s.line, gangs: s.gangs,
		tally: s.tally, controllers: s.controllers, stays: s.stays, kubelets: s.kubelets,
	}
	s.actions = &actions{
		config: config, clock: s.clock, teller: s.teller, lives: s.lives, cluster: s.cluster, line: s.line, gangs: s.gangs,
		controllers: s.controllers, stays: s.stays, life: s.life,
	}
	s.scheduling = &scheduling{
		config: config, gates: len(config.Queue.Gates) > 0, dice: newDice(config.Seed),
		clock: s.clock, lives: s.lives, cluster: s.cluster, tries: s.cluster.tries, line: s.line, sharing: s.sharing, gangs: s.gangs,
		tally: s.tally, actions: s.actions,
	}
}

// build makes the snapshot with all initial pods, and the parts that need it. It takes the time of indexing
// the cluster.
func (s *Simulation) build(given *outrank.Cluster) error {
	// The initial pods count as shown, but no snapshot has them yet. This one has them all; from now on it is
	// changed in place.
	c := s.present(given)
	snap, err := engine.NewSnapshot(c)
	if err != nil {
		return err
	}
	s.cluster.snap = snap
	s.sharing.show(snap)

	// The auditor starts once the initial pods have their phases, and receives all later events.
	if s.config.Audit || auditing {
		s.auditor = s.newAuditor()
		s.teller.follow = append(s.teller.follow, s.auditor.event)
	}
	for _, x := range s.schedulers.inOrder {
		if x.loop, err = s.scheduling.loopOf(x); err != nil {
			return err
		}
	}

	// The initial pods may already put their nodes under pressure.
	if s.kubelets != nil {
		for _, n := range c.Nodes {
			s.kubelets.watchUse(s.table.of(s.cluster.hosts[n.Name]))
		}
	}
	return nil
}

// present returns the present cluster: the nodes in the order of the snapshot, and the pods that count as
// shown.
func (s *Simulation) present(given *outrank.Cluster) *outrank.Cluster {
	c := &outrank.Cluster{Release: given.Release, Namespaces: given.Namespaces, Groups: given.Groups, Budgets: s.cluster.allowances()}
	for n := range s.cluster.nodes() {
		c.Nodes = append(c.Nodes, s.cluster.hosts[n.Name].node)
	}
	for _, l := range s.lives.lineages {
		for _, p := range l.lives {
			if p.shown != nil {
				c.Pods = append(c.Pods, p.shown)
			}
		}
	}
	return c
}

// admitAll admits the initial pods and the work to come.
func (s *Simulation) admitAll(there []*outrank.Pod, work []Work) error {
	var ps problems
	for _, obj := range there {
		// A pod that has ended takes no room, and nothing more can happen to it.
		if obj.Finished() || obj.Terminating() && obj.NodeName == "" {
			continue
		}

		// Nobody knows when an initial pod ends. A pending one arrives at the beginning, like work.
		w := &Work{Pod: obj, Endless: true}
		if p := s.controllers.admit(w, &ps); p != nil && obj.NodeName != "" {
			s.settle(p, &ps)
		} else if p != nil {
			s.controllers.expect(p)
		}
	}

	for i := range work {
		w := &work[i]
		if w.check(&ps, s.config.Kubelets != nil); w.Pod == nil {
			continue
		}
		if p := s.controllers.admit(w, &ps); p != nil {
			s.controllers.expect(p)
		}
	}
	return ps.err()
}

// settle puts an initial pod on its node.
func (s *Simulation) settle(p *pod, ps *problems) {
	h := s.cluster.hosts[p.obj.NodeName]
	if h == nil {
		ps.add("pod "+string(p.obj.Key()), "NodeName", "there is no node %s", p.obj.NodeName)
		return
	}

	// The pod counts as shown although no snapshot has it yet: build makes one with all pods that count as
	// shown.
	p.phase, p.host = Running, h
	p.shown = p.obj
	p.ends = horizon
	p.there, p.started = true, true
	p.lineage.arrived, p.lineage.placed = true, true

	s.tally.arrived(p)
	s.cluster.take(p, 1)
	if s.table != nil {
		s.table.use(p, 1)
	}
	s.cluster.coverByBudgets(p)

	if obj := p.obj; obj.Terminating() {
		p.phase = Terminating
		p.until = max(0, obj.DeletionTimestamp.Sub(s.config.Start))
		s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
	}
}
