package reference_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/internal/testdiff"
	"github.com/outrank-go/outrank/resource"
)

// now is the time of the clusters in these tests.
var now = time.Date(2026, 1, 10, 13, 0, 0, 0, time.UTC)

// row is one rule: a small cluster, and the expected decision.
type row struct {
	name string
	// why explains the case where its name does not.
	why string
	// cluster is made of *Node, *Pod, *PodDisruptionBudget and *Namespace, pod
	// is the preemptor.
	cluster []any
	pod     *outrank.Pod
	// release is that of the cluster; zero is the default.
	release outrank.Release
	// want is the decision as text writes it, without the blanks around it.
	want string
}

func runRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			c := clusterOf(r.cluster...)
			c.Release = r.release
			if err := c.Validate(); err != nil {
				t.Fatalf("the case itself is wrong: %v", err)
			}
			got := text(c, reference.Decide(reference.Input{Cluster: c, Pod: r.pod, Now: now}))
			if diff := testdiff.Diff(lines(r.want), lines(got)); diff != "" {
				t.Errorf("%s\nDecide (-want +got):\n%s", r.why, diff)
			}
		})
	}
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

// text writes a decision, one line per fact:
//
//	a: Unschedulable NodeResourcesFit [Insufficient cpu]    the filters on node a
//	a <- default/x, default/y! (1)                          victims, ! violates, (violations)
//	a out: Unschedulable NodeResourcesFit [Too many pods]   no candidate after the dry run
//	not eligible: ...
//	best a
//	cleared default/z
//
// Code UnschedulableAndUnresolvable is short "Unresolvable", and a node that
// takes the pod as things are has "fits".
func text(c *outrank.Cluster, d reference.Decision) string {
	var b strings.Builder
	for _, n := range c.Nodes {
		fmt.Fprintf(&b, "%s: %s\n", n.Name, statusText(d.Filter[n.Name]))
		for _, k := range d.Candidates {
			if k.Node == n.Name {
				fmt.Fprintf(&b, "%s <- %s\n", n.Name, victimText(k))
			}
		}
		if status, ok := d.NonCandidates[n.Name]; ok {
			fmt.Fprintf(&b, "%s out: %s\n", n.Name, statusText(status))
		}
		if slices.Contains(d.Feasible, n.Name) != (d.Filter[n.Name].Code == reference.Success) {
			fmt.Fprintf(&b, "%s is wrong in Feasible\n", n.Name)
		}
	}
	if !d.Eligible {
		fmt.Fprintf(&b, "not eligible: %s\n", d.EligibleMessage)
	}
	if d.Best != "" {
		fmt.Fprintf(&b, "best %s\n", d.Best)
	}
	for _, key := range d.ClearedNominations {
		fmt.Fprintf(&b, "cleared %s\n", key)
	}
	return b.String()
}

func statusText(s reference.Status) string {
	switch s.Code {
	case reference.Success:
		return "fits"
	case reference.UnschedulableAndUnresolvable:
		return strings.Join(slices.DeleteFunc([]string{"Unresolvable", s.Plugin, fmt.Sprint(s.Reasons)}, isEmpty), " ")
	}
	return s.Code.String() + " " + s.Plugin + " " + fmt.Sprint(s.Reasons)
}

func isEmpty(s string) bool { return s == "" }

func victimText(k reference.Candidate) string {
	var names []string
	for i, p := range k.Victims {
		name := strings.TrimPrefix(string(p.Key()), "default/")
		if k.Details[i].Pod != p {
			name += " (wrong in Details)"
		}
		if k.Details[i].Violates {
			name += "!"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%s (%d)", strings.Join(names, ", "), k.Violations)
}

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
