package preemption

import (
	"maps"
	"sync"

	"github.com/outrank-go/outrank"
)

// Tally counts running pods, each in one domain of nodes: licences by rack, shares of a GPU by node. It
// makes filters that follow the count through an attempt. Package preemption counts all pods for each attempt,
// the engine only those that have changed. S is a plain value: assigning it copies it. A Tally must not be
// changed or copied once it is used.
type Tally[S any] struct {
	// Domain names the domain in which a pod on a node counts. If it is empty, the pod does not count. Nil
	// makes each node a domain.
	Domain func(pod *outrank.Pod, node *outrank.Node) string
	// Concerns reports whether a pod counts, and is asked about by a filter. Nil means all pods.
	Concerns func(pod *outrank.Pod) bool
	// Change returns the count after a pod has come (by is 1) or gone (by is -1). The order in
	// which pods come and go must not matter.
	Change func(count S, pod *outrank.Pod, by int) S

	once    sync.Once
	tracker Tracker // a View keeps the counts under its address
}

// Filter returns a filter that asks check about each pod that the tally concerns. It passes the count of the
// domain that the pod would be in on the node; without a domain this is the zero S. Without a check or a
// Change the result is a filter that Config.Validate refuses.
func (t *Tally[S]) Filter(name string, check func(count S, pod *outrank.Pod, node *outrank.Node) Status) *Filter {
	if t == nil || t.Change == nil || check == nil {
		return &Filter{Name: name}
	}

	start := func(pod *outrank.Pod, view View) (FilterState, error) {
		if t.Concerns != nil && !t.Concerns(pod) {
			return nil, nil
		}
		return &tallied[S]{tally: t, cluster: t.in(view), pod: pod, check: check}, nil
	}
	return &Filter{Name: name, Concerns: t.Concerns, Start: start}
}

// Count returns the count of a domain in a cluster. It is the zero S for a domain without pods, and
// without a Change.
func (t *Tally[S]) Count(view View, domain string) (count S) {
	if t == nil || t.Change == nil || view == nil {
		return count
	}
	return t.in(view).counts[domain]
}

// in returns the counts of a cluster. All calls use one tracker, so that the engine keeps one set of counts.
func (t *Tally[S]) in(view View) *tallies[S] {
	t.once.Do(func() {
		t.tracker = Tracker{
			Concerns: t.Concerns,
			New:      func() ClusterState { return &tallies[S]{tally: t, counts: map[string]S{}} },
		}
	})
	return view.Tracked(&t.tracker).(*tallies[S])
}

// domainOf returns the domain of a pod on a node: by Domain, or the node by itself.
func (t *Tally[S]) domainOf(pod *outrank.Pod, node *outrank.Node) string {
	if t.Domain == nil {
		return node.Name
	}
	return t.Domain(pod, node)
}

// tallies are the counts of the running pods of a cluster, as the state of a [Tracker].
type tallies[S any] struct {
	tally  *Tally[S]
	counts map[string]S // by domain
}

// Add implements [Follower].
func (c *tallies[S]) Add(pod *outrank.Pod, node *outrank.Node) { c.change(pod, node, 1) }

// Remove implements [Follower].
func (c *tallies[S]) Remove(pod *outrank.Pod, node *outrank.Node) { c.change(pod, node, -1) }

func (c *tallies[S]) change(pod *outrank.Pod, node *outrank.Node, by int) {
	if domain := c.tally.domainOf(pod, node); domain != "" {
		c.counts[domain] = c.tally.Change(c.counts[domain], pod, by)
	}
}

// Clone implements [ClusterState].
func (c *tallies[S]) Clone() ClusterState { return &tallies[S]{c.tally, maps.Clone(c.counts)} }

// tallied is the state of a tally's filter in an attempt to place a pod.
type tallied[S any] struct {
	tally *Tally[S]
	// cluster has the counts as the attempt began. It is shared and only read.
	cluster *tallies[S]
	// changed has the counts of the domains in which pods came or went since then; nil for none.
	changed map[string]S
	pod     *outrank.Pod
	check   func(count S, pod *outrank.Pod, node *outrank.Node) Status
}

// Check implements [FilterState].
func (a *tallied[S]) Check(node *outrank.Node) Status {
	return a.check(a.count(a.tally.domainOf(a.pod, node)), a.pod, node)
}

// count returns the present count of a domain in the attempt. The empty domain has the zero count.
func (a *tallied[S]) count(domain string) S {
	if count, ok := a.changed[domain]; ok {
		return count
	}
	return a.cluster.counts[domain]
}

// Add implements [Follower].
func (a *tallied[S]) Add(pod *outrank.Pod, node *outrank.Node) { a.change(pod, node, 1) }

// Remove implements [Follower].
func (a *tallied[S]) Remove(pod *outrank.Pod, node *outrank.Node) { a.change(pod, node, -1) }

func (a *tallied[S]) change(pod *outrank.Pod, node *outrank.Node, by int) {
	domain := a.tally.domainOf(pod, node)
	if domain == "" {
		return
	}

	count := a.tally.Change(a.count(domain), pod, by)
	if a.changed == nil {
		a.changed = map[string]S{}
	}
	a.changed[domain] = count
}

// Clone implements [FilterState].
func (a *tallied[S]) Clone() FilterState {
	c := *a
	c.changed = maps.Clone(a.changed)
	return &c
}
