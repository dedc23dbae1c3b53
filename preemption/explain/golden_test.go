package explain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

var now = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

func asking(pairs ...string) []outrank.Container {
	return []outrank.Container{{Requests: resource.MustList(pairs...)}}
}

func running(name, node string, priority int32, options ...func(*outrank.Pod)) *outrank.Pod {
	p := &outrank.Pod{
		Namespace: "shop", Name: name, NodeName: node, Priority: outrank.Priority(priority), Containers: asking("cpu", "1"),
		Labels: map[string]string{"app": strings.TrimRight(name, "-0123456789")}, StartTime: now.Add(-time.Hour),
	}
	for _, o := range options {
		o(p)
	}
	return p
}

func takes(pairs ...string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.Containers = asking(pairs...) }
}

func machine(name string, labels ...string) *outrank.Node {
	n := &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "memory", "8Gi", "pods", "10"), Labels: map[string]string{"disk": "ssd", "zone": "a"}}
	for i := 0; i < len(labels); i += 2 {
		n.Labels[labels[i]] = labels[i+1]
	}
	return n
}

// fleet has a node for each thing that can be in the way.
func fleet() (*outrank.Cluster, *outrank.Pod) {
	nodes := map[string]*outrank.Node{}
	c := &outrank.Cluster{}
	for _, name := range []string{"affine", "apart", "attached", "binding", "cordoned", "hdd", "mounted", "port-low", "port-system", "small", "tainted", "unlabelled", "wrong-zone"} {
		nodes[name] = machine(name, "host", name)
		c.Nodes = append(c.Nodes, nodes[name])
	}
	nodes["cordoned"].Unschedulable = true
	nodes["tainted"].Taints = []outrank.Taint{{Key: "gpu", Value: "true", Effect: outrank.NoSchedule}, {Key: "drain", Effect: outrank.NoExecute}}
	nodes["hdd"].Labels["disk"] = "hdd"
	delete(nodes["unlabelled"].Labels, "disk")
	nodes["small"].Allocatable = resource.MustList("cpu", "1", "memory", "8Gi", "pods", "10")
	nodes["attached"].AttachLimits = map[string]int64{"ebs.csi.aws.com": 1}
	nodes["wrong-zone"].Labels[outrank.ZoneLabel] = "eu-2"
	nodes["binding"].Labels["rack"] = "r2"
	port := func(p *outrank.Pod) { p.Containers[0].Ports = []outrank.Port{{HostPort: 8080}} }
	disk := outrank.Volume{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "data"}}
	keepsAway := func(p *outrank.Pod) {
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "host", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	}
	c.Pods = []*outrank.Pod{
		running("proxy", "port-system", 2000001000, port), running("batch-1", "port-system", 1),
		running("low", "port-low", 1, port), running("full-1", "port-low", 5000, takes("cpu", "3")),
		running("mount", "mounted", 5000, func(p *outrank.Pod) { p.Volumes = []outrank.Volume{disk} }),
		running("ebs", "attached", 5000, func(p *outrank.Pod) { p.Volumes = []outrank.Volume{{Driver: "ebs.csi.aws.com", Handle: "vol-1"}} }),
		running("rival", "apart", 5000, keepsAway), running("enemy", "affine", 5000),
	}
	rack := outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: "rack", Operator: outrank.NotIn, Values: []string{"r2"}}}}
	pod := &outrank.Pod{
		Namespace: "shop", Name: "web-1", Labels: map[string]string{"app": "web"}, Priority: outrank.Priority(1000),
		Containers: asking("cpu", "2", "memory", "1Gi"), NodeSelector: map[string]string{"disk": "ssd"},
		Volumes: []outrank.Volume{
			disk,
			{Claim: "data", Driver: "ebs.csi.aws.com", Handle: "vol-2", Node: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{rack}}, Zones: map[string][]string{outrank.ZoneLabel: {"eu-1"}}},
		},
		Affinity: outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{{TopologyKey: "host", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "enemy"}}}}},
	}
	port(pod)
	return c, pod
}

// zones are three nodes over which the pods are spread unevenly.
func zones() (*outrank.Cluster, *outrank.Pod) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{machine("n1", "zone", "a"), machine("n2", "zone", "b"), machine("n3", "zone", "c"), machine("n4")},
		Pods:  []*outrank.Pod{running("web-1", "n1", 5000), running("web-2", "n1", 5000), running("web-3", "n2", 5000), running("big-1", "n3", 5000, takes("cpu", "4"))},
	}
	delete(c.Nodes[3].Labels, "zone")
	pod := running("web-4", "", 1000)
	pod.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	return c, pod
}

// crowd has victims of every sort on its best node, and two other candidates.
func crowd() (*outrank.Cluster, *outrank.Pod) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{machine("n1"), machine("n2"), machine("n3")},
		Pods: []*outrank.Pod{
			running("cart", "n1", 50, takes("cpu", "2")), running("mail", "n1", 40, takes("cpu", "1500m"), func(p *outrank.Pod) { p.DeletionTimestamp = now }),
			running("tiny", "n1", 10, takes("cpu", "100m")), running("core", "n1", 9000, takes("cpu", "100m")),
			running("search", "n2", 60, takes("cpu", "4")), running("index", "n3", 50, takes("cpu", "4")),
		},
		Budgets: []*outrank.PodDisruptionBudget{
			{Namespace: "shop", Name: "index", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "index"}}},
			{Namespace: "shop", Name: "tiny", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "tiny"}}},
		},
	}
	return c, &outrank.Pod{Namespace: "shop", Name: "urgent", Priority: outrank.Priority(1000), Containers: asking("cpu", "3")}
}

// violating is crowd with nowhere to go but where a budget breaks.
func violating() (*outrank.Cluster, *outrank.Pod) {
	c, pod := crowd()
	c.Nodes = c.Nodes[2:]
	c.Pods = c.Pods[5:]
	return c, pod
}

// strangers is a cluster of names that no API server would allow.
func strangers() (*outrank.Cluster, *outrank.Pod) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{machine("<script>alert(1)</script>"), machine("n\x1b[31m2"), machine(strings.Repeat("n", 253))}}
	for i, n := range c.Nodes {
		n.Taints = []outrank.Taint{{Key: "tr\u202eap", Value: "\U0001F600 \"quoted\"\n", Effect: outrank.NoSchedule}}
		if i > 0 {
			n.Taints = nil
			c.Pods = append(c.Pods, running("evil\u2028-"+strings.Repeat("x", i), n.Name, 5000, takes("cpu", "4")))
		}
	}
	return c, &outrank.Pod{Namespace: "\u05d0\u05d1", Name: "p\r\nod", Priority: outrank.Priority(10), Containers: asking("cpu", "1")}
}

var scenes = map[string]func() (*outrank.Cluster, *outrank.Pod){
	"fleet": fleet, "zones": zones, "crowd": crowd, "violating": violating, "strangers": strangers,
	"priority": func() (*outrank.Cluster, *outrank.Pod) {
		c, p := crowd()
		p.Priority = outrank.Priority(5)
		return c, p
	},
	"too-large": func() (*outrank.Cluster, *outrank.Pod) {
		c, p := crowd()
		p.Containers = asking("cpu", "5")
		return c, p
	},
	"never": func() (*outrank.Cluster, *outrank.Pod) {
		c, p := crowd()
		p.PreemptionPolicy = outrank.PreemptNever
		return c, p
	},
	"refused": func() (*outrank.Cluster, *outrank.Pod) {
		c, p := crowd()
		p.Volumes = []outrank.Volume{{Claim: "data", State: outrank.ClaimLost, MissingVolume: "pv-1"}}
		return c, p
	},
	"nominated": func() (*outrank.Cluster, *outrank.Pod) {
		c, p := crowd()
		c.Pods = append(c.Pods, running("promised", "", 2000, takes("cpu", "2"), func(p *outrank.Pod) { p.NominatedNodeName, p.StartTime = "n1", time.Time{} }))
		return c, p
	},
}

func ask(t *testing.T, scene func() (*outrank.Cluster, *outrank.Pod), options explain.Options) *explain.Report {
	t.Helper()
	c, pod := scene()
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	e, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: pod, Now: now}}, options)
	require.NoError(t, err)
	return r
}

// The wording is stable: what stands in the files is read by people and compared by
// programs.
func TestGoldenReports(t *testing.T) {
	options := explain.Options{Classes: []*outrank.PriorityClass{{Name: "high", Value: 100}, {Name: "middle", Value: 60, PreemptionPolicy: outrank.PreemptNever}}}
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			r := ask(t, scene, options)
			compare(t, name+".txt", []byte(r.Text()))
			text, err := json.MarshalIndent(r, "", "  ")
			require.NoError(t, err)
			compare(t, name+".json", append(text, '\n'))
		})
	}
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run with -update, and read what changed")
}

// No name can end a line, turn its direction or colour a terminal.
func TestTextIsPlain(t *testing.T) {
	text := ask(t, strangers, explain.Options{}).Text()
	for _, r := range text {
		assert.True(t, r == '\n' || r >= ' ' && r <= '~' || r == '×', "rune %q in the text", r)
	}
	assert.NotContains(t, text, " <script>", "a name that is none stands in quotes")
	assert.Contains(t, text, strings.Repeat("n", 253), "a name of the greatest length stands as it is")
}

// However large a cluster is, the report is cut, and says by how much.
func TestReportsAreBounded(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range 3000 {
		n := machine("n" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + time.Duration(i).String())
		n.Taints = []outrank.Taint{{Key: "node-" + n.Name, Effect: outrank.NoSchedule}}
		c.Nodes = append(c.Nodes, n)
	}
	r := ask(t, func() (*outrank.Cluster, *outrank.Pod) {
		return c, &outrank.Pod{Name: "web", Priority: outrank.Priority(1), Containers: asking("cpu", "1")}
	}, explain.Options{})
	require.Len(t, r.Nodes, 1)
	assert.True(t, r.Nodes[0].Mixed)
	assert.Equal(t, 3000, r.Nodes[0].Names.Len())
	assert.Len(t, r.Nodes[0].Names.Items, 10)
	assert.Contains(t, r.Text(), "and 2990 more")
	assert.Less(t, len(r.Text()), 1000)
}

// A report that nobody made has a text, too.
func TestEmptyReports(t *testing.T) {
	for _, r := range []explain.Report{
		{}, {Answer: explain.Answer{Outcome: preemption.NotEligible}},
		{Answer: explain.Answer{Outcome: preemption.Preempts, Victims: explain.List[explain.Victim]{Items: []explain.Victim{{}}}}, Stay: &explain.Stay{}, Choice: &explain.Choice{RunnerUp: explain.Contender{Node: "n"}}},
		{Answer: explain.Answer{Outcome: preemption.NothingHelps}, Nothing: &explain.Nothing{Enough: &explain.Enough{}, Nearest: &explain.Nearest{}}},
		{Nodes: []explain.NodeGroup{{}, {Verdict: explain.Verdict{Stage: explain.InVain}}, {Verdict: explain.Verdict{Stage: explain.Chosen}}, {Verdict: explain.Verdict{Stage: explain.NotTried, Before: &explain.Obstacle{
			Ports: []explain.Port{{}}, Volumes: []explain.Volume{{}}, Spread: []explain.Spread{{}},
			Neighbours: []explain.Neighbour{{}, {Side: "anti-affinity"}}, Terms: []explain.Term{{}}, Labels: []explain.Label{{}}, Taints: []outrank.Taint{{}},
		}}}}},
	} {
		assert.NotEmpty(t, r.Text())
	}
}

// A plan that is not the answer any more is not explained.
func TestStalePlans(t *testing.T) {
	c, pod := crowd()
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	e, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
	require.NoError(t, err)
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plan}, explain.Options{})
	require.NoError(t, err)
	assert.Equal(t, plan.Node, r.Choice.Node)
	again := ask(t, crowd, explain.Options{})
	assert.Equal(t, again.Text(), r.Text())
	require.NoError(t, snap.Apply(plan))
	_, err = explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plan}, explain.Options{})
	require.ErrorIs(t, err, engine.ErrStale)
	_, err = explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}}, explain.Options{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{}}, explain.Options{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// Given statuses, a rule of the caller, and a scheduler without preemption leave the filter's
// own words.
func TestWordsOfTheCaller(t *testing.T) {
	c, pod := crowd()
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	e, err := engine.New(preemption.Config{Filters: []*preemption.Filter{
		{Name: "Licence", Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
			return preemption.UnschedulableAndUnresolvable.Because("no licence\nthere")
		}},
	}})
	require.NoError(t, err)
	given := plantest.ByName(map[string]preemption.Status{
		"n1": {Code: preemption.UnschedulableAndUnresolvable, Filter: "Elsewhere", Reasons: []string{"said so"}},
	})
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: pod, Now: now, Statuses: given}}, explain.Options{})
	require.NoError(t, err)
	assert.Contains(t, r.Text(), "Elsewhere: said so")
	r, err = explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: pod, Now: now}}, explain.Options{})
	require.NoError(t, err)
	assert.Contains(t, r.Text(), `Licence: "no licence\nthere"`)
	assert.Contains(t, r.Text(), "No priority would be enough")
	assert.False(t, bytes.Contains([]byte(r.Text()), []byte("licence\n")))
}

// Pods that are spared for one reason share a sentence, and so do those that are not listed
// where there is no other reason.
func TestSparedShareASentence(t *testing.T) {
	spared := func(n int, budgets ...outrank.Key) (list []explain.Spared) {
		for i := range n {
			list = append(list, explain.Spared{Pod: explain.Pod{Key: outrank.Key(fmt.Sprint("x/p", i)), Priority: int32(i)}, Budgets: explain.List[outrank.Key]{Items: budgets}})
		}
		return list
	}
	stay := func(more int, list ...explain.Spared) explain.Stay {
		return explain.Stay{Spared: explain.List[explain.Spared]{Items: list, More: more}}
	}
	for _, tt := range []struct {
		name string
		stay explain.Stay
		want []string
	}{
		{"none", explain.Stay{}, nil},
		{"one", stay(0, spared(1)...), []string{"x/p0 (priority 0) is spared: the pod fits beside it."}},
		{"one, and others", stay(2, spared(1)...), []string{"x/p0 (priority 0) is spared: the pod fits beside it.", "2 pods more of lower priority: spared as well."}},
		{"three", stay(0, spared(3)...), []string{"3 pods are spared: the pod fits beside them: x/p0 (priority 0), x/p1 (priority 1), x/p2 (priority 2)."}},
		{"two, and others", stay(5, spared(2)...), []string{"7 pods are spared: the pod fits beside them: x/p0 (priority 0), x/p1 (priority 1) and 5 more."}},
		{"two reasons", stay(5, append(spared(2), spared(2, "x/keep")...)...), []string{
			"2 pods are spared: the pod fits beside them: x/p0 (priority 0), x/p1 (priority 1).",
			"2 pods are spared: the pod fits beside them; back early, as x/keep might break: x/p0 (priority 0), x/p1 (priority 1).",
			"5 pods more of lower priority: spared as well.",
		}},
	} {
		assert.Equal(t, tt.want, tt.stay.Texts(), tt.name)
	}
}
