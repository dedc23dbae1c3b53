package preemption

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// attempt is one attempt to make room for a pod: all that is worked out before the first node is asked.
// From then on only what it remembers is added (held).
type attempt struct {
	cluster *outrank.Cluster
	config  *Config
	rules   release.Rules
	steps   steps
	pod     *outrank.Pod
	now     time.Time
	// resize is set for a pod that is on its node, which has deferred its resize (group 7.19).
	resize bool

	// sites are the nodes with what is on them, in the cluster's order.
	sites  []*site
	siteOf map[string]*site
	tree   *tree
	// budgets are those of the cluster, with their selectors read.
	budgets []budget

	// filters have something to say about the pod, in the order in which they are asked.
	filters []builtInFilter
	// refused is what ends the attempt before any node is asked; Success if nothing does.
	refused Status
	// guard is the caller's, as it begins; nil without one that has something to say.
	guard GuardState

	// before says which nodes are asked at all (group 7.15).
	before narrowing

	// What each filter has read of the pod and counted in the cluster stands in the file of the filter. held
	// remembers what pods hold of the resources.
	resources resourceNeeds
	held      map[*occupant][]int64
	ports     []hostPort
	claims    claimCounts
	spread    []constraint
	interpod  interpodTerms
	callers   []callerFilter
}

// site is a node with what is on it.
type site struct {
	node *outrank.Node
	// position is the node's place in the order of the cluster.
	position int
	// running are the pods on the node, and nominated the pending ones that room was made for, but
	// for the preemptor.
	running   []*occupant
	nominated []*occupant
	// units are those with a pod on the node.
	units []*unit
}

// occupant is a pod that takes room on a node.
type occupant struct {
	pod  *outrank.Pod
	site *site
	// unit is what a running pod leaves with.
	unit *unit
	// nominated marks a pod that is only expected: it counts with its spec alone (rule 2.1.9).
	nominated bool
}

// begin checks the question (rules 7.15.7 and 12.8.8) and prepares an attempt.
func begin(cluster *outrank.Cluster, req Request, config *Config) (*attempt, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if cluster == nil {
		cluster = &outrank.Cluster{}
	}
	if err := cluster.Validate(); err != nil {
		return nil, err
	}

	a := newAttempt(cluster, config, req.Pod, req.Now)
	if err := a.checkQuestion(req); err != nil {
		return nil, err
	}
	return a, a.prepare()
}

// newAttempt sorts the pods of the cluster by nodes. Nothing has been read of the preemptor's rules.
func newAttempt(cluster *outrank.Cluster, config *Config, pod *outrank.Pod, now time.Time) *attempt {
	a := &attempt{
		cluster: cluster, config: config, pod: pod, now: now,
		rules: release.Of(release.Release(cluster.Release)), siteOf: map[string]*site{},
	}
	a.steps = stepsOf(config)
	for i, n := range cluster.Nodes {
		s := &site{node: n, position: i}
		a.sites = append(a.sites, s)
		a.siteOf[n.Name] = s
	}
	if pod != nil {
		a.resize = a.wantsResize()
		for _, p := range cluster.Pods {
			a.settle(p)
		}
	}
	a.tree = newTree(cluster, a.rules)
	for _, b := range cluster.Budgets {
		a.budgets = append(a.budgets, budget{b, matcherOf(b.Selector)})
	}
	return a
}

// settle records a pod at its node. One that has ended, or whose node does not exist, counts nowhere
// (rules 7.1.6 and 7.16.4).
func (a *attempt) settle(p *outrank.Pod) {
	if p.Finished() {
		return
	}
	if s := a.siteOf[p.NodeName]; s != nil {
		s.running = append(s.running, &occupant{pod: p, site: s})
		return
	}
	if s := a.siteOf[p.NominatedNodeName]; s != nil && p.NodeName == "" && a.countsNomination(p) {
		s.nominated = append(s.nominated, &occupant{pod: p, site: s, nominated: true})
	}
}

// countsNomination reports whether a pending pod holds room on the node that it is nominated to: the
// preemptor does not stand in its own way, one that is being deleted never arrives, and other
// schedulers' pods are none of ours (rules 7.16.1, 7.16.3, 7.16.5 and 7.16.6).
func (a *attempt) countsNomination(p *outrank.Pod) bool {
	ours := len(a.config.Profile.Schedulers) == 0 || slices.Contains(a.config.Profile.Schedulers, p.Scheduler())
	return !sameName(p, a.pod) && !p.Terminating() && (!p.Gated() || a.rules.GatedNominations) && ours
}

// prepare reads what the filters and the guard need before the first node (PreFilter).
func (a *attempt) prepare() error {
	if a.config.Guard != nil {
		state, err := a.config.Guard.Start([]*outrank.Pod{a.pod}, plainView{a})
		if err != nil {
			return fmt.Errorf("guard %s: pod %s: %w", a.config.Guard.Name, a.pod.Key(), err)
		}
		a.guard = state
	}
	a.findUnits()
	return a.beginFilters()
}

// checkQuestion reports what keeps the pod from being placed at all.
func (a *attempt) checkQuestion(req Request) error {
	if a.config.across() && req.Statuses != nil {
		return fmt.Errorf("statuses: %w: victims on other nodes are found by the evaluator's own filters", outrank.ErrInvalid)
	}
	p := req.Pod
	if p != nil && a.rules.VictimUnits && p.Group != "" && !a.resize {
		return &outrank.InputError{Problems: []outrank.Problem{{ // rule 12.8.8
			Object: "pod " + string(p.Key()), Field: "spec.schedulingGroup.podGroupName",
			Text: "podgroup " + string(p.GroupKey()) + " preempts as a whole, and its pods do not by themselves: ask PreemptGroup",
		}}}
	}
	if err := p.Validate(); err != nil {
		return err
	}
	if err := checkSelectors(p); err != nil {
		return err
	}
	return a.checkWaits(p)
}

// checkSelectors refuses a pod with a selector that cannot be read (rules 7.15.7 and 7.18.10).
func checkSelectors(p *outrank.Pod) error {
	for _, terms := range [][]outrank.PodAffinityTerm{p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity} {
		for i, t := range terms {
			if err := errors.Join(t.LabelSelector.Validate(), t.NamespaceSelector.Validate()); err != nil {
				return fmt.Errorf("pod %s: pod affinity term %d: %w: %w", p.Key(), i, outrank.ErrInvalid, err)
			}
		}
	}
	for i, c := range p.TopologySpreadConstraints {
		if err := c.LabelSelector.Validate(); err != nil && c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			return fmt.Errorf("pod %s: spec.topologySpreadConstraints[%d].labelSelector: %w: %w", p.Key(), i, outrank.ErrInvalid, err)
		}
	}
	return nil
}

// checkWaits refuses a pod that runs, unless its resize is what room is made for (rule 7.19.1), and
// one whose name another pod has.
func (a *attempt) checkWaits(p *outrank.Pod) error {
	known := a.known(p)
	switch {
	case known == nil:
		return nil
	case !samePod(known, p):
		return fmt.Errorf("pod %s: %w: another pod has its name", p.Key(), ErrState)
	case known.NodeName == "" || a.resize && known.NodeName == p.NodeName:
		return nil
	}
	return fmt.Errorf("pod %s: %w: it runs on node %s", p.Key(), ErrState, known.NodeName)
}

// known is the pod as the cluster has it, nil if it does not.
func (a *attempt) known(p *outrank.Pod) *outrank.Pod {
	for _, q := range a.cluster.Pods {
		if !q.Finished() && sameName(p, q) {
			return q
		}
	}
	return nil
}

// sameName reports whether two pods have the same name in the same namespace: then they are one pod for
// nominations (rule 7.16.1).
func sameName(p, q *outrank.Pod) bool {
	return p.Name == q.Name && p.NamespaceName() == q.NamespaceName()
}

// samePod reports whether two objects are of one pod: one of them may not know its UID.
func samePod(p, q *outrank.Pod) bool {
	return sameName(p, q) && (p.UID == q.UID || p.UID == "" || q.UID == "")
}

// matcherOf reads a selector. One that cannot be read picks nothing (rule 7.15.7).
func matcherOf(s *outrank.LabelSelector) outrank.Matcher {
	m, _ := s.Matcher()
	return m
}
