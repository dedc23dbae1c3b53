package metrics

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/resource"
)

// Collector makes a [Report] of the events of one run. It is for one goroutine at a time.
//
// Time for an event is that of the resources, of the tenants and priorities and, where fragmentation
// is measured, of the mix; memory is that of the pods, and of the points of the series for each tenant
// and priority.
type Collector struct {
	config    Config
	resources []resource.Name
	shortest  float64
	timeline  *timeline
	at        time.Duration

	all        *account
	byPriority map[int32]*account
	byTenant   map[string]*account
	priorities *balance
	tenants    *balance

	jobs  map[string]*job // by lineage
	lives map[outrank.Key]*life

	nodes map[string][]float64 // what they offer
	has   []float64            // the sum over all nodes
	offer []*line              // its integral

	fragments        *fragmentMeter // nil for none
	unused, unusable *line
	// stale is set where something has changed since shares were computed.
	stale bool
}

// job is a pod with all those that were made in its place.
type job struct{ came time.Duration }

// life is one pod.
type life struct {
	job      *job
	accounts [3]*account
	demand   []float64
	obj      *outrank.Pod
	// node is empty while it waits. begun is set once it runs, from started on.
	node    string
	begun   bool
	started time.Duration
	cause   sim.Cause
}

// New makes a collector for a run of a cluster, which [sim.New] is given, too. Its [Collector.Event]
// is to be the run's [sim.Config].Follow, or to be called by that. Nothing given is changed. Errors are
// those of [Config.Validate].
func New(cluster *outrank.Cluster, config Config) (*Collector, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if cluster == nil {
		cluster = &outrank.Cluster{}
	}
	points := config.Points
	if points == 0 {
		points = DefaultPoints
	}
	t := newTimeline(points / 2 * 2)
	c := &Collector{
		config: config, resources: slices.Clone(config.Resources), timeline: t, shortest: config.Shortest.Seconds(),
		byPriority: map[int32]*account{}, byTenant: map[string]*account{}, priorities: newBalance(t), tenants: newBalance(t),
		jobs: map[string]*job{}, lives: map[outrank.Key]*life{}, nodes: map[string][]float64{},
	}
	if c.shortest == 0 {
		c.shortest = DefaultShortest.Seconds()
	}
	if len(c.resources) == 0 {
		c.resources = offered(cluster.Nodes)
	}
	c.has = make([]float64, len(c.resources))
	for range c.resources {
		c.offer = append(c.offer, t.line())
	}
	c.all = newAccount("all", t, len(c.resources))
	if config.Fragmentation != nil {
		c.fragments, c.unused, c.unusable = newFragments(config.Fragmentation), t.line(), t.line()
	}
	c.begin(cluster)
	return c, nil
}

// begin enters the nodes and the pods that are there from the beginning.
func (c *Collector) begin(cluster *outrank.Cluster) {
	for _, n := range cluster.Nodes {
		c.setNode(n.Name, n)
	}
	for _, p := range cluster.Pods {
		if p.NodeName == "" || p.Finished() {
			continue
		}
		l := c.arrive(p, string(p.Key()))
		c.board(l, p.NodeName)
		l.begun = true
		if p.Terminating() {
			l.cause = sim.DeletedFromOutside // whoever deleted it did so before the run
		}
	}
}

// offered are cpu, memory and whatever else the nodes offer but slots for pods, by name.
func offered(nodes []*outrank.Node) []resource.Name {
	others := map[resource.Name]bool{}
	for _, n := range nodes {
		for name := range n.Allocatable {
			others[name] = true
		}
	}
	for _, name := range []resource.Name{resource.CPU, resource.Memory, resource.Pods} {
		delete(others, name)
	}
	return append([]resource.Name{resource.CPU, resource.Memory}, slices.Sorted(maps.Keys(others))...)
}

// row returns the amounts of a list, in the units of [resource.Amount]: whole numbers, so that sums
// are exact.
func (c *Collector) row(l resource.List) []float64 {
	row := make([]float64, len(c.resources))
	for i, name := range c.resources {
		row[i] = float64(l.Amount(name))
	}
	return row
}

// Event enters an event. Events come in the order in which a run tells them, all of them but Refused
// and those that say nothing of a pod's life or a node.
func (c *Collector) Event(e sim.Event) {
	c.advance(e.Time)
	if e.Pod == nil {
		if e.Kind == sim.Changed && e.Node != "" {
			c.setNode(e.Node, e.Object)
		}
		return
	}
	l := c.lives[e.Pod.Key()]
	if e.Kind == sim.Arrived {
		l = c.arrive(e.Pod, e.Lineage)
	}
	if l == nil {
		return
	}
	switch e.Kind {
	case sim.Arrived:
		if e.Node != "" {
			c.board(l, e.Node)
		}
	case sim.Bound:
		l.obj = e.Pod
		c.board(l, e.Node)
		if e.Pod.Phase == outrank.PhaseRunning {
			l.begun, l.started = true, e.Time
		}
	case sim.Started:
		l.begun, l.started = true, e.Time
	case sim.Evicted:
		c.evict(l, e)
	case sim.Deleted:
		if l.cause = e.Cause; l.node == "" {
			c.end(l)
		}
	case sim.Left:
		c.leave(l, e)
	case sim.Ended:
		c.finish(l, e)
	case sim.Rejected:
		c.end(l)
	}
}

// advance holds the present state up to a time. What changes at one time counts together.
func (c *Collector) advance(to time.Duration) {
	if to <= c.at {
		return
	}
	c.renew()
	for i, v := range c.has {
		c.offer[i].spread(c.at, to, v)
	}
	if c.fragments != nil {
		c.unused.spread(c.at, to, c.fragments.free)
		c.unusable.spread(c.at, to, c.fragments.lost)
	}
	c.priorities.advance(to)
	c.tenants.advance(to)
	c.at = to
}

// renew computes the shares anew, if something has changed.
func (c *Collector) renew() {
	if !c.stale {
		return
	}
	c.stale = false
	c.all.advance(c.at)
	c.all.share(c.has)
	for _, b := range []*balance{c.priorities, c.tenants} {
		for _, a := range b.groups {
			a.advance(c.at)
			a.share(c.has)
		}
		b.renew()
	}
}

// setNode puts a node there, or replaces it; nil takes the one of the name away.
func (c *Collector) setNode(name string, n *outrank.Node) {
	c.stale = true
	offers := make([]float64, len(c.resources))
	if n != nil {
		offers = c.row(n.Allocatable)
	}
	before := c.nodes[name]
	for i, v := range offers {
		if c.has[i] += v; before != nil {
			c.has[i] -= before[i]
		}
	}
	if c.nodes[name] = offers; n == nil {
		delete(c.nodes, name)
	}
	if c.fragments != nil {
		c.fragments.set(name, n)
	}
}

// arrive begins a life.
func (c *Collector) arrive(p *outrank.Pod, lineage string) *life {
	j := c.jobs[lineage]
	first := j == nil
	if first {
		j = &job{came: c.at}
		c.jobs[lineage] = j
	}
	l := &life{job: j, accounts: c.accountsOf(p), demand: c.row(p.RunningRequests(outrank.DefaultRelease)), obj: p}
	c.lives[p.Key()] = l
	c.each(l, func(a *account) {
		a.now.waiting++
		if first {
			a.arrived++
			a.arrivals.put(c.at, 1)
		}
	})
	return l
}

// each changes the groups of a pod, whose state so far is held until now.
func (c *Collector) each(l *life, change func(*account)) {
	c.stale = true
	for _, a := range l.accounts {
		a.advance(c.at)
		change(a)
	}
}

// accountsOf are the groups of a pod: all, its priority, its tenant.
func (c *Collector) accountsOf(p *outrank.Pod) [3]*account {
	value, tenant := p.PriorityValue(), ""
	if c.config.Tenant != nil {
		tenant = c.config.Tenant(p)
	} else {
		tenant = p.NamespaceName()
	}
	of := c.byPriority[value]
	if of == nil {
		of = newAccount(strconv.Itoa(int(value)), c.timeline, len(c.resources))
		of.priority, of.since = value, c.at
		c.byPriority[value] = of
		c.priorities.groups = append(c.priorities.groups, of)
	}
	owns := c.byTenant[tenant]
	if owns == nil {
		owns = newAccount(tenant, c.timeline, len(c.resources))
		owns.since = c.at
		c.byTenant[tenant] = owns
		c.tenants.groups = append(c.tenants.groups, owns)
	}
	return [3]*account{c.all, of, owns}
}

// board puts a pod on a node.
func (c *Collector) board(l *life, node string) {
	l.node = node
	c.each(l, func(a *account) {
		a.now.waiting--
		a.hold(l.demand, 1)
	})
	if c.fragments != nil {
		c.fragments.put(node, l.obj)
	}
}

// end ends a life.
func (c *Collector) end(l *life) {
	delete(c.lives, l.obj.Key())
	c.each(l, func(a *account) {
		if l.node == "" {
			a.now.waiting--
			return
		}
		a.hold(l.demand, -1)
	})
	if c.fragments != nil && l.node != "" {
		c.fragments.take(l.node, l.obj)
	}
}

func (c *Collector) evict(l *life, e sim.Event) {
	l.cause = e.Cause
	c.each(l, func(a *account) { a.evict(c.at, e.Cause) })
}

// leave ends a life before its end.
func (c *Collector) leave(l *life, e sim.Event) {
	c.end(l)
	if l.cause == sim.NoCause && e.Cause.Lost() { // gone at once
		c.evict(l, e)
	}
	if !l.begun {
		return
	}
	c.each(l, func(a *account) {
		if !e.Cause.Lost() {
			spend(a.cut, l.started, c.at, l.demand)
			return
		}
		a.lostSeconds += (c.at - l.started).Seconds()
		spend(a.lost, l.started, c.at, l.demand)
	})
}

// finish ends a life that has come to its end, and its job.
func (c *Collector) finish(l *life, e sim.Event) {
	c.end(l)
	delete(c.jobs, e.Lineage)
	flow, ran := (c.at - l.job.came).Seconds(), (c.at - l.started).Seconds()
	slowdown := max(flow/max(ran, c.shortest), 1)
	c.each(l, func(a *account) {
		a.finish(c.at, flow, slowdown)
		spend(a.good, l.started, c.at, l.demand)
	})
}
