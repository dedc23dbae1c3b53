package draw

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// Keys of the node labels that are drawn.
const (
	HostnameKey   = "kubernetes.io/hostname"
	ZoneKey       = outrank.ZoneLabel
	RackKey       = "rack"
	DiskKey       = "disk"
	GenerationKey = "generation"
)

// Nodes is a number of nodes. The name of a node depends on its index alone.
type Nodes int

// Name returns the name of the node with index i. The first letter is scattered, so that the order of names
// is not the order of the nodes.
func (Nodes) Name(i int) string { return fmt.Sprintf("%c%d", 'a'+byte(mix(uint64(i))%26), i) }

// Some draws the name of one of the nodes.
func (n Nodes) Some(s Source, label string) string { return n.Name(s.Int(label, 0, int(n)-1)) }

// Namespaces returns the namespaces of every cluster, with labels for namespace selectors to match.
func Namespaces() []*outrank.Namespace {
	return []*outrank.Namespace{
		{Name: "default", Labels: map[string]string{"env": "prod"}},
		{Name: "team-a", Labels: map[string]string{"env": "dev"}},
		{Name: "team-b"},
	}
}

// Namespace draws one of the namespaces, or the empty name, which means the first one.
func Namespace(s Source) string {
	return Pick(s, "namespace", "default", "default", "", "team-a", "team-b")
}

// Labels draws labels of a pod, from few values; sometimes there is no label at all.
func Labels(s Source) map[string]string {
	set := map[string]string{}
	setLabel(s, set, "app", "web", "db", "web", "")
	setLabel(s, set, "tier", "", "front", "back")
	if len(set) == 0 {
		return nil
	}
	return set
}

// Topology draws labels that say where a node is and what hardware it has. Some nodes lack some of them.
func Topology(s Source) map[string]string {
	set := map[string]string{}
	setLabel(s, set, ZoneKey, "z1", "z2", "z1", "z2", "z1", "z2", "")
	setLabel(s, set, RackKey, "r1", "r2", "r1", "r1", "")
	setLabel(s, set, DiskKey, "ssd", "ssd", "hdd", "")
	setLabel(s, set, GenerationKey, "3", "2", "3", "2", "old", "", "002", "9223372036854775808")
	return set
}

// setLabel sets a label to one of the values. The empty value leaves the label out.
func setLabel(s Source, set map[string]string, key string, values ...string) {
	if value := Pick(s, key, values...); value != "" {
		set[key] = value
	}
}

// PutLabel sets a label of a node to one of the values. The empty value leaves the label out.
func PutLabel(s Source, n *outrank.Node, key string, values ...string) {
	setLabel(s, n.Labels, key, values...)
}

// TopologyKey draws the key of a label that groups nodes into domains.
func TopologyKey(s Source) string {
	return Pick(s, "topology key", HostnameKey, ZoneKey, HostnameKey, ZoneKey, RackKey)
}

// Selector draws a valid label selector. One is nil, which matches nothing, and one is empty, which matches
// everything.
func Selector(s Source) *outrank.LabelSelector {
	labels := func(set map[string]string) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: set} }
	expression := func(op outrank.Operator, key string, values ...string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: key, Operator: op, Values: values}}}
	}
	switch s.Int("selector", 0, 10) {
	case 3:
		return labels(map[string]string{"app": "db"})
	case 4:
		return labels(map[string]string{"app": "web", "tier": "front"})
	case 5:
		return expression(outrank.In, "tier", "front", "back")
	case 6:
		return expression(outrank.NotIn, "app", "db")
	case 7:
		return expression(outrank.Exists, "tier")
	case 8:
		return expression(outrank.DoesNotExist, "tier")
	case 9:
		return &outrank.LabelSelector{}
	case 10:
		return nil
	}
	return labels(map[string]string{"app": "web"})
}

// BrokenSelector draws an invalid selector. A budget with such a selector covers no pod.
func BrokenSelector(s Source) *outrank.LabelSelector {
	return &outrank.LabelSelector{
		MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []outrank.Requirement{Pick(s, "broken",
			outrank.Requirement{Key: "app", Operator: outrank.In},
			outrank.Requirement{Key: "app", Operator: outrank.Exists, Values: []string{"web"}},
			outrank.Requirement{Key: "app", Operator: "in", Values: []string{"web"}},
			outrank.Requirement{Key: "-app", Operator: outrank.Exists},
		)},
	}
}

// NamespaceSelector draws a selector of namespaces, mostly nil.
func NamespaceSelector(s Source) *outrank.LabelSelector {
	return Pick(s, "namespace selector", nil, nil, nil,
		&outrank.LabelSelector{},
		&outrank.LabelSelector{MatchLabels: map[string]string{"env": "prod"}},
		&outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "env", Operator: outrank.NotIn, Values: []string{"prod"}}}},
	)
}

// LabelKeys draws the keys of labels whose values a term takes from the pod that carries it (matchLabelKeys),
// mostly none.
func LabelKeys(s Source) []string {
	return Pick(s, "match label keys", nil, nil, nil, []string{"tier"}, []string{"app", "absent"})
}

// NodeTerm draws a term of a node selector over the labels and the names of the given nodes.
func NodeTerm(s Source, nodes Nodes) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{
		MatchExpressions: List(s, "expressions", Between(0, 2), nodeLabel),
		MatchFields: List(s, "fields", Between(0, 1), func(s Source) outrank.NodeRequirement {
			return outrank.NodeRequirement{
				Key: outrank.FieldName, Operator: Pick(s, "field operator", outrank.In, outrank.NotIn), Values: []string{nodes.Some(s, "named node")},
			}
		}),
	}
}

func nodeLabel(s Source) outrank.NodeRequirement {
	plain := []outrank.NodeRequirement{
		{Key: DiskKey, Operator: outrank.In, Values: []string{"ssd", "nvme"}},
		{Key: DiskKey, Operator: outrank.NotIn, Values: []string{"hdd"}},
		{Key: DiskKey, Operator: outrank.Exists},
		{Key: RackKey, Operator: outrank.DoesNotExist},
		{Key: ZoneKey, Operator: outrank.In, Values: []string{"z1"}},
		{Key: GenerationKey, Operator: outrank.Gt, Values: []string{"2"}},
		{Key: GenerationKey, Operator: outrank.Lt, Values: []string{"3"}},
	}
	if i := s.Int("expression", 0, len(plain)); i < len(plain) {
		return plain[i]
	}
	return oddLabel(s)
}

// oddLabel draws a requirement that an API server accepts although it may match nothing: numbers with a sign
// or a space, numbers beyond 64 bits, and texts that no label can have, alone or among others (rules 7.5.6
// and 7.5.8).
func oddLabel(s Source) outrank.NodeRequirement {
	if OneIn(s, "odd set", 4) {
		return outrank.NodeRequirement{
			Key: DiskKey, Operator: Pick(s, "set operator", outrank.In, outrank.NotIn),
			Values: Of(s, "odd values", Between(1, 3), "ssd", "hdd", "", "-1", "s s", "ssd-"),
		}
	}
	return outrank.NodeRequirement{
		Key: GenerationKey, Operator: Pick(s, "comparison", outrank.Gt, outrank.Lt),
		Values: []string{Pick(s, "odd number", "-1", "+3", "-0", " 2", "2 ", "02", "007", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "2.", "two", "")},
	}
}
