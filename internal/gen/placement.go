package gen

import (
	"github.com/outrank-go/outrank"
	"pgregory.net/rapid"
)

func taint(t *rapid.T) outrank.Taint {
	return outrank.Taint{
		Key:    pick(t, "taint key", "dedicated", "dedicated", "gpu"),
		Value:  pick(t, "taint value", "a", "a", "b", ""),
		Effect: pick(t, "taint effect", outrank.NoSchedule, outrank.NoSchedule, outrank.NoExecute, outrank.PreferNoSchedule),
	}
}

// toleration draws one that covers a drawn taint, or misses it by one thing.
func toleration(t *rapid.T) outrank.Toleration {
	if oneIn(t, "tolerates all", 6) {
		return outrank.Toleration{Operator: outrank.TolerationExists}
	}
	tol := outrank.Toleration{
		Key:      pick(t, "tolerated key", "dedicated", "dedicated", "gpu", outrank.UnschedulableTaint),
		Operator: pick(t, "operator", outrank.TolerationExists, outrank.TolerationEqual, outrank.TolerationEqual, ""),
		Effect:   pick(t, "tolerated effect", "", outrank.NoSchedule, outrank.NoSchedule, outrank.NoExecute),
	}
	if tol.Operator != outrank.TolerationExists {
		tol.Value = pick(t, "tolerated value", "a", "a", "b", "")
	}
	return tol
}

// addSelectors draws a pod's demands on its node.
func addSelectors(t *rapid.T, s Shape, p *outrank.Pod) {
	if oneIn(t, "node selector", 10) {
		p.NodeSelector = map[string]string{diskKey: "ssd"}
	}
	if oneIn(t, "node affinity", 6) {
		p.Affinity.NodeAffinity = &outrank.NodeSelector{
			NodeSelectorTerms: rapid.SliceOfN(nodeTerm(s), 1, 3).Draw(t, "node terms"),
		}
	}
	if oneIn(t, "node name", 30) {
		p.NodeName = pick(t, "wanted node", s.nodeNames()...)
	}
}

func nodeTerm(s Shape) *rapid.Generator[outrank.NodeSelectorTerm] {
	return rapid.Custom(func(t *rapid.T) outrank.NodeSelectorTerm {
		return outrank.NodeSelectorTerm{
			MatchExpressions: drawList(t, "expressions", 2, nodeLabel),
			MatchFields: drawList(t, "fields", 1, func(t *rapid.T) outrank.NodeRequirement {
				return outrank.NodeRequirement{
					Key:      outrank.FieldName,
					Operator: pick(t, "field operator", outrank.In, outrank.NotIn),
					Values:   []string{pick(t, "named node", s.nodeNames()...)},
				}
			}),
		}
	})
}

func nodeLabel(t *rapid.T) outrank.NodeRequirement {
	return pick(t, "expression",
		outrank.NodeRequirement{Key: diskKey, Operator: outrank.In, Values: []string{"ssd", "nvme"}},
		outrank.NodeRequirement{Key: diskKey, Operator: outrank.NotIn, Values: []string{"hdd"}},
		outrank.NodeRequirement{Key: diskKey, Operator: outrank.Exists},
		outrank.NodeRequirement{Key: rackKey, Operator: outrank.DoesNotExist},
		outrank.NodeRequirement{Key: zoneKey, Operator: outrank.In, Values: []string{"z1"}},
		outrank.NodeRequirement{Key: generationKey, Operator: outrank.Gt, Values: []string{"2"}},
		outrank.NodeRequirement{Key: generationKey, Operator: outrank.Lt, Values: []string{"3"}},
		oddLabel(t),
	)
}

// oddLabel draws a requirement that an API server lets in although it may mean nothing: a
// number with a sign or a space, one beyond 64 bits, a text that no label can have, alone or
// among others (rules 7.5.6 and 7.5.8).
func oddLabel(t *rapid.T) outrank.NodeRequirement {
	if oneIn(t, "odd set", 4) {
		return outrank.NodeRequirement{
			Key: diskKey, Operator: pick(t, "set operator", outrank.In, outrank.NotIn),
			Values: rapid.SliceOfN(rapid.SampledFrom([]string{"ssd", "hdd", "", "-1", "s s", "ssd-"}), 1, 3).Draw(t, "odd values"),
		}
	}
	return outrank.NodeRequirement{
		Key: generationKey, Operator: pick(t, "comparison", outrank.Gt, outrank.Lt),
		Values: []string{pick(t, "odd number", "-1", "+3", "-0", " 2", "2 ", "02", "007", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "2.", "two", "")},
	}
}

// addPorts gives the pod's first container host ports, and its sidecars now and
// then one.
func addPorts(t *rapid.T, p *outrank.Pod) {
	p.Containers[0].Ports = rapid.SliceOfN(rapid.Custom(port), 1, 2).Draw(t, "ports")
	for i := range p.InitContainers {
		if oneIn(t, "init port", 3) {
			p.InitContainers[i].Ports = []outrank.Port{port(t)}
		}
	}
}

func port(t *rapid.T) outrank.Port {
	return outrank.Port{
		HostPort: pick[int32](t, "host port", 80, 80, 443, 0),
		HostIP:   pick(t, "host ip", "", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
		Protocol: pick(t, "protocol", "", "TCP", "UDP"),
	}
}
