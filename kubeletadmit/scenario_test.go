package kubeletadmit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/internal/tests/plainkubelet"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

// Each file below testdata/scenarios is about one rule. The commands are
//
//	host                 a node and the pods active there; see scenario.Cluster
//	admit POD            may the pod start, and which pods make room?
//	by-priority POD      the same with priorities first, and what the kubelet does instead
//	exact POD            the same with the best set, and what the kubelet does instead
//	resolve POD          the same for failures that are given in the body
//	evict [fails=POD]    carry the last answer out; killing a pod may fail
//
// Every question is asked several times and has to have the same answer each
// time; see scenarioHost.agree.
func TestScenarios(t *testing.T) {
	scenario.Run(t, "testdata/scenarios/*.txt", func(t *testing.T) map[string]scenario.Handler {
		h := &scenarioHost{t: t}
		return map[string]scenario.Handler{"host": h.load, "admit": h.admit, "resolve": h.resolve,
			"by-priority": h.by(kubeletadmit.Config{PriorityFirst: true}), "exact": h.by(kubeletadmit.Config{Exact: true}),
			"evict": h.evict}
	})
}

// scenarioHost is the state of a scenario.
type scenarioHost struct {
	t      *testing.T
	node   *outrank.Node
	active []*outrank.Pod
	last   kubeletadmit.Admission
}

func (h *scenarioHost) load(c *scenario.Command) (string, error) {
	cluster := scenario.Cluster(c.Body)
	if len(cluster.Nodes) != 1 || len(cluster.Budgets)+len(cluster.Groups)+len(cluster.Namespaces) > 0 {
		return "", errors.New("a host is one node with pods")
	}
	h.node, h.active, h.last = cluster.Nodes[0], cluster.Pods, kubeletadmit.Admission{}
	return "", nil
}

func (h *scenarioHost) admit(c *scenario.Command) (string, error) {
	pod, err := h.pod(c)
	if err != nil {
		return "", err
	}
	adm, err := kubeletadmit.Admit(h.node, h.active, pod, kubeletadmit.Config{})
	if err != nil {
		return "error: " + strings.ReplaceAll(err.Error(), "\n", " ") + "\n", nil
	}
	failures, err := kubeletadmit.Check(h.node, h.active, pod, kubeletadmit.Config{})
	if err != nil {
		return "", err
	}
	again, err := kubeletadmit.Admit(h.node, h.active, pod, kubeletadmit.Config{})
	if err != nil {
		return "", err
	}
	resolved, err := kubeletadmit.Resolve(pod, h.active, failures, kubeletadmit.Config{})
	h.agree(c, adm, again, "asked again")
	h.agree(c, adm, resolved, "Check and Resolve")
	h.comparePlain(c, pod, adm)
	h.last = adm
	return admissionText(adm), err
}

// by admits by options, and says what differs.
func (h *scenarioHost) by(a kubeletadmit.Config) scenario.Handler {
	return func(c *scenario.Command) (string, error) {
		pod, err := h.pod(c)
		if err != nil {
			return "", err
		}
		adm, err := kubeletadmit.Admit(h.node, h.active, pod, a)
		if err != nil {
			return "", err
		}
		again, err := kubeletadmit.Admit(h.node, h.active, pod, a)
		h.agree(c, adm, again, "asked again")
		h.last = adm
		text := admissionText(adm)
		if adm.Search != nil {
			text += searchText(adm.Search)
		}
		r := explain.Admission(explain.Question{Node: h.node, Active: h.active, Pod: pod, Config: a, Most: 1 << 20}, adm)
		return text + "difference: " + differenceText(len(adm.Evictions), r.Kubelet) + "\n", err
	}
}

// differenceText says who goes by options where others go by the kubelet, as in "2 pods go, where the kubelet
// evicts 3; default/a is spared".
func differenceText(goes int, kubelet *explain.Kubelet) string {
	switch {
	case kubelet == nil:
		return "nobody goes, as with the kubelet"
	case kubelet.Spared.Len()+kubelet.Instead.Len() == 0:
		return "the same pods go as with the kubelet"
	}
	one := func(n int, one, many string) string {
		if n == 1 {
			return one
		}
		return many
	}
	parts := []string{fmt.Sprintf("%d %s, where the kubelet evicts %d", goes, one(goes, "pod goes", "pods go"), kubelet.Evicts)}
	add := func(l explain.List[explain.Pod], singular, plural string) {
		var names []string
		for _, p := range l.Items {
			names = append(names, string(p.Key))
		}
		if len(names) > 0 {
			parts = append(parts, strings.Join(names, ", ")+one(len(names), singular, plural))
		}
	}
	add(kubelet.Spared, " is spared", " are spared")
	add(kubelet.Instead, " goes instead", " go instead")
	return strings.Join(parts, "; ")
}

func (h *scenarioHost) pod(c *scenario.Command) (*outrank.Pod, error) {
	if h.node == nil {
		return nil, errors.New("there is no host yet")
	}
	pod := c.Line.Pod()
	return pod, c.Line.Err()
}

// resolve reads failures, one on a line, and resolves them:
//
//	short RESOURCE=AMOUNT          counted as outrank counts: cpu in thousandths
//	predicate NAME "text"
func (h *scenarioHost) resolve(c *scenario.Command) (string, error) {
	pod, err := h.pod(c)
	if err != nil {
		return "", err
	}
	var failures []kubeletadmit.CheckFailure
	for _, l := range c.Body {
		failures = append(failures, readFailure(l))
	}
	adm, err := kubeletadmit.Resolve(pod, h.active, failures, kubeletadmit.Config{})
	if err != nil {
		return "", err
	}
	again, err := kubeletadmit.Resolve(pod, h.active, failures, kubeletadmit.Config{})
	h.agree(c, adm, again, "asked again")
	h.comparePlain(c, pod, adm)
	h.last = adm
	return admissionText(adm), err
}

func readFailure(l *scenario.Line) kubeletadmit.CheckFailure {
	switch kind := l.Next("kind of failure"); kind {
	case "short":
		name, text, _ := strings.Cut(l.Next("resource"), "=")
		f := kubeletadmit.CheckFailure{Resource: resource.Name(name)}
		if err := scenario.Number(&f.Requested)(text); err != nil {
			l.Fail("%s: %v", name, err)
		}
		return f
	case "predicate":
		return kubeletadmit.CheckFailure{Predicate: kubeletadmit.Predicate(l.Next("name of the predicate")), Text: l.Next("text")}
	default:
		l.Fail("unknown kind of failure %q", kind)
		return kubeletadmit.CheckFailure{}
	}
}

// agree compares two ways to the same answer.
func (h *scenarioHost) agree(c *scenario.Command, first, other kubeletadmit.Admission, how string) {
	h.t.Helper()
	if diff := testdiff.Diff(admissionText(first), admissionText(other)); diff != "" {
		h.t.Errorf("%s: %s, %s (-first +other):\n%s", c.Line.Place(), c.Line.Text, how, diff)
	}
}

// comparePlain holds the choice of pods to internal/tests/plainkubelet, where there
// was one to make.
func (h *scenarioHost) comparePlain(c *scenario.Command, pod *outrank.Pod, adm kubeletadmit.Admission) {
	h.t.Helper()
	if len(adm.Returned) > 0 {
		return
	}
	var shortages []plainkubelet.Shortage
	for _, f := range adm.Failures {
		shortages = append(shortages, plainkubelet.Shortage{Resource: f.Resource, Amount: f.Shortage()})
	}
	evict, missing := plainkubelet.Evict(outrank.DefaultRelease, pod, h.active, shortages)
	var want, got []string
	for _, p := range evict {
		want = append(want, string(p.Key()))
	}
	for _, s := range missing {
		want = append(want, fmt.Sprint("missing ", s.Amount, " ", s.Resource))
	}
	for _, e := range adm.Evictions {
		got = append(got, string(e.Pod.Key()))
	}
	for _, n := range adm.Missing {
		got = append(got, fmt.Sprint("missing ", n.Amount, " ", n.Resource))
	}
	if !slices.Equal(want, got) {
		h.t.Errorf("%s: %s: internal/tests/plainkubelet says %v, Admit %v", c.Line.Place(), c.Line.Text, want, got)
	}
}

// admissionText shows an admission:
//
//	OUTCOME [REASON: MESSAGE]
//	  evict POD (TIER), distance D: FREES of NEEDED RESOURCE, ...
//	found TEXT: requested R, used U, capacity C
//	returned TEXT
//
// Amounts are counted in thousandths of a core for cpu, in whole units for
// everything else.
func admissionText(a kubeletadmit.Admission) string {
	var b strings.Builder
	b.WriteString(string(a.Outcome))
	if a.Reason != "" {
		fmt.Fprintf(&b, " %s; %s", a.Reason, a.Message)
	}
	b.WriteString("\n")
	for _, e := range a.Evictions {
		fmt.Fprintf(&b, "  evict %s (%s), distance %.4g:", scenarioName(e.Pod), e.Tier, e.Distance)
		for i, s := range e.Contributions {
			fmt.Fprintf(&b, "%s %d of %d %s", strings.Repeat(",", min(i, 1)), s.Frees, s.Needed, s.Resource)
		}
		b.WriteString("\n")
	}
	for _, f := range a.Failures {
		fmt.Fprintf(&b, "found %s", f)
		if f.Resource != "" {
			fmt.Fprintf(&b, ": requested %d, used %d, capacity %d", f.Requested, f.Used, f.Capacity)
		}
		b.WriteString("\n")
	}
	for _, f := range a.Returned {
		fmt.Fprintf(&b, "returned %s\n", f)
	}
	return b.String()
}

// searchText shows how good a set is:
//
//	search: the best there is, found in N steps
//	search: ended after N steps: K CLASS [of priority P], at least L; ...
func searchText(c *kubeletadmit.Certificate) string {
	if c.Optimal {
		return fmt.Sprintf("search: the best there is, found in %s\n", prose.Plural(c.Steps, "step"))
	}
	var tiers []string
	for _, t := range c.Tiers {
		text := fmt.Sprintf("%d %s", t.Chosen, t.Class)
		if t.Priority != nil {
			text += fmt.Sprintf(" of priority %d", *t.Priority)
		}
		tiers = append(tiers, fmt.Sprintf("%s, at least %d", text, t.AtLeast))
	}
	return fmt.Sprintf("search: ended after %d steps: %s\n", c.Steps, strings.Join(tiers, "; "))
}

func scenarioName(p *outrank.Pod) string {
	return strings.TrimPrefix(string(p.Key()), outrank.DefaultNamespace+"/")
}

// evict carries the last answer out, and shows all that is done.
func (h *scenarioHost) evict(c *scenario.Command) (string, error) {
	k := &scenarioKubelet{}
	c.Line.Options(scenario.Options{"fails=": scenario.Names(&k.fails)})
	if len(h.last.Evictions) == 0 {
		k.log.WriteString("nothing to do\n")
	}
	kills, err := kubeletadmit.Evict(context.Background(), h.last, k)
	for _, kill := range kills {
		if kill.Err != nil {
			fmt.Fprintf(&k.log, "report: %s: %v\n", scenarioName(kill.Pod), kill.Err)
		}
	}
	return k.log.String(), err
}

// scenarioKubelet writes down what it is told to do.
type scenarioKubelet struct {
	fails []string
	log   strings.Builder
}

func (k *scenarioKubelet) Record(e outrank.Event) {
	fmt.Fprintf(&k.log, "event on %s: %s %s: %s\n", scenarioName(e.Pod), e.Type, e.Reason, e.Message)
}

func (k *scenarioKubelet) Kill(_ context.Context, p *outrank.Pod, s kubeletadmit.PodStatus) error {
	fmt.Fprintf(&k.log, "kill %s: %s %s: %s; %s %s: %s\n", scenarioName(p),
		s.Phase, s.Reason, s.Message, s.Condition.Type, s.Condition.Reason, s.Condition.Message)
	if slices.Contains(k.fails, p.Name) {
		return errors.New("it does not stop")
	}
	return nil
}
