package preemption

import (
	"maps"
	"sync"

	"github.com/outrank-go/outrank"
)

// Tally counts running pods, each in one domain of nodes: licences by rack, shares of a GPU by
// node. It makes filters that follow the count through an attempt, over plain types by counting
// anew and in the engine at the price of what has changed. S is a plain value: assigning it
// copies it. A Tally is not changed or copied once it is used.
type Tally[S any] struct {
	// Domain names what a pod on a node counts in; empty for nothing. Nil: each node by itself.
	Domain func(pod *outrank.Pod, node *outrank.Node) string
	// Concerns reports whether a pod counts, and is limited; nil: all are.
	Concerns func(pod *outrank.Pod) bool
	// Change returns a count after a pod has come (by is 1) or gone (by is -1). The order in
	// which pods come and go must not matter.
	Change func(count S, pod *outrank.Pod, by int) S

	once    sync.Once
	tracker Tracker // what a tally is known by
}

// Filter returns a filter that asks check about each pod that the tally concerns, with the count
// of the domain that it would be in on the node, or with none if there is no domain. Without a check
// or a Change it is one that Config.Validate refuses.
func (t *Tally[S]) Filter(name string, check func(count S, pod *outrank.Pod, node *outrank.Node) Status) *Filter {
	if t == nil || t.Change == nil || check == nil {
		return &Filter{Name: name} // which Validate refuses
	}
	start := func(pod *outrank.Pod, view View) (FilterState, error) {
		if t.Concerns != nil && !t.Concerns(pod) {
			return nil, nil
		}
		return &tallied[S]{cluster: t.in(view), pod: pod, check: check}, nil
	}
	return &Filter{Name: name, Concerns: t.Concerns, Start: start}
}

// Count returns the count of a domain in a cluster. It is none without a Change.
func (t *Tally[S]) Count(view View, domain string) (count S) {
	if t == nil || t.Change == nil || view == nil {
		return count
	}
	return t.in(view).counts[domain]
}

// in returns the counts of a cluster.
func (t *Tally[S]) in(view View) *tallies[S] {
	t.once.Do(func() {
		t.tracker = Tracker{
			Concerns: t.Concerns,
			New:      func() ClusterState { return &tallies[S]{of: t, counts: map[string]S{}} },
		}
	})
	return view.Tracked(&t.tracker).(*tallies[S])
}

// domainOf is Domain, or what stands for it.
func (t *Tally[S]) domainOf(pod *outrank.Pod, node *outrank.Node) string {
	if t.Domain == nil {
		return node.Name
	}
	return t.Domain(pod, node)
}

// tallies are the counts of a cluster.
type tallies[S any] struct {
	of     *Tally[S]
	counts map[string]S // by domain
}

// Add implements [Follower].
func (c *tallies[S]) Add(pod *outrank.Pod, node *outrank.Node) { c.change(pod, node, 1) }

// Remove implements [Follower].
func (c *tallies[S]) Remove(pod *outrank.Pod, node *outrank.Node) { c.change(pod, node, -1) }

func (c *tallies[S]) change(pod *outrank.Pod, node *outrank.Node, by int) {
	if domain := c.of.domainOf(pod, node); domain != "" {
		c.counts[domain] = c.of.Change(c.counts[domain], pod, by)
	}
}

// Clone implements [ClusterState].
func (c *tallies[S]) Clone() ClusterState { return &tallies[S]{c.of, maps.Clone(c.counts)} }

// tallied is a tally in an attempt to place a pod.
type tallied[S any] struct {
	cluster *tallies[S]
	// changed has the counts of the domains in which pods came or went since the attempt began.
	changed map[string]S
	pod     *outrank.Pod
	check   func(count S, pod *outrank.Pod, node *outrank.Node) Status
}

// Check implements [FilterState].
func (a *tallied[S]) Check(node *outrank.Node) Status {
	return a.check(a.count(a.cluster.of.domainOf(a.pod, node)), a.pod, node)
}

// count is that of a domain as things are in the attempt. Nothing counts in the empty one.
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
	domain := a.cluster.of.domainOf(pod, node)
	if domain == "" {
		return
	}
	count := a.cluster.of.Change(a.count(domain), pod, by)
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
