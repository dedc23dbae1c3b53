package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// configure reads how to decide, a statement on a line; none is the default.
//
//	policy v1.13 | simplified | disabled | exact | strict | victims-alone; several may stand below each other
//	sample [percent=10] [minimum=100] [offset=0]
//	plugins [off=NAME,...] [off-on-nodes=NAME,...] [ignores=RESOURCE,...] [ignores-groups=GROUP,...]
//	adds any [node=(...)] [spread=(... by zone)]   what holds for every pod; the selector is
//	                                 that of the controller of the pods it selects
//	spares SELECTOR                  pods that are never victims
//	takes SELECTOR                   pods that may be victims whatever their priority
//	importance cpu                   a larger cpu request is more important
//	refuses unschedulable            nobody preempts whose nominated node is unschedulable
//	rank NAME                        a rank of kube-scheduler's; these three together, in their order,
//	cost NAME each=2 of=SELECTOR     take the place of all ranks. A cost is that of each such victim,
//	figure NAME prefers=NODE         and a figure is -1 for NODE and 0 for all others
//	guard NAME at-most=1 of=SELECTOR beyond=SELECTOR   of the first so many more may be away than of the others
//	found NODE fits | unschedulable | unresolvable | unasked   what the caller's scheduler says of it
//	extender NAME ...                see readExtender
//	filter NAME refuses=NODE,... [unresolvable]
//	filter NAME at-most=2 of=SELECTOR [concerns]   it may say that no other pods concern it
func (w *scenarioWorld) configure(c *scenario.Command) (string, error) {
	w.config, w.offset, w.found, w.own = preemption.Config{}, 0, nil, len(c.Body) > 0
	for _, l := range c.Body {
		switch word := l.Next("setting"); word {
		case "policy":
			w.readPolicy(l)
		case "sample":
			s := &preemption.Sample{}
			l.Options(scenario.Options{
				"percent=": scenario.Number(&s.Percent), "minimum=": scenario.Number(&s.Minimum), "offset=": scenario.Number(&w.offset),
			})
			w.config.Sample = s
		case "plugins":
			w.readPlugins(l)
		case "adds":
			w.readDefaults(l)
		case "spares":
			spared := readSelector(l)
			w.config.Eligibility.Take = func(_, victim *outrank.Pod) (string, bool) { return "", !spared.Matches(victim.Labels) }
		case "takes":
			taken := readSelector(l)
			w.config.Eligibility.AnyPriority = true
			w.config.Eligibility.Take = func(preemptor, victim *outrank.Pod) (string, bool) {
				return "taken", taken.Matches(victim.Labels) || victim.PriorityValue() < preemptor.PriorityValue()
			}
		case "importance":
			if !l.Accept("cpu") {
				l.Fail("cpu is the only importance there is")
			}
			w.config.Importance = moreCPU
		case "refuses":
			w.config.Eligibility.Refuse = readRefusal(l)
		case "rank":
			w.config.Ranks = append(w.config.Ranks, preemption.Rank{Name: l.Next("name of the rank")})
		case "cost":
			w.config.Ranks = append(w.config.Ranks, readCost(l))
		case "figure":
			w.readFigure(l)
		case "guard":
			w.config.Guard = readGuard(l)
		case "found":
			w.readFound(l)
		case "extender":
			w.config.Extenders = append(w.config.Extenders, w.readExtender(l))
		case "filter":
			w.config.Filters = append(w.config.Filters, readFilter(l))
		default:
			l.Fail("unknown setting %q", word)
		}
	}
	return "", nil
}

func (w *scenarioWorld) readPolicy(l *scenario.Line) {
	switch name := l.Next("name of the policy"); name {
	case "v1.13":
		w.config.Variant = outrank.VariantV1_13
	case "simplified":
		w.config.Variant = outrank.VariantSimplified
	case "disabled":
		w.config.Profile.Off = append(w.config.Profile.Off, preemption.DefaultPreemption)
	case "exact":
		w.config.Victims = preemption.Exact{}
	case "strict":
		w.config.Budgets = preemption.NeverViolate
	case "victims-alone":
		w.config.Budgets = preemption.ChargeVictims
	default:
		l.Fail("unknown policy %q", name)
	}
}

// readPlugins reads what is switched off and what is ignored.
func (w *scenarioWorld) readPlugins(l *scenario.Line) {
	p, resources := &w.config.Profile, []string(nil)
	l.Options(scenario.Options{
		"off=": scenario.Names(&p.Off), "off-on-nodes=": scenario.Names(&p.OffOnNodes),
		"ignores=": scenario.Names(&resources), "ignores-groups=": scenario.Names(&p.IgnoredResourceGroups),
	})
	for _, name := range resources {
		p.IgnoredResources = append(p.IgnoredResources, resource.Name(name))
	}
}

// readDefaults reads an affinity that is added to every pod's, and constraints for
// pods without any.
func (w *scenarioWorld) readDefaults(l *scenario.Line) {
	p, like := &w.config.Profile, l.Pod()
	p.AddedAffinity, p.DefaultConstraints = like.Affinity.NodeAffinity, like.TopologySpreadConstraints
	var selectors []*outrank.LabelSelector
	for i := range p.DefaultConstraints {
		selectors = append(selectors, p.DefaultConstraints[i].LabelSelector)
		p.DefaultConstraints[i].LabelSelector = nil
	}
	p.SpreadSelector = func(pod *outrank.Pod) *outrank.LabelSelector {
		for _, s := range selectors {
			if s.Matches(pod.Labels) {
				return s
			}
		}
		return nil
	}
}

func readSelector(l *scenario.Line) *outrank.LabelSelector {
	var s *outrank.LabelSelector
	if err := scenario.Selector(&s)(l.Next("selector")); err != nil {
		l.Fail("%v", err)
	}
	return s
}

func moreCPU(a, b *outrank.Pod) int {
	return cmp.Compare(b.Requests().Amount(resource.CPU), a.Requests().Amount(resource.CPU))
}

func (w *scenarioWorld) readFigure(l *scenario.Line) {
	r, node := preemption.Rank{Name: l.Next("name of the rank")}, ""
	l.Options(scenario.Options{"prefers=": scenario.Text(&node)})
	r.Figure = func(c *preemption.Candidate) int64 {
		if c.Node == node {
			return -1
		}
		return 0
	}
	w.config.Ranks = append(w.config.Ranks, r)
}

// readExtender reads an extender:
//
//	NAME [ignorable] [uninterested] [fails] [drops=NODE,...]
//	    [victims=NODE:POD,...] [violations=NODE:1]
//
// victims are those of one node in place of what was found; "victims=n1:" leaves
// it none. violations is a number in place of what was counted.
func (w *scenarioWorld) readExtender(l *scenario.Line) preemption.Extender {
	x := &scenarioExtender{name: l.Next("name of the extender"), world: w}
	l.Options(scenario.Options{
		"ignorable": scenario.Flag(&x.ignorable), "uninterested": scenario.Flag(&x.uninterested), "fails": scenario.Flag(&x.fails),
		"drops=": scenario.Names(&x.drops),
		"victims=": func(v string) error {
			node, names, _ := strings.Cut(v, ":")
			x.node = node
			if names != "" {
				return scenario.Names(&x.victims)(names)
			}
			return nil
		},
		"violations=": func(v string) error {
			node, n, _ := strings.Cut(v, ":")
			x.violatingNode = node
			return scenario.Number(&x.violations)(n)
		},
	})
	return x.extender()
}

// scenarioExtender is an extender that a scenario describes.
type scenarioExtender struct {
	name                           string
	world                          *scenarioWorld
	ignorable, uninterested, fails bool
	drops, victims                 []string
	node, violatingNode            string
	violations                     int
}

func (x *scenarioExtender) extender() preemption.Extender {
	return preemption.Extender{Name: x.name, Process: x.ask, Ignorable: x.ignorable, Interested: func(*outrank.Pod) bool { return !x.uninterested }}
}

func (x *scenarioExtender) ask(_ context.Context, _ *outrank.Pod, ps []preemption.Candidate) ([]preemption.Candidate, error) {
	if x.fails {
		return nil, errors.New("no answer")
	}
	ps = slices.DeleteFunc(ps, func(p preemption.Candidate) bool { return slices.Contains(x.drops, p.Node) })
	for i := range ps {
		if ps[i].Node == x.violatingNode {
			ps[i].Score.Violations = x.violations
		}
		if ps[i].Node != x.node {
			continue
		}
		ps[i].Victims = nil
		for _, name := range x.victims {
			p, ok := x.world.snap.Pod(scenarioKey(name))
			if !ok {
				return nil, fmt.Errorf("no pod %s", name)
			}
			ps[i].Victims = append(ps[i].Victims, preemption.Victim{Pod: p})
		}
	}
	return ps, nil
}

// readFilter reads a filter of the caller's own: one that looks at the node
// alone, or one that counts pods.
func readFilter(l *scenario.Line) *preemption.Filter {
	name := l.Next("name of the filter")
	f := &scenarioLimit{name: name}
	var refused []string
	code, unresolvable, concerns := preemption.Unschedulable, false, false
	l.Options(scenario.Options{
		"refuses=": scenario.Names(&refused), "unresolvable": scenario.Flag(&unresolvable),
		"at-most=": scenario.Number(&f.most), "of=": scenario.Selector(&f.of),
		"concerns": scenario.Flag(&concerns),
	})
	if f.of != nil {
		limit := f.filter()
		if concerns {
			limit.Concerns = func(p *outrank.Pod) bool { return f.of.Matches(p.Labels) }
		}
		return limit
	}
	if unresolvable {
		code = preemption.UnschedulableAndUnresolvable
	}
	return &preemption.Filter{Name: name, Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
		if slices.Contains(refused, n.Name) {
			return preemption.Status{Code: code, Reasons: []string{"refused by " + name}}
		}
		return preemption.Status{}
	}}
}

// scenarioLimit lets a node hold so many pods that a selector picks. It concerns
// pods that the selector picks.
type scenarioLimit struct {
	name string
	most int
	of   *outrank.LabelSelector
}

func (f *scenarioLimit) filter() *preemption.Filter {
	return &preemption.Filter{Name: f.name, Start: f.start}
}

func (f *scenarioLimit) start(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	if !f.of.Matches(pod.Labels) {
		return nil, nil
	}
	s := &scenarioLimitState{f, map[string]int{}}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			s.Add(p, n)
		}
	}
	return s, nil
}

type scenarioLimitState struct {
	*scenarioLimit
	count map[string]int
}

func (s *scenarioLimitState) Check(n *outrank.Node) preemption.Status {
	if s.count[n.Name] < s.most {
		return preemption.Status{}
	}
	return preemption.Unschedulable.Because(fmt.Sprintf("%d there already", s.count[n.Name]))
}

func (s *scenarioLimitState) change(p *outrank.Pod, n *outrank.Node, by int) {
	if s.of.Matches(p.Labels) {
		s.count[n.Name] += by
	}
}

func (s *scenarioLimitState) Add(p *outrank.Pod, n *outrank.Node)    { s.change(p, n, 1) }
func (s *scenarioLimitState) Remove(p *outrank.Pod, n *outrank.Node) { s.change(p, n, -1) }

func (s *scenarioLimitState) Clone() preemption.FilterState {
	c := &scenarioLimitState{s.scenarioLimit, map[string]int{}}
	for node, n := range s.count {
		c.count[node] = n
	}
	return c
}
