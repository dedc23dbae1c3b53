package preemption

import (
	"errors"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/resource"
)

// attempt is one attempt to make room for a pod. It holds what is worked out before the first node is
// asked. From then on nothing of it changes, except that held fills up.
type attempt struct {
	cluster *outrank.Cluster
	config  *Config
	// rules says what depends on the release, steps what depends on the variant and the settings.
	rules release.Rules
	steps steps
	pod   *outrank.Pod
	now   time.Time
	// resize is set if the pod is on its node already and wants room for a resize there, which the node
	// has deferred (group 7.19).
	resize bool

	// sites lists the nodes in the cluster's order; siteOf finds one by its name.
	sites  []*site
	siteOf map[string]*site
	// tree finds the groups above a pod.
	tree *tree
	// budgets lists the cluster's disruption budgets.
	budgets []budget

	// filters lists the filters that have something to say about the pod, in the order in which a node
	// is asked.
	filters []builtInFilter
	// refused is why every node turns the pod down before any of them is asked; Success if they are asked.
	refused Status
	// guard is the state in which the caller's guard begins on each node. It is nil if there is no
	// guard, or if the guard has nothing to say about the pod.
	guard GuardState

	// before says which nodes are asked at all (group 7.15).
	before narrowing

	// Each of these fields belongs to one filter, and the filter's file explains it: what the filter has
	// read of the pod and counted in the cluster. held caches how much of the resources each pod takes.
	resources resourceNeeds
	held      map[*occupant][]int64
	ports     []hostPort
	claims    claimCounts
	spread    []constraint
	interpod  interpodTerms
	callers   []callerFilter
}

// site is a node together with the pods that run there or are expected there.
type site struct {
	node *outrank.Node
	// position is the node's place in the order of the cluster.
	position int
	// running lists the pods on the node. nominated lists the pending pods that an earlier preemption made
	// room for there; the preemptor is never among them.
	running   []*occupant
	nominated []*occupant
	// units lists the units that have a pod on the node, each once.
	units []*unit
}

// name returns the name of the node.
func (s *site) name() string { return s.node.Name }

// label returns the node's value of a label.
func (s *site) label(key string) (value string, ok bool) {
	value, ok = s.node.Labels[key]
	return value, ok
}

// allocatable returns how much of a resource the node has for all of its pods.
func (s *site) allocatable(name resource.Name) int64 { return s.node.Allocatable.Amount(name) }

// occupant is a pod that takes room on a node.
type occupant struct {
	pod  *outrank.Pod
	site *site
	// unit holds the pods that leave together with a running pod, itself included.
	unit *unit
	// nominated marks a pod that is only expected: it counts with its spec alone (rule 2.1.9).
	nominated bool
}

// begin checks the configuration, the cluster and the question (rules 7.15.7 and 12.8.8), in this order,
// and prepares an attempt.
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

// newAttempt sorts the pods of the cluster by nodes. What filters need to know is read later, by prepare.
// The nodes stay empty without a pod, as when a group is checked.
func newAttempt(cluster *outrank.Cluster, config *Config, pod *outrank.Pod, now time.Time) *attempt {
	a := &attempt{
		cluster: cluster, config: config, pod: pod, now: now,
		rules: release.Of(release.Release(cluster.Release)), steps: stepsOf(config), siteOf: map[string]*site{},
	}

	for i, n := range cluster.Nodes {
		s := &site{node: n, position: i}
		a.sites = append(a.sites, s)
		a.siteOf[n.Name] = s
	}

	// Which nominations count depends on the preemptor: its own does not (rule 7.16.1).
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

// settle records a pod at the node that it is on or nominated to. A pod that has ended counts nowhere, and
// neither does one whose node does not exist (rules 7.1.6 and 7.16.4).
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

// countsNomination reports whether a pending pod holds room on the node that it is nominated to. The
// preemptor does not stand in its own way (rule 7.16.1), the pods of other schedulers count nowhere (rule
// 7.16.3), gated ones only from v1.37 on (rule 7.16.5), and a pod that is being deleted never arrives
// (rule 7.16.6).
func (a *attempt) countsNomination(p *outrank.Pod) bool {
	return !sameName(p, a.pod) && a.config.schedules(p) && (!p.Gated() || a.rules.GatedNominations) && !p.Terminating()
}

// prepare reads what the filters and the guard need before the first node (PreFilter).
func (a *attempt) prepare() error {
	if guard := a.config.Guard; guard != nil {
		state, err := guard.Start([]*outrank.Pod{a.pod}, plainView{a})
		if err != nil {
			return fmt.Errorf("guard %s: pod %s: %w", guard.Name, a.pod.Key(), err)
		}
		a.guard = state
	}

	a.findUnits()
	return a.beginFilters()
}

// checkQuestion returns what is wrong with the question.
func (a *attempt) checkQuestion(req Request) error {
	// Across asks about clusters that the victims have never been in (rule 23.9). The caller's answers
	// are about the cluster as it is.
	if a.config.across() && req.Statuses != nil {
		return fmt.Errorf("statuses: %w: victims on other nodes are found by the evaluator's own filters", outrank.ErrInvalid)
	}

	// The pods of a group preempt together (rule 12.8.8). Only for its resize does a pod preempt by itself
	// (rule 7.19.8).
	p := req.Pod
	if p != nil && a.rules.VictimUnits && p.Group != "" && !a.resize {
		return &outrank.InputError{Problems: []outrank.Problem{{
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

// checkSelectors refuses a pod with a selector that cannot be read, even if the filter that reads it is
// switched off (rules 7.15.7 and 7.18.10).
func checkSelectors(p *outrank.Pod) error {
	for _, terms := range [][]outrank.PodAffinityTerm{p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity} {
		for i, t := range terms {
			if err := errors.Join(t.LabelSelector.Validate(), t.NamespaceSelector.Validate()); err != nil {
				return fmt.Errorf("pod %s: pod affinity term %d: %w: %w", p.Key(), i, outrank.ErrInvalid, err)
			}
		}
	}

	// A constraint of ScheduleAnyway keeps no pod out, and nobody reads its selector (rule 7.12.1).
	for i, c := range p.TopologySpreadConstraints {
		if err := c.LabelSelector.Validate(); err != nil && c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			return fmt.Errorf("pod %s: spec.topologySpreadConstraints[%d].labelSelector: %w: %w", p.Key(), i, outrank.ErrInvalid, err)
		}
	}
	return nil
}

// checkWaits refuses a pod that runs already, unless it asks for room for its resize (rule 7.19.1), and a
// pod whose name another pod has.
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

// profile returns the scheduler's profile.
func (a *attempt) profile() *Profile { return &a.config.Profile }

// known returns the pod as the cluster has it, nil if the cluster does not know it. A pod that has ended
// leaves its name to others.
func (a *attempt) known(p *outrank.Pod) *outrank.Pod {
	for _, q := range a.cluster.Pods {
		if !q.Finished() && sameName(p, q) {
			return q
		}
	}
	return nil
}

// sameName reports whether two pods have one name in one namespace. Nominations tell pods apart by that
// (rule 7.16.1).
func sameName(p, q *outrank.Pod) bool {
	return p.Name == q.Name && p.NamespaceName() == q.NamespaceName()
}

// samePod reports whether two objects describe the same pod. If either has no UID, the name decides.
func samePod(p, q *outrank.Pod) bool {
	return sameName(p, q) && (p.UID == q.UID || p.UID == "" || q.UID == "")
}

// matcherOf reads a selector. One that cannot be read picks nothing (rule 7.15.7).
func matcherOf(s *outrank.LabelSelector) outrank.Matcher {
	m, _ := s.Matcher() // the zero Matcher matches nothing
	return m
}
