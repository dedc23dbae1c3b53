package preemption_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// now is the time of the clusters in these tests.
var now = time.Date(2026, 1, 10, 13, 0, 0, 0, time.UTC)

// row is one rule: a small cluster, and the expected decision.
type row struct {
	name string
	// why explains the case where its name does not.
	why string
	// cluster is made of *Node, *Pod, *PodDisruptionBudget, *Namespace, *PodGroup and
	// *CompositePodGroup, pod is the preemptor.
	cluster []any
	pod     *outrank.Pod
	// release is that of the cluster; zero is the default.
	release outrank.Release
	// config is how to decide; zero is the default.
	config preemption.Config
	// offset is that of the request, and statuses are the answers of the nodes, if the caller has asked them.
	offset   int
	statuses map[string]preemption.Status
	// want is the decision as text writes it, without the blanks around it.
	want string
}

// ask is the question of a row.
func (r *row) ask() preemption.Request {
	req := preemption.Request{Pod: r.pod, Now: now, Offset: r.offset}
	if r.statuses != nil {
		req.Statuses = func(_ int, n *outrank.Node) (preemption.Status, bool) {
			status, asked := r.statuses[n.Name]
			return status, asked
		}
	}
	return req
}

// runRows explains the case of each row. Preempt has to say the same with fewer reasons.
func runRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			c := clusterOf(r.cluster...)
			c.Release = r.release
			if err := c.Validate(); err != nil {
				t.Fatalf("the case itself is wrong: %v", err)
			}
			explained, err := preemption.Explain(c, r.ask(), r.config)
			if diff := testdiff.Diff(lines(r.want), lines(textOrError(explained, err))); diff != "" {
				t.Errorf("%s\nExplain (-want +got):\n%s", r.why, diff)
			}
			plan, shortErr := preemption.Preempt(c, r.ask(), r.config)
			require.Equal(t, fmt.Sprint(err), fmt.Sprint(shortErr), "the error of Preempt")
			if err == nil {
				short := *explained
				short.Nodes, short.Candidates, short.DecidedBy = nil, nil, ""
				if diff := testdiff.Diff(&short, plan, samePointers, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("Preempt says something else than Explain (-explained +got):\n%s", diff)
				}
			}
		})
	}
}

// samePointers compares objects of the cluster by their addresses.
var samePointers = cmp.Options{
	cmp.Comparer(func(a, b *outrank.Pod) bool { return a == b }),
	cmp.Comparer(func(a, b *outrank.PodDisruptionBudget) bool { return a == b }),
	cmp.Comparer(func(a, b *outrank.PodGroup) bool { return a == b }),
	cmp.Comparer(func(a, b *outrank.CompositePodGroup) bool { return a == b }),
}

// explain is the plan of a case that is no error.
func explain(t *testing.T, c *outrank.Cluster, p *outrank.Pod, config preemption.Config) *preemption.Plan {
	t.Helper()
	plan, err := preemption.Explain(c, preemption.Request{Pod: p, Now: now}, config)
	require.NoError(t, err)
	return plan
}

// lines drops the indentation and the empty lines.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func textOrError(plan *preemption.Plan, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return text(plan)
}

// text writes a plan of Explain, one line per fact:
//
//	a: Unschedulable NodeResourcesFit [Insufficient cpu]    the filters on node a
//	a <- x, y! (1)                                          victims, ! violates, (violations)
//	a out: Unschedulable NodeResourcesFit [Too many pods]   no candidate after the dry run
//	not eligible: ...
//	best a
//	cleared z
//
// UnschedulableAndUnresolvable is short "Unresolvable", and a node that takes the pod as things are has
// "fits". The namespace default is left out. A victim on another node has that node behind it, and one
// with a rule has that in brackets. The best candidate is named also where the pod needs none.
func text(plan *preemption.Plan) string {
	var b strings.Builder
	feasible := 0
	for _, n := range plan.Nodes {
		fmt.Fprintf(&b, "%s: %s\n", n.Node, statusText(n.Status))
		if n.Status.Code == preemption.Success {
			feasible++
		}
		if n.Candidate != nil {
			fmt.Fprintf(&b, "%s <- %s\n", n.Node, candidateText(n.Candidate))
		} else if n.AfterRemoval != nil {
			fmt.Fprintf(&b, "%s out: %s\n", n.Node, statusText(*n.AfterRemoval))
		}
	}
	if feasible != plan.Feasible {
		fmt.Fprintf(&b, "%d nodes fit, and Feasible is %d\n", feasible, plan.Feasible)
	}
	if plan.Ineligible != "" {
		fmt.Fprintf(&b, "not eligible: %s\n", plan.Ineligible.Message())
	}
	if len(plan.Candidates) > 0 {
		best := plan.Candidates[0]
		fmt.Fprintf(&b, "best %s\n", best.Node)
		for _, p := range best.ClearedNominations {
			fmt.Fprintf(&b, "cleared %s\n", shortName(p))
		}
		if plan.Outcome == preemption.Preempts && plan.Node != best.Node {
			fmt.Fprintf(&b, "and the plan is for %s\n", plan.Node)
		}
	}
	return b.String()
}

func statusText(s preemption.Status) string {
	code := map[preemption.Code]string{
		preemption.Success: "fits", preemption.Unschedulable: "Unschedulable",
		preemption.UnschedulableAndUnresolvable: "Unresolvable", preemption.Contradiction: "Contradiction",
	}[s.Code]
	if s.Code == preemption.Success {
		return code
	}
	return strings.Join(slices.DeleteFunc([]string{code, s.Filter, fmt.Sprint(s.Reasons)}, isEmpty), " ")
}

func isEmpty(s string) bool { return s == "" }

func candidateText(c *preemption.Candidate) string {
	if len(c.Victims) == 0 {
		return fmt.Sprintf("nobody (%d)", c.Score.Violations)
	}
	var names []string
	for _, v := range c.Victims {
		name := shortName(v.Pod)
		if len(v.Violated) > 0 {
			name += "!"
		}
		if v.Node != "" {
			name += " on " + v.Node
		}
		if v.Rule != "" {
			name += " [" + v.Rule + "]"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%s (%d)", strings.Join(names, ", "), c.Score.Violations)
}

func shortName(p *outrank.Pod) string { return strings.TrimPrefix(string(p.Key()), "default/") }

// names lists pods by shortName, and victims likewise.
func names(pods []*outrank.Pod) []string {
	var list []string
	for _, p := range pods {
		list = append(list, shortName(p))
	}
	return list
}

func victimNames(victims []preemption.Victim) []string {
	var list []string
	for _, v := range victims {
		list = append(list, shortName(v.Pod))
	}
	return list
}

var errPlanted = errors.New("planted")

func clusterOf(objects ...any) *outrank.Cluster {
	c := &outrank.Cluster{}
	for _, o := range objects {
		switch o := o.(type) {
		case *outrank.Node:
			c.Nodes = append(c.Nodes, o)
		case *outrank.Pod:
			c.Pods = append(c.Pods, o)
		case *outrank.PodDisruptionBudget:
			c.Budgets = append(c.Budgets, o)
		case *outrank.Namespace:
			c.Namespaces = append(c.Namespaces, o)
		case *outrank.PodGroup:
			c.Groups = append(c.Groups, o)
		case *outrank.CompositePodGroup:
			c.Composites = append(c.Composites, o)
		default:
			panic(fmt.Sprintf("a cluster holds no %T", o))
		}
	}
	return c
}

// node has 1 cpu, 1Gi of memory, 1 GPU and 10 slots, and its own hostname.
func node(name string, changes ...func(*outrank.Node)) *outrank.Node {
	n := &outrank.Node{
		Name:        name,
		Labels:      map[string]string{"host": name},
		Allocatable: resource.MustList("cpu", "1", "memory", "1Gi", "example.com/gpu", "1", "pods", "10"),
	}
	for _, change := range changes {
		change(n)
	}
	return n
}

// nodeLabels adds labels, key and value in turn.
func nodeLabels(pairs ...string) func(*outrank.Node) {
	return func(n *outrank.Node) { setPairs(n.Labels, pairs) }
}

func slots(count int64) func(*outrank.Node) {
	return func(n *outrank.Node) { n.Allocatable[resource.Pods] = resource.New(count) }
}

func allocatable(pairs ...string) func(*outrank.Node) {
	return func(n *outrank.Node) { n.Allocatable = resource.MustList(pairs...) }
}

func taints(list ...outrank.Taint) func(*outrank.Node) {
	return func(n *outrank.Node) { n.Taints = list }
}

func setPairs(m map[string]string, pairs []string) {
	for pair := range slices.Chunk(pairs, 2) {
		m[pair[0]] = pair[1]
	}
}

type podOption = func(*outrank.Pod)

// pod asks for a slot and nothing else. It runs on the node, or is pending if
// that is "".
func pod(name, node string, priority int32, options ...podOption) *outrank.Pod {
	p := &outrank.Pod{Name: name, NodeName: node, Priority: &priority, StartTime: now.Add(-time.Hour)}
	for _, option := range options {
		option(p)
	}
	return p
}

// preemptor is pending and has priority 100.
func preemptor(options ...podOption) *outrank.Pod { return pod("p", "", 100, options...) }

// asks adds a container with requests.
func asks(pairs ...string) podOption {
	return func(p *outrank.Pod) {
		p.Containers = append(p.Containers, outrank.Container{Requests: resource.MustList(pairs...)})
	}
}

func cpu(amount string) podOption { return asks("cpu", amount) }

func labels(pairs ...string) podOption {
	return func(p *outrank.Pod) {
		p.Labels = map[string]string{}
		setPairs(p.Labels, pairs)
	}
}

func inNamespace(name string) podOption { return func(p *outrank.Pod) { p.Namespace = name } }

func started(minutesAgo int) podOption {
	return func(p *outrank.Pod) { p.StartTime = now.Add(-time.Duration(minutesAgo) * time.Minute) }
}

func notStarted(p *outrank.Pod) { p.StartTime = time.Time{} }

func noPriority(p *outrank.Pod) { p.Priority = nil }

func terminating(p *outrank.Pod) { p.DeletionTimestamp = now }

func preempted(p *outrank.Pod) { p.DisruptionReason = outrank.PreemptionByScheduler }

func nominatedTo(node string) podOption { return func(p *outrank.Pod) { p.NominatedNodeName = node } }

// selects is a label selector for these labels, key and value in turn; without
// any it is empty and picks everything.
func selects(pairs ...string) *outrank.LabelSelector {
	s := &outrank.LabelSelector{MatchLabels: map[string]string{}}
	setPairs(s.MatchLabels, pairs)
	return s
}
