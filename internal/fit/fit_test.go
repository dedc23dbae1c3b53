package fit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

var node = &outrank.Node{
	Name:   "n1",
	Labels: map[string]string{"disk": "ssd", "gen": "4", "big": "9223372036854775808"},
	Taints: []outrank.Taint{{Key: "a", Effect: outrank.PreferNoSchedule}, {Key: "b", Effect: outrank.NoExecute}},
}

func TestMatchesTerm(t *testing.T) {
	label := func(key string, op outrank.Operator, values ...string) outrank.NodeSelectorTerm {
		return outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: key, Operator: op, Values: values}}}
	}
	field := func(op outrank.Operator, values ...string) outrank.NodeSelectorTerm {
		return outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: op, Values: values}}}
	}
	for _, test := range []struct {
		name string
		term outrank.NodeSelectorTerm
		want bool
	}{
		{"an empty term matches nothing", outrank.NodeSelectorTerm{}, false},
		{"In", label("disk", outrank.In, "hdd", "ssd"), true},
		{"In, label missing", label("rack", outrank.In, ""), false},
		{"NotIn", label("disk", outrank.NotIn, "ssd"), false},
		{"NotIn, label missing", label("rack", outrank.NotIn, "r1"), true},
		{"Exists", label("gen", outrank.Exists), true},
		{"DoesNotExist", label("gen", outrank.DoesNotExist), false},
		{"Gt is strict", label("gen", outrank.Gt, "4"), false},
		{"Gt", label("gen", outrank.Gt, "3"), true},
		{"Lt", label("gen", outrank.Lt, "5"), true},
		{"Lt is strict", label("gen", outrank.Lt, "4"), false},
		{"Lt, label missing", label("rack", outrank.Lt, "5"), false},
		{"Gt, label no integer", label("disk", outrank.Gt, "0"), false},
		{"Gt, label beyond int64", label("big", outrank.Gt, "0"), false},
		{"Gt takes one value", label("gen", outrank.Gt, "1", "2"), false},
		{"Gt of what no label can be", label("gen", outrank.Gt, "-1"), false},
		{"Lt of what no label can be", label("gen", outrank.Lt, "+5"), false},
		{"Gt of zeros first", label("gen", outrank.Gt, "003"), true},
		{"unknown operator", label("gen", "Near", "4"), false},
		{"field", field(outrank.In, "n1"), true},
		{"field of another", field(outrank.In, "n2"), false},
		{"field not in", field(outrank.NotIn, "n2"), true},
		{"field takes one value", field(outrank.In, "n1", "n2"), false},
		{"field knows In and NotIn alone", field(outrank.Exists), false},
		{"no such field", outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{{Key: "spec.x", Operator: outrank.In, Values: []string{"n1"}}}}, false},
		{"labels and fields must both hold", outrank.NodeSelectorTerm{MatchExpressions: label("gen", outrank.Exists).MatchExpressions, MatchFields: field(outrank.In, "n2").MatchFields}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, fit.MatchesTerm(test.term, node), "%+v", test.term)
		})
	}
}

func TestNodeAffinity(t *testing.T) {
	yes := outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: "gen", Operator: outrank.Exists}}}
	for _, test := range []struct {
		name string
		pod  outrank.Pod
		want bool
	}{
		{"nothing asked", outrank.Pod{}, true},
		{"selector", outrank.Pod{NodeSelector: map[string]string{"disk": "ssd"}}, true},
		{"selector, other value", outrank.Pod{NodeSelector: map[string]string{"disk": "hdd"}}, false},
		{"selector, an empty value is not a missing label", outrank.Pod{NodeSelector: map[string]string{"rack": ""}}, false},
		{"no terms match nothing", outrank.Pod{Affinity: outrank.Affinity{NodeAffinity: &outrank.NodeSelector{}}}, false},
		{"one of the terms is enough", outrank.Pod{Affinity: outrank.Affinity{NodeAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{}, yes}}}}, true},
		{"selector and terms must both hold", outrank.Pod{
			NodeSelector: map[string]string{"disk": "hdd"},
			Affinity:     outrank.Affinity{NodeAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{yes}}},
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, fit.NodeAffinity(&test.pod, node))
		})
	}
}

func TestNamedNodes(t *testing.T) {
	term := func(names ...string) outrank.NodeSelectorTerm {
		var term outrank.NodeSelectorTerm
		for _, n := range names {
			term.MatchFields = append(term.MatchFields, outrank.NodeRequirement{Key: outrank.FieldName, Operator: outrank.In, Values: []string{n}})
		}
		return term
	}
	for _, test := range []struct {
		name  string
		terms []outrank.NodeSelectorTerm
		want  map[string]bool
	}{
		{"no terms name none", nil, nil},
		{"terms are united", []outrank.NodeSelectorTerm{term("a"), term("b")}, map[string]bool{"a": true, "b": true}},
		{"within a term they are intersected", []outrank.NodeSelectorTerm{term("a", "b")}, map[string]bool{}},
		{"one term without a name leaves all nodes open", []outrank.NodeSelectorTerm{term("a"), {MatchExpressions: []outrank.NodeRequirement{{Key: "x", Operator: outrank.Exists}}}}, nil},
		{"NotIn names nobody", []outrank.NodeSelectorTerm{{MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.NotIn, Values: []string{"a"}}}}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &outrank.Pod{Affinity: outrank.Affinity{NodeAffinity: &outrank.NodeSelector{NodeSelectorTerms: test.terms}}}
			got, ok := fit.NamedNodes(pod)
			assert.Equal(t, test.want != nil, ok)
			assert.Equal(t, test.want, got)
		})
	}
	_, ok := fit.NamedNodes(&outrank.Pod{})
	assert.False(t, ok)
}

func TestTaints(t *testing.T) {
	taint, found := fit.UntoleratedTaint(&outrank.Pod{}, node, outrank.NoSchedule, outrank.NoExecute)
	assert.True(t, found)
	assert.Equal(t, "b", taint.Key, "PreferNoSchedule keeps nobody out")
	_, found = fit.UntoleratedTaint(&outrank.Pod{}, node, outrank.NoSchedule)
	assert.False(t, found, "only the effects asked for")
	_, found = fit.UntoleratedTaint(&outrank.Pod{Tolerations: []outrank.Toleration{{Key: "b", Operator: outrank.TolerationExists}}}, node, outrank.NoExecute)
	assert.False(t, found, "tolerated")
}

func TestUnschedulable(t *testing.T) {
	cordoned := &outrank.Node{Unschedulable: true}
	assert.False(t, fit.Unschedulable(&outrank.Pod{}, node))
	assert.True(t, fit.Unschedulable(&outrank.Pod{}, cordoned))
	tolerates := outrank.Toleration{Key: outrank.UnschedulableTaint, Operator: outrank.TolerationExists, Effect: outrank.NoSchedule}
	assert.False(t, fit.Unschedulable(&outrank.Pod{Tolerations: []outrank.Toleration{tolerates}}, cordoned))
}

func TestHostPorts(t *testing.T) {
	ports := func(ps ...outrank.Port) outrank.Container { return outrank.Container{Ports: ps} }
	side := ports(outrank.Port{HostPort: 2})
	side.Sidecar = true
	pod := &outrank.Pod{
		Containers:     []outrank.Container{ports(outrank.Port{HostPort: 1, HostIP: "10.0.0.1", Protocol: "UDP"}, outrank.Port{})},
		InitContainers: []outrank.Container{side, ports(outrank.Port{HostPort: 3})},
	}
	assert.Equal(t, []fit.HostPort{{IP: "10.0.0.1", Protocol: "UDP", Port: 1}, {IP: fit.AnyIP, Protocol: "TCP", Port: 2}}, fit.HostPorts(pod),
		"sidecars hold ports, plain init containers and port 0 do not")
}

func TestOverlaps(t *testing.T) {
	tcp := func(ip string, port int32) fit.HostPort { return fit.HostPort{IP: ip, Protocol: "TCP", Port: port} }
	assert.True(t, tcp("10.0.0.1", 80).Overlaps(tcp("10.0.0.1", 80)))
	assert.True(t, tcp(fit.AnyIP, 80).Overlaps(tcp("10.0.0.1", 80)))
	assert.True(t, tcp("10.0.0.1", 80).Overlaps(tcp(fit.AnyIP, 80)))
	assert.False(t, tcp("10.0.0.2", 80).Overlaps(tcp("10.0.0.1", 80)))
	assert.False(t, tcp(fit.AnyIP, 80).Overlaps(tcp(fit.AnyIP, 81)))
	assert.False(t, tcp(fit.AnyIP, 80).Overlaps(fit.HostPort{IP: fit.AnyIP, Protocol: "UDP", Port: 80}))
}

func TestPortsClash(t *testing.T) {
	taking := func(sidecar bool, ports ...outrank.Port) *outrank.Pod {
		return &outrank.Pod{InitContainers: []outrank.Container{{Sidecar: sidecar, Ports: ports}}, Containers: make([]outrank.Container, 1)}
	}
	http := outrank.Port{HostPort: 80}
	for _, tt := range []struct {
		name string
		a, b *outrank.Pod
		want bool
	}{
		{"the same port", taking(true, http), taking(true, outrank.Port{HostPort: 79}, http), true},
		{"a plain init container holds no port", taking(true, http), taking(false, http), false},
		{"ports that are not of the host", taking(true, outrank.Port{}), taking(true, outrank.Port{}), false},
		{"other protocols", taking(true, http), taking(true, outrank.Port{HostPort: 80, Protocol: "UDP"}), false},
	} {
		assert.Equal(t, tt.want, fit.PortsClash(tt.a, tt.b), tt.name)
		assert.Equal(t, tt.want, fit.PortsClash(tt.b, tt.a), tt.name+", the other way round")
		for _, p := range []*outrank.Pod{tt.a, tt.b} {
			assert.Equal(t, len(fit.HostPorts(p)) > 0, fit.TakesHostPorts(p), tt.name)
		}
	}
}
