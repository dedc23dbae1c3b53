package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/resource"
)

// Collector makes a [Report] from the events of one run. Only one goroutine may use it at a time.
//
// The time for an event is linear in the numbers of resources, tenants and priorities and, if fragmentation
// is measured, in the mix. Memory is linear in the pods, and in the points of the series for each tenant and
// priority.
type Collector struct {
	config    Config
	resources []resource.Name
	// shortest is Config.Shortest in seconds.
	shortest float64
	timeline *timeline
	// at is the time of the last event.
	at time.Duration

	all        *account
	byPriority map[int32]*account
	byTenant   map[string]*account
	priorities *balance
	tenants    *balance

	jobs  map[string]*job // the unfinished jobs by lineage
	lives map[outrank.Key]*life

	// nodes has what each node offers, has is the sum over all nodes, and offer its integral.
	nodes map[string][]float64
	has   []float64
	offer []*line

	fragments *fragmentMeter // nil if fragmentation is not measured
	// unused and unusable are the integrals of the free amount and of the fragments.
	unused, unusable *line
	// stale is set if something has changed since the shares were computed.
	stale bool
}

// job is a pod with all its successors.
type job struct {
	// came is the time of arrival of the first pod.
	came time.Duration
}

// life is one pod of a job.
type life struct {
	job *job
	// accounts are the accounts in which the pod counts: of all pods, of its priority, and of its tenant.
	accounts [3]*account
	demand   []float64
	obj      *outrank.Pod
	// node is the pod's node; it is empty while the pod waits.
	node string
	// begun is set once the pod runs, and started is the time at which it started.
	begun   bool
	started time.Duration
	// cause is why the pod leaves before it has finished.
	cause sim.Cause
}

// New returns a collector for a run of a cluster, which must be the one given to [sim.New]. The run's
// [sim.Config].Follow must be, or must call, its [Collector.Event]. New does not change what it is given.
// Errors are those of [Config.Validate].
func New(cluster *outrank.Cluster, config Config) (*Collector, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if cluster == nil {
		cluster = &outrank.Cluster{}
	}

	t := newTimeline(cmp.Or(config.Points, DefaultPoints) / 2 * 2) // even, because stretches are joined in pairs
	shortest := cmp.Or(config.Shortest, DefaultShortest)
	c := &Collector{
		config: config, resources: slices.Clone(config.Resources), timeline: t, shortest: shortest.Seconds(),
		byPriority: map[int32]*account{}, byTenant: map[string]*account{}, priorities: newBalance(t), tenants: newBalance(t),
		jobs: map[string]*job{}, lives: map[outrank.Key]*life{}, nodes: map[string][]float64{},
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
		c.fragments = newFragments(config.Fragmentation)
		c.unused, c.unusable = t.line(), t.line()
	}
	c.begin(cluster)
	return c, nil
}

// begin adds the nodes and pods of the initial cluster.
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
			l.cause = sim.DeletedFromOutside // it was deleted before the run
		}
	}
}

// offered returns cpu, memory and every other resource that a node offers except slots for pods, by name.
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

// row returns the amounts of a list in the units of [resource.Amount]. They are whole numbers, so sums are
// exact.
func (c *Collector) row(l resource.List) []float64 {
	row := make([]float64, len(c.resources))
	for i, name := range c.resources {
		row[i] = float64(l.Amount(name))
	}
	return row
}

// Event processes an event. It must be called with the events of a run in order. Refused attempts, and events
// that concern neither a pod's life nor a node, may be left out.
func (c *Collector) Event(e sim.Event) {
	c.advance(e.Time)
	switch {
	case e.Pod != nil:
		c.podEvent(e)
	case e.Kind == sim.Changed && e.Node != "":
		c.setNode(e.Node, e.Object)
	}
}

// podEvent processes an event of a pod's life.
func (c *Collector) podEvent(e sim.Event) {
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
		l.cause = e.Cause
		if l.node == "" {
			c.end(l) // a pod on a node still has its grace period
		}

	case sim.Left:
		c.leave(l, e)
	case sim.Ended:
		c.finish(l, e)
	case sim.Rejected:
		c.end(l)
	}
}

// advance adds the present state to the lines, up to a time.
func (c *Collector) advance(to time.Duration) {
	if to <= c.at {
		return
	}

	// Shares are computed only when time passes, so that all changes of one time count together.
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

// renew computes the shares again, if something has changed.
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

// setNode adds a node, or replaces the one with this name; nil removes it.
func (c *Collector) setNode(name string, n *outrank.Node) {
	c.stale = true
	offers := make([]float64, len(c.resources))
	if n != nil {
		offers = c.row(n.Allocatable)
	}

	before := c.nodes[name]
	for i, v := range offers {
		c.has[i] += v
		if before != nil {
			c.has[i] -= before[i]
		}
	}
	c.nodes[name] = offers
	if n == nil {
		delete(c.nodes, name)
	}

	if c.fragments != nil {
		c.fragments.set(name, n)
	}
}

// arrive adds a pod that has arrived.
func (c *Collector) arrive(p *outrank.Pod, lineage string) *life {
	j := c.jobs[lineage]
	first := j == nil
	if first {
		j = &job{came: c.at}
		c.jobs[lineage] = j
	}

	// Only the first pod of a job counts as an arrival.
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

// each changes the accounts of a pod. It first adds their present state to the lines, because the change
// applies from now on.
func (c *Collector) each(l *life, change func(*account)) {
	c.stale = true
	for _, a := range l.accounts {
		a.advance(c.at)
		change(a)
	}
}

// accountsOf returns the three accounts of a pod. It makes those of a new priority or tenant.
func (c *Collector) accountsOf(p *outrank.Pod) [3]*account {
	value := p.PriorityValue()
	byPriority := c.byPriority[value]
	if byPriority == nil {
		byPriority = newAccount(strconv.Itoa(int(value)), c.timeline, len(c.resources))
		byPriority.priority = value
		byPriority.since = c.at
		c.byPriority[value] = byPriority
		c.priorities.add(byPriority)
	}

	tenant := c.tenantOf(p)
	byTenant := c.byTenant[tenant]
	if byTenant == nil {
		byTenant = newAccount(tenant, c.timeline, len(c.resources))
		byTenant.since = c.at
		c.byTenant[tenant] = byTenant
		c.tenants.add(byTenant)
	}
	return [3]*account{c.all, byPriority, byTenant}
}

// tenantOf returns the tenant of a pod.
func (c *Collector) tenantOf(p *outrank.Pod) string {
	if c.config.Tenant != nil {
		return c.config.Tenant(p)
	}
	return p.NamespaceName()
}

// board moves a waiting pod to a node.
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

// end removes a pod that waits or is on a node.
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

// evict counts an eviction.
func (c *Collector) evict(l *life, e sim.Event) {
	l.cause = e.Cause
	c.each(l, func(a *account) { a.evict(c.at, e.Cause) })
}

// leave removes a pod that leaves before it has finished.
func (c *Collector) leave(l *life, e sim.Event) {
	c.end(l)

	// A pod that is lost with its node was not evicted before, but counts as evicted.
	if l.cause == sim.NoCause && e.Cause.Lost() {
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

// finish removes a pod that has finished, and its job.
func (c *Collector) finish(l *life, e sim.Event) {
	c.end(l)
	delete(c.jobs, e.Lineage)

	// The flow covers the whole job, from the first pod on. The good work is only that of this pod, because
	// its predecessors lost theirs.
	flow := (c.at - l.job.came).Seconds()
	ran := (c.at - l.started).Seconds()
	slowdown := max(flow/max(ran, c.shortest), 1)
	c.each(l, func(a *account) {
		a.finish(c.at, flow, slowdown)
		spend(a.good, l.started, c.at, l.demand)
	})
}
