package clustergen

import (
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

func toleration(r *rand.Rand) outrank.Toleration {
	if oneIn(r, 3) {
		return outrank.Toleration{Operator: outrank.TolerationExists}
	}
	t := outrank.Toleration{
		Key:      pick(r, "dedicated", "gpu", outrank.UnschedulableTaint),
		Operator: pick(r, outrank.TolerationExists, outrank.TolerationEqual, ""),
		Effect:   pick(r, "", "", outrank.NoSchedule, outrank.NoExecute),
	}
	if t.Operator != outrank.TolerationExists {
		t.Value = pick(r, "a", "b", "")
	}
	return t
}

// addSelectors draws a pod's demands on its node.
func (g *generator) addSelectors(r *rand.Rand, p *outrank.Pod) {
	if oneIn(r, 10) {
		p.NodeSelector = map[string]string{diskKey: "ssd"}
	}
	if oneIn(r, 6) {
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: several(r, 1, 3, g.nodeTerm)}
	}
	if oneIn(r, 30) {
		p.NodeName = g.someNode(r)
	}
}

func (g *generator) nodeTerm(r *rand.Rand) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{
		MatchExpressions: several(r, 0, 2, nodeLabel),
		MatchFields: several(r, 0, 1, func(r *rand.Rand) outrank.NodeRequirement {
			return outrank.NodeRequirement{
				Key: outrank.FieldName, Operator: pick(r, outrank.In, outrank.NotIn), Values: []string{g.someNode(r)},
			}
		}),
	}
}

func nodeLabel(r *rand.Rand) outrank.NodeRequirement {
	return pick(r,
		outrank.NodeRequirement{Key: diskKey, Operator: outrank.In, Values: []string{"ssd", "nvme"}},
		outrank.NodeRequirement{Key: diskKey, Operator: outrank.NotIn, Values: []string{"hdd"}},
		outrank.NodeRequirement{Key: diskKey, Operator: outrank.Exists},
		outrank.NodeRequirement{Key: rackKey, Operator: outrank.DoesNotExist},
		outrank.NodeRequirement{Key: zoneKey, Operator: outrank.In, Values: []string{"z1"}},
		outrank.NodeRequirement{Key: generationKey, Operator: outrank.Gt, Values: []string{"2"}},
		outrank.NodeRequirement{Key: generationKey, Operator: outrank.Lt, Values: []string{"3"}},
	)
}

// addPorts gives the pod's first container host ports, and its init containers
// now and then one. Its lists of containers become its own.
func addPorts(r *rand.Rand, p *outrank.Pod) {
	p.Containers[0].Ports = several(r, 1, 2, port)
	for i := range p.InitContainers {
		if oneIn(r, 3) {
			p.InitContainers[i].Ports = []outrank.Port{port(r)}
		}
	}
}

func port(r *rand.Rand) outrank.Port {
	return outrank.Port{
		HostPort: pick[int32](r, 80, 80, 443, 0),
		HostIP:   pick(r, "", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
		Protocol: pick(r, "", "TCP", "UDP"),
	}
}
