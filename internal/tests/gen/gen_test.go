package gen_test

import (
	"slices"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// shapes has each subject alone, and all of them together.
var shapes = map[string]gen.Shape{
	"resources": {},
	"budgets":   {Budgets: 4},
	"nominated": {Nominated: 4},
	"taints":    {Taints: true},
	"selectors": {Selectors: true},
	"ports":     {Ports: true},
	"affinity":  {Affinity: true},
	"spread":    {Spread: true},
	"volumes":   {Volumes: true},
	"features":  {Features: true},
	"rest":      {Rest: true},
	"groups":    {Groups: 2},
	"alike":     {Alike: true},
	"full":      gen.Full(),
}

func TestAllIsValid(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			c := gen.Cluster(shape).Draw(t, "cluster")
			if err := c.Validate(); err != nil {
				t.Fatalf("Cluster: %v", err)
			}
			p := gen.Preemptor(shape).Draw(t, "preemptor")
			if err := p.Validate(); err != nil {
				t.Fatalf("Preemptor: %v", err)
			}
		}))
	}
}

func TestMaxima(t *testing.T) {
	shape := gen.Shape{Nodes: 2, PodsPerNode: 1, Budgets: 1, Nominated: 1}
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(shape).Draw(t, "cluster")
		onNode := map[string]int{}
		waiting := 0
		for _, p := range c.Pods {
			switch {
			case p.NodeName != "" && p.NodeName != "gone":
				onNode[p.NodeName]++
			case p.NominatedNodeName != "" && p.Name != "preemptor":
				waiting++
			}
		}
		for name, count := range onNode {
			if count > 1 {
				t.Fatalf("%d pods on %s", count, name)
			}
		}
		if len(c.Nodes) > 2 || len(c.Budgets) > 1 || waiting > 1 {
			t.Fatalf("%d nodes, %d budgets, %d nominated", len(c.Nodes), len(c.Budgets), waiting)
		}
	})
}

// draws is how many clusters the statistics below are made from, each with its
// own fixed seed.
const draws = 400

func draw(shape gen.Shape, seed int) (*outrank.Cluster, *outrank.Pod) {
	return gen.Cluster(shape).Example(seed), gen.Preemptor(shape).Example(seed + draws)
}

func decide(c *outrank.Cluster, p *outrank.Pod) *preemption.Plan {
	plan, err := preemption.Explain(c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{})
	if err != nil {
		panic(err)
	}
	return plan
}

// Most decisions should have something to decide: a node where preemption
// helps, and few victims on it, but often more than one.
func TestDefaultShapeLeadsToPreemption(t *testing.T) {
	helped, choice, candidates, few, several := 0, 0, 0, 0, 0
	for seed := range draws {
		d := decide(draw(gen.Shape{}, seed))
		if len(d.Candidates) > 0 {
			helped++
		}
		if len(d.Candidates) > 1 {
			choice++
		}
		for _, k := range d.Candidates {
			candidates++
			if len(k.Victims) <= 4 {
				few++
			}
			if len(k.Victims) > 1 {
				several++
			}
		}
	}
	assert.GreaterOrEqual(t, helped, draws*60/100, "draws with a candidate")
	assert.GreaterOrEqual(t, choice, draws*40/100, "draws with two candidates or more")
	assert.GreaterOrEqual(t, few, candidates*90/100, "candidates with 1 to 4 victims")
	assert.GreaterOrEqual(t, several, candidates*40/100, "candidates with 2 victims or more")
}

// Pods that are alike lead to seven victims and more, to nodes that tie in all
// but the start of their victims, and to starts within one second.
func TestAlikeLeadsToTies(t *testing.T) {
	many, ties, close := 0, 0, 0
	for seed := range draws {
		d := decide(draw(gen.Shape{Alike: true}, seed))
		tied := map[int]int{}
		for _, k := range d.Candidates {
			if len(k.Victims) >= 7 {
				many++
			}
			tied[len(k.Victims)]++
			for i, v := range k.Victims[1:] {
				if apart := v.Pod.StartTime.Sub(k.Victims[i].Pod.StartTime); apart != 0 && apart < time.Second && apart > -time.Second {
					close++
				}
			}
		}
		for _, nodes := range tied {
			if nodes > 1 {
				ties++
			}
		}
	}
	assert.GreaterOrEqual(t, many, draws*2/5, "candidates with 7 victims or more")
	assert.GreaterOrEqual(t, ties, draws/4, "nodes with as many victims")
	assert.GreaterOrEqual(t, close, draws/4, "victims that started within a second")
}

// Every way for a node to fail, to be chosen and to be turned down occurs.
func TestFullShapeReachesEverything(t *testing.T) {
	seen := map[string]int{}
	for seed := range draws {
		c, p := draw(gen.Full(), seed)
		d := decide(c, p)
		seen["message "+d.Ineligible.Message()]++
		seen["cleared"] += len(d.ClearedNominations)
		seen["feasible"] += d.Feasible
		for _, n := range d.Nodes {
			seen["filter "+n.Status.Filter+" "+filter.Code(n.Status.Code)]++
			if after := n.AfterRemoval; after != nil && after.Code != preemption.Success {
				seen["dry run "+after.Filter+" "+filter.Code(after.Code)]++
			}
		}
		for _, k := range d.Candidates {
			seen["violations"] += k.Score.Violations
			if k.Score.Violations > 0 && k.Score.Violations < len(k.Victims) {
				seen["some violate"]++
			}
		}
	}
	for _, what := range []string{
		"message ", "message not eligible due to preemptionPolicy=Never.",
		"message not eligible due to a terminating pod on the nominated node.",
		"cleared", "feasible", "violations", "some violate",
		"filter  UnschedulableAndUnresolvable", "dry run  UnschedulableAndUnresolvable",
		"dry run InterPodAffinity UnschedulableAndUnresolvable", "dry run VolumeBinding UnschedulableAndUnresolvable", "dry run VolumeZone UnschedulableAndUnresolvable",
	} {
		assert.Positive(t, seen[what], what)
	}
	for _, e := range filter.Entries() {
		if e.Name == filter.DeferredPodScheduling {
			continue // the preemptors that are drawn have no node
		}
		if e.Fails.Has(filter.CurableFailure) {
			assert.Positive(t, seen["filter "+e.Name+" Unschedulable"], e.Name)
			assert.Positive(t, seen["dry run "+e.Name+" Unschedulable"], e.Name)
		}
		if e.Fails.Has(filter.IncurableFailure) {
			assert.Positive(t, seen["filter "+e.Name+" UnschedulableAndUnresolvable"], e.Name)
		}
	}
}

// features finds each feature in clusters and preemptors, and names the shape
// that brings it. Those under resources are in every shape.
var features = []struct {
	name  string
	shape string
	has   func(c *outrank.Cluster, p *outrank.Pod) bool
}{
	{"a negative priority", "resources", anyPod(func(p *outrank.Pod) bool { return p.PriorityValue() < 0 })},
	{"no priority", "resources", anyPod(func(p *outrank.Pod) bool { return p.Priority == nil })},
	{"a preemptor without a priority", "resources", func(_ *outrank.Cluster, p *outrank.Pod) bool { return p.Priority == nil }},
	{"no start time", "resources", anyPod(func(p *outrank.Pod) bool { return p.NodeName != "" && p.StartTime.IsZero() })},
	{"a start in the future", "resources", anyPod(func(p *outrank.Pod) bool { return p.StartTime.After(gen.Now) })},
	{"a terminating pod", "resources", anyPod((*outrank.Pod).Terminating)},
	{"a finished pod", "resources", anyPod((*outrank.Pod).Finished)},
	{"a pod on no known node", "resources", anyPod(func(p *outrank.Pod) bool { return p.NodeName == "gone" })},
	{"a pod without labels", "resources", anyPod(func(p *outrank.Pod) bool { return len(p.Labels) == 0 })},
	{"no namespace", "resources", anyPod(func(p *outrank.Pod) bool { return p.Namespace == "" })},
	{"a UID", "resources", anyPod(func(p *outrank.Pod) bool { return p.UID != "" })},
	{"overhead", "resources", anyPod(func(p *outrank.Pod) bool { return len(p.Overhead) > 0 })},
	{"pod-level resources", "resources", anyPod(func(p *outrank.Pod) bool { return p.Resources != nil })},
	{"a sidecar", "resources", anyPod(func(p *outrank.Pod) bool { return slices.ContainsFunc(p.InitContainers, isSidecar) })},
	{"a resize", "resources", anyPod(func(p *outrank.Pod) bool { return p.Containers[0].Actual != nil })},
	{"an infeasible resize", "resources", anyPod(func(p *outrank.Pod) bool { return p.ResizeInfeasible })},
	{"a nomination", "nominated", anyPod(func(p *outrank.Pod) bool { return p.NominatedNodeName != "" })},
	{"a nomination to no node", "nominated", nominatedNowhere},
	{"a nominated preemptor", "nominated", func(_ *outrank.Cluster, p *outrank.Pod) bool { return p.NominatedNodeName != "" }},
	{"a nominated pod that is being deleted", "nominated", nominatedPod((*outrank.Pod).Terminating)},
	{"a nominated pod with gates", "nominated", nominatedPod((*outrank.Pod).Gated)},
	{"a nominated pod of another scheduler", "nominated", nominatedPod(func(p *outrank.Pod) bool { return p.Scheduler() != outrank.DefaultScheduler })},
	{"the preemptor among the pending", "nominated", anyPod(func(p *outrank.Pod) bool { return p.Name == "preemptor" })},
	{"a disrupted name", "budgets", anyBudget(func(b *outrank.PodDisruptionBudget) bool { return len(b.DisruptedPods) > 0 })},
	{"a nil selector", "budgets", anyBudget(func(b *outrank.PodDisruptionBudget) bool { return b.Selector == nil })},
	{"an empty selector", "budgets", anyBudget(func(b *outrank.PodDisruptionBudget) bool { return b.Selector.Empty() })},
	{"an invalid selector", "budgets", anyBudget(func(b *outrank.PodDisruptionBudget) bool { return b.Selector.Validate() != nil })},
	{"a taint", "taints", anyNode(func(n *outrank.Node) bool { return len(n.Taints) > 0 || n.Unschedulable })},
	{"a toleration", "taints", func(_ *outrank.Cluster, p *outrank.Pod) bool { return len(p.Tolerations) > 0 }},
	{"a node selector", "selectors", func(_ *outrank.Cluster, p *outrank.Pod) bool { return len(p.NodeSelector) > 0 }},
	{"a node affinity", "selectors", func(_ *outrank.Cluster, p *outrank.Pod) bool { return p.Affinity.NodeAffinity != nil }},
	{"a node name", "selectors", func(_ *outrank.Cluster, p *outrank.Pod) bool { return p.NodeName != "" }},
	{"a host port", "ports", anyPod(func(p *outrank.Pod) bool { return len(p.Containers[0].Ports) > 0 })},
	{"a wanted host port", "ports", func(_ *outrank.Cluster, p *outrank.Pod) bool { return len(p.Containers[0].Ports) > 0 }},
	{"an affinity", "affinity", func(_ *outrank.Cluster, p *outrank.Pod) bool { return len(p.Affinity.PodAffinity) > 0 }},
	{"an anti-affinity", "affinity", func(_ *outrank.Cluster, p *outrank.Pod) bool { return len(p.Affinity.PodAntiAffinity) > 0 }},
	{"another pod's anti-affinity", "affinity", anyPod(func(p *outrank.Pod) bool { return len(p.Affinity.PodAntiAffinity) > 0 })},
	{"a group", "groups", func(c *outrank.Cluster, _ *outrank.Pod) bool { return len(c.Groups) > 0 }},
	{"a pod in a group", "groups", anyPod(func(p *outrank.Pod) bool { return p.Group != "" })},
	{"a claim", "volumes", anyVolume(func(v outrank.Volume) bool { return v.Claim != "" })},
	{"a claim for one pod", "volumes", anyVolume(func(v outrank.Volume) bool { return v.OncePod })},
	{"an ephemeral volume", "volumes", anyVolume(func(v outrank.Volume) bool { return v.Ephemeral })},
	{"a volume that is yet to be made", "volumes", anyVolume(func(v outrank.Volume) bool { return v.Driver != "" && v.Handle == "" })},
	{"a claim that cannot be used", "volumes", anyVolume(func(v outrank.Volume) bool { return v.State != "" })},
	{"an ephemeral volume of the preemptor", "volumes", preemptorVolume(func(v outrank.Volume) bool { return v.Ephemeral })},
	{"a lost claim of the preemptor", "volumes", preemptorVolume(func(v outrank.Volume) bool { return v.State == outrank.ClaimLost })},
	{"a deleted claim of the preemptor", "volumes", preemptorVolume(func(v outrank.Volume) bool { return v.State == outrank.ClaimDeleting })},
	{"an unbound claim of the preemptor", "volumes", preemptorVolume(func(v outrank.Volume) bool { return v.State == outrank.ClaimUnbound })},
	{"a claim of the preemptor without its volume", "volumes", preemptorVolume(func(v outrank.Volume) bool { return v.State == outrank.ClaimVolumeMissing && !v.Ephemeral })},
	{"a disk", "volumes", anyVolume(func(v outrank.Volume) bool { return v.Disk.Kind != "" })},
	{"a volume of the preemptor", "volumes", func(_ *outrank.Cluster, p *outrank.Pod) bool { return len(p.Volumes) > 0 }},
	{"a limit of volumes", "volumes", anyNode(func(n *outrank.Node) bool { return len(n.AttachLimits) > 0 })},
	{"a declared feature", "features", anyNode(func(n *outrank.Node) bool { return len(n.DeclaredFeatures) > 0 })},
	{"a pod that needs features", "features", func(_ *outrank.Cluster, p *outrank.Pod) bool { return p.HostUsers != nil }},
	{"a driver that is missing", "volumes", anyNode(func(n *outrank.Node) bool { return len(n.MissingDrivers) > 0 })},
	{"a node on which resizes push nobody out", "rest", anyNode(func(n *outrank.Node) bool { return len(n.DisableResizePreemption) > 0 })},
	{"a spread constraint", "spread", func(_ *outrank.Cluster, p *outrank.Pod) bool { return len(p.TopologySpreadConstraints) > 0 }},
}

type predicate = func(*outrank.Cluster, *outrank.Pod) bool

func anyPod(has func(*outrank.Pod) bool) predicate {
	return func(c *outrank.Cluster, _ *outrank.Pod) bool { return slices.ContainsFunc(c.Pods, has) }
}

func anyNode(has func(*outrank.Node) bool) predicate {
	return func(c *outrank.Cluster, _ *outrank.Pod) bool { return slices.ContainsFunc(c.Nodes, has) }
}

func nominatedPod(has func(*outrank.Pod) bool) predicate {
	return anyPod(func(p *outrank.Pod) bool { return p.NominatedNodeName != "" && has(p) })
}

func anyVolume(has func(outrank.Volume) bool) predicate {
	return anyPod(func(p *outrank.Pod) bool { return slices.ContainsFunc(p.Volumes, has) })
}

func preemptorVolume(has func(outrank.Volume) bool) predicate {
	return func(_ *outrank.Cluster, p *outrank.Pod) bool { return slices.ContainsFunc(p.Volumes, has) }
}

func anyBudget(has func(*outrank.PodDisruptionBudget) bool) predicate {
	return func(c *outrank.Cluster, _ *outrank.Pod) bool { return slices.ContainsFunc(c.Budgets, has) }
}

func isSidecar(c outrank.Container) bool { return c.Sidecar }

func nominatedNowhere(c *outrank.Cluster, _ *outrank.Pod) bool {
	return slices.ContainsFunc(c.Pods, func(p *outrank.Pod) bool {
		return p.NominatedNodeName != "" && !slices.ContainsFunc(c.Nodes, func(n *outrank.Node) bool { return n.Name == p.NominatedNodeName })
	})
}

// A shape brings the features of its fields and no others.
func TestShapesBringTheirFeatures(t *testing.T) {
	for name, shape := range shapes {
		seen := map[string]int{}
		for seed := range draws / 2 {
			c, p := draw(shape, seed)
			for _, f := range features {
				if f.has(c, p) {
					seen[f.name]++
				}
			}
		}
		for _, f := range features {
			if name == "alike" && f.shape == "resources" {
				continue // see TestAlikeLeadsToTies
			}
			if f.shape == "resources" || f.shape == name || name == "full" {
				assert.Positive(t, seen[f.name], "shape %s: %s", name, f.name)
			} else {
				assert.Zero(t, seen[f.name], "shape %s: %s", name, f.name)
			}
		}
	}
}

func TestShuffled(t *testing.T) {
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(gen.Full()).Draw(t, "cluster")
		nodes, pods, budgets := slices.Clone(c.Nodes), slices.Clone(c.Pods), slices.Clone(c.Budgets)
		s := gen.Shuffled(c).Draw(t, "shuffled")
		if !sameElements(s.Nodes, c.Nodes) || !sameElements(s.Pods, c.Pods) || !sameElements(s.Budgets, c.Budgets) ||
			!sameElements(s.Namespaces, c.Namespaces) || !sameElements(s.Groups, c.Groups) {
			t.Fatalf("Shuffled lost or made up objects")
		}
		if !slices.Equal(nodes, c.Nodes) || !slices.Equal(pods, c.Pods) || !slices.Equal(budgets, c.Budgets) {
			t.Fatalf("Shuffled changed the cluster itself")
		}
		if !slices.Equal(s.Pods, c.Pods) {
			moved++
		}
	})
	assert.Positive(t, moved, "shuffles that moved a pod")
}

func sameElements[T comparable](a, b []T) bool {
	count := map[T]int{}
	for _, x := range a {
		count[x]++
	}
	for _, x := range b {
		count[x]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return len(a) == len(b)
}
