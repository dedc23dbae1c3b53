package gen

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// realDriver attaches the volumes of the matrix of real clusters. The preemptor's are in the zone with index
// realVolumeZone.
const (
	realDriver     = "disk.csi.example.com"
	realVolumeZone = 0
)

// realVolumeRows are the rows in which volumes decide.
var realVolumeRows = []realRow{
	{"volume-zone", func(*realWorld) {}, func(p *outrank.Pod, name string) {
		realHash(p, name)
		p.Volumes = []outrank.Volume{{
			Claim: "data-" + name, Driver: realDriver, Handle: "data-" + name,
			Zones: map[string][]string{outrank.ZoneLabel: {realZone(realVolumeZone)}},
		}}
	}},
	{"volumes-by-zone", (*realWorld).volumes, func(p *outrank.Pod, name string) {
		realHash(p, name)
		p.Volumes = []outrank.Volume{realVolume("data-"+name, realVolumeZone), realVolume("logs-"+name, realVolumeZone)}
	}},
}

// realVolume returns a volume that can be used in the zone with that index.
func realVolume(name string, zone int) outrank.Volume {
	return outrank.Volume{
		Claim: name, Driver: realDriver, Handle: name,
		Node: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchExpressions: []outrank.NodeRequirement{
			{Key: outrank.ZoneLabel, Operator: outrank.In, Values: []string{realZone(zone)}},
		}}}},
	}
}

// volumes gives half of the pods a volume each, in the zone of their node. Two of three nodes can attach no more.
func (w *realWorld) volumes() {
	w.byNode(func(i int, pods []*outrank.Pod) {
		attached := int64(0)
		for k, q := range pods {
			if k%2 == 1 {
				q.Volumes = []outrank.Volume{realVolume(fmt.Sprint("data-", q.Name), i)}
				attached++
			}
		}
		if i%4 < 2 {
			attached += 3
		}
		w.cluster.Nodes[i].AttachLimits = map[string]int64{realDriver: attached}
	})
}
