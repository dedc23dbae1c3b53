package reference

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// constraint is a DoNotSchedule topology spread constraint with its defaults
// filled in.
type constraint struct {
	key                        string
	maxSkew, minDomains        int
	selector                   *outrank.LabelSelector
	honorAffinity, honorTaints bool
}

// readConstraints leaves ScheduleAnyway out: it never fails.
func readConstraints(p *outrank.Pod, setup *Setup) []constraint {
	var list []constraint
	for _, c := range setup.spreadOf(p) {
		if c.WhenUnsatisfiable == outrank.ScheduleAnyway {
			continue
		}
		list = append(list, constraint{
			key:           c.TopologyKey,
			maxSkew:       int(c.MaxSkew),
			minDomains:    max(1, int(c.MinDomains)),
			selector:      narrow(c.Selector, p, c.MatchLabelKeys, outrank.In),
			honorAffinity: c.NodeAffinityPolicy != outrank.NodeIgnore,
			honorTaints:   c.NodeTaintsPolicy == outrank.NodeHonor,
		})
	}
	return list
}

// narrow returns the selector with one more requirement for each of the keys
// that the pod has as a label, with the pod's own value, unless the API server
// has added it already. A nil selector matches nothing and stays so.
func narrow(s *outrank.LabelSelector, p *outrank.Pod, keys []string, op outrank.Operator) *outrank.LabelSelector {
	if s == nil {
		return nil
	}
	folded := &outrank.LabelSelector{Labels: s.Labels, Expressions: slices.Clone(s.Expressions)}
	for _, key := range keys {
		if value, ok := p.Labels[key]; ok && !added(s, key, op) {
			folded.Expressions = append(folded.Expressions,
				outrank.Requirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
	return folded
}

// added reports whether the selector has the requirement that the API server
// writes for a key when it creates the pod. It may hold a value that the pod
// has lost since, and then that value counts.
func added(s *outrank.LabelSelector, key string, op outrank.Operator) bool {
	return slices.ContainsFunc(s.Expressions, func(r outrank.Requirement) bool {
		return r.Key == key && r.Operator == op && len(r.Values) == 1
	})
}

// spreadState holds, for each constraint, how many pods count in each domain.
// A domain is a value of the constraint's key on some node that counts; it is
// there with 0 where that node holds no such pod.
type spreadState []map[string]int

func (s spreadState) clone() spreadState {
	c := make(spreadState, len(s))
	for i := range s {
		c[i] = maps.Clone(s[i])
	}
	return c
}

// countSpread counts over the whole cluster, once at the start.
func (a *attempt) countSpread() spreadState {
	state := make(spreadState, len(a.constraints))
	for i, c := range a.constraints {
		state[i] = map[string]int{}
		for _, n := range a.cluster.Nodes {
			if a.nodeCounts(c, n) {
				state[i][n.Labels[c.key]] += a.countPods(c, n)
			}
		}
	}
	return state
}

// nodeCounts: a node counts if it has the keys of all constraints and the
// constraint's inclusion policies do not leave it out.
func (a *attempt) nodeCounts(c constraint, n *outrank.Node) bool {
	for _, each := range a.constraints {
		if _, ok := n.Labels[each.key]; !ok {
			return false
		}
	}
	if c.honorAffinity && !wantsNode(a.pod, n) {
		return false
	}
	return !c.honorTaints || toleratesNode(a.pod, n)
}

// countPods: pods of the preemptor's namespace that the selector matches and
// that are not terminating. An empty selector counts none of them.
func (a *attempt) countPods(c constraint, n *outrank.Node) int {
	count := 0
	for _, p := range a.running[n.Name] {
		if !c.selector.Empty() && !p.Terminating() && a.concerns(c, p) {
			count++
		}
	}
	return count
}

func (a *attempt) concerns(c constraint, p *outrank.Pod) bool {
	return p.NamespaceName() == a.pod.NamespaceName() && c.selector.Matches(p.Labels)
}

// changeSpread follows a pod that is put on the node or taken away. Unlike
// countPods it does not ask whether the pod is terminating or the selector
// empty, so what was never counted is subtracted all the same.
func (s *scene) changeSpread(p *outrank.Pod, n *outrank.Node, by int) {
	for i, c := range s.a.constraints {
		if s.a.nodeCounts(c, n) && s.a.concerns(c, p) {
			s.spread[i][n.Labels[c.key]] += by
		}
	}
}

// filterSpread: with the pod placed here, the node's domain must not be more
// than maxSkew ahead of the emptiest domain.
func (s *scene) filterSpread() Status {
	const reason = "node(s) didn't match pod topology spread constraints"
	for i, c := range s.a.constraints {
		domain, ok := s.node.Labels[c.key]
		if !ok {
			return unresolvable(filter.PodTopologySpread, reason+" (missing required label)")
		}
		self := 0
		if c.selector.Matches(s.a.pod.Labels) {
			self = 1
		}
		if s.spread[i][domain]+self-globalMinimum(c, s.spread[i]) > c.maxSkew {
			return unschedulableBy(filter.PodTopologySpread, reason)
		}
	}
	return Status{}
}

// globalMinimum is the count of the emptiest domain, and 0 where there are
// fewer domains than minDomains.
func globalMinimum(c constraint, domains map[string]int) int {
	if len(domains) < c.minDomains {
		return 0
	}
	return slices.Min(slices.Collect(maps.Values(domains)))
}
