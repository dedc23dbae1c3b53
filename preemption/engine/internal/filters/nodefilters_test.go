package filters_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// Each filter that looks at the pod and the node alone keeps to its rule. A node that it refuses
// stays refused whichever pods leave.
func TestNodeFilters(t *testing.T) {
	taints := func(list ...outrank.Taint) func(*outrank.Node) {
		return func(n *outrank.Node) { n.Taints = list }
	}
	tolerates := func(list ...outrank.Toleration) func(*outrank.Pod) {
		return func(p *outrank.Pod) { p.Tolerations = list }
	}
	labels := func(key, value string) func(*outrank.Node) {
		return func(n *outrank.Node) { n.Labels = map[string]string{key: value} }
	}
	requires := func(terms ...outrank.NodeSelectorTerm) func(*outrank.Pod) {
		return func(p *outrank.Pod) { p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: terms} }
	}
	expression := func(key string, operator outrank.Operator, values ...string) outrank.NodeSelectorTerm {
		return outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	volume := func(v outrank.Volume) func(*outrank.Pod) {
		return func(p *outrank.Pod) { p.Volumes = []outrank.Volume{v} }
	}
	noUsers := false
	ownUsers := func(p *outrank.Pod) { p.HostNetwork, p.HostUsers = true, &noUsers }
	gpu := outrank.Taint{Key: "gpu", Value: "yes", Effect: outrank.NoSchedule}
	any := func(*outrank.Pod) {}
	plain := func(*outrank.Node) {}

	const cordoned, tainted, selector = "node(s) were unschedulable", "node(s) had untolerated taint(s)", "node(s) didn't match Pod's node affinity/selector"
	for _, test := range []struct {
		name   string
		pod    func(*outrank.Pod)
		node   func(*outrank.Node)
		filter string
		want   string // empty where the node passes
	}{
		{"nothing to say", any, plain, "", ""},
		{"7.2.1: a cordoned node", any, func(n *outrank.Node) { n.Unschedulable = true }, preemption.NodeUnschedulable, cordoned},
		{"7.2.1: a pod that tolerates it", tolerates(outrank.Toleration{Key: "node.kubernetes.io/unschedulable", Operator: outrank.TolerationExists}), func(n *outrank.Node) { n.Unschedulable = true }, "", ""},
		{"7.4.1: a taint", any, taints(gpu), preemption.TaintToleration, tainted},
		{"7.4.1: one that keeps nobody away", any, taints(outrank.Taint{Key: "gpu", Effect: outrank.PreferNoSchedule}), "", ""},
		{"7.4.1: one of two is tolerated", tolerates(outrank.Toleration{Key: "gpu", Value: "yes"}), taints(gpu, outrank.Taint{Key: "old", Effect: outrank.NoExecute}), preemption.TaintToleration, tainted},
		{"7.4.3: the value of the taint", tolerates(outrank.Toleration{Key: "gpu", Value: "yes"}), taints(gpu), "", ""},
		{"7.4.3: another value", tolerates(outrank.Toleration{Key: "gpu", Value: "no"}), taints(gpu), preemption.TaintToleration, tainted},
		{"7.4.3: any value", tolerates(outrank.Toleration{Key: "gpu", Operator: outrank.TolerationExists}), taints(gpu), "", ""},
		{"7.4.4: another effect", tolerates(outrank.Toleration{Key: "gpu", Value: "yes", Effect: outrank.NoExecute}), taints(gpu), preemption.TaintToleration, tainted},
		{"7.4.5: any key", tolerates(outrank.Toleration{Operator: outrank.TolerationExists}), taints(gpu), "", ""},
		{"7.5.1: a selector", func(p *outrank.Pod) { p.NodeSelector = map[string]string{"disk": "ssd"} }, labels("disk", "hdd"), preemption.NodeAffinity, selector},
		{"7.5.1: one that is met", func(p *outrank.Pod) { p.NodeSelector = map[string]string{"disk": "ssd"} }, labels("disk", "ssd"), "", ""},
		{"7.5.3: one of two terms", requires(expression("disk", outrank.In, "ssd"), expression("disk", outrank.In, "hdd")), labels("disk", "hdd"), "", ""},
		{"7.5.4: an empty term", requires(outrank.NodeSelectorTerm{}), plain, preemption.NodeAffinity, selector},
		{"7.5.5: a label that must not be there", requires(expression("disk", outrank.DoesNotExist)), labels("disk", "hdd"), preemption.NodeAffinity, selector},
		{"7.5.6: strictly more", requires(expression("cores", outrank.Gt, "8")), labels("cores", "8"), preemption.NodeAffinity, selector},
		{"7.5.6: more", requires(expression("cores", outrank.Gt, "8")), labels("cores", "10"), "", ""},
		{"7.10.2: a volume of other nodes", volume(outrank.Volume{Claim: "c", Node: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{expression("zone", outrank.In, "b")}}}), labels("zone", "a"), preemption.VolumeBinding, "node(s) didn't match PersistentVolume's node affinity"},
		{"7.11.4: a volume of another zone", volume(outrank.Volume{Claim: "c", Zones: map[string][]string{outrank.ZoneLabel: {"b", "c"}}}), labels(outrank.ZoneLabel, "a"), preemption.VolumeZone, "node(s) had no available volume zone"},
		{"7.11.4: one of its zones", volume(outrank.Volume{Claim: "c", Zones: map[string][]string{outrank.ZoneLabel: {"b", "a"}}}), labels(outrank.ZoneLabel, "a"), "", ""},
		{"7.11.3: a node in no zone", volume(outrank.Volume{Claim: "c", Zones: map[string][]string{outrank.ZoneLabel: {"b"}}}), plain, "", ""},
		{"7.14.1: a feature that the node lacks", ownUsers, plain, preemption.NodeDeclaredFeatures, "node(s) didn't match Pod's required features"},
		{"7.14.1: a feature that it has", ownUsers, func(n *outrank.Node) { n.DeclaredFeatures = []string{"UserNamespacesHostNetworkSupport"} }, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, p := &outrank.Node{Name: "n"}, &outrank.Pod{Name: "asks", Priority: outrank.Priority(5)}
			test.node(n)
			test.pod(p)
			q := questionAbout(t, &outrank.Cluster{Nodes: []*outrank.Node{n}}, p)
			by, got := firstToRefuse(q, "n")
			want := verdict{}
			if test.want != "" {
				want = verdict{filters.UnschedulableAndUnresolvable, []string{test.want}}
			}
			assert.Equal(t, test.filter, by)
			assert.Equal(t, want, got)
		})
	}
}

// firstToRefuse asks all filters but NodeResourcesFit in their order, and names the first that refuses.
func firstToRefuse(q *filters.Question, node string) (by string, v verdict) {
	var plan filters.Plan
	plan.Begin(q)
	n := q.Snap.NodeState(node)
	if s := plan.CheckNode(q, n); s.Code != filters.Success {
		return filters.BuiltInNames[s.By], said(q, s)
	}
	for i := range plan.Active {
		f := plan.Active[i].OnNode(nil)
		f.Enter(n)
		if s := f.Check(nil); s.Code != filters.Success {
			return filters.BuiltInNames[plan.Active[i].Index], said(q, s)
		}
	}
	return "", verdict{}
}

// Only the nodes that a pod names are filtered, and the others say why not (rules 7.15.1 to 7.15.3).
func TestNarrowed(t *testing.T) {
	named := func(name string) outrank.NodeSelectorTerm {
		return outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{name}}}}
	}
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "a"}, {Name: "b"}}}
	p := &outrank.Pod{Name: "asks"}
	p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{named("a"), named("gone")}}
	q := questionAbout(t, c, p)
	var plan filters.Plan
	plan.Begin(q)
	assert.True(t, plan.Narrowed)
	assert.Equal(t, map[string]bool{"a": true, "gone": true}, plan.Names)
	assert.Equal(t, filters.Status{}, plan.CheckNode(q, q.Snap.NodeState("a")))
	left := plan.CheckNode(q, q.Snap.NodeState("b"))
	assert.Equal(t, verdict{filters.UnschedulableAndUnresolvable, []string{"node(s) didn't satisfy plugin(s) [NodeAffinity]"}}, said(q, left))
	assert.True(t, left.Excluded)
}

// A pod whose claim is lost is refused before any node is looked at (rule 7.15.4).
func TestRefused(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "a"}}}
	q := questionAbout(t, c, &outrank.Pod{Name: "asks", Volumes: []outrank.Volume{{Claim: "data", State: outrank.ClaimLost, MissingVolume: "pv-1"}}})
	var plan filters.Plan
	plan.Begin(q)
	assert.Equal(t, verdict{filters.UnschedulableAndUnresolvable, []string{`persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-1"`}}, said(q, plan.Refused))
	assert.Equal(t, plan.Refused, plan.CheckNode(q, q.Snap.NodeState("a")))
}

// Two pods on a node may hold the same port. Where either of them leaves, the port is free (rule 7.6.7).
func TestPortsAreASet(t *testing.T) {
	holds := func(name, node string) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: node, Containers: []outrank.Container{{Ports: []outrank.Port{{HostPort: 80}}}}}
	}
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}, Pods: []*outrank.Pod{holds("a", "n"), holds("b", "n")}}
	for _, leaves := range []outrank.Key{"default/a", "default/b"} {
		q := questionAbout(t, c, holds("asks", ""))
		f := onNode(q, preemption.NodePorts)
		f.Enter(q.Snap.NodeState("n"))
		assert.Equal(t, filters.Unschedulable, f.Check(nil).Code)
		p, _ := q.Snap.PodStates.Get(leaves)
		f.Change(p, -1)
		assert.Equal(t, filters.Success, f.Check(nil).Code, leaves)
		f.Change(p, 1)
		assert.Equal(t, filters.Unschedulable, f.Check(nil).Code)
	}
}

// A code as a word and as a byte can be turned into one another.
func TestCodes(t *testing.T) {
	for code, word := range map[filters.Code]preemption.Code{
		filters.Success: "", filters.Unschedulable: "unschedulable",
		filters.UnschedulableAndUnresolvable: "unschedulable-and-unresolvable",
	} {
		assert.Equal(t, word, code.Public())
		assert.Equal(t, code, filters.CodeOf(word))
	}
	assert.Equal(t, filters.Contradiction, filters.CodeOf("nonsense"))
}
