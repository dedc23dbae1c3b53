package clustergen

import (
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

// Drivers of volumes. Each has three handles at most, and nodes take few.
const (
	diskDriver = "disk.example.com"
	fileDriver = "file.example.com"
)

// podVolumes draws the volumes of one pod in so many.
func podVolumes(r *rand.Rand, n int) []outrank.Volume {
	if !oneIn(r, n) {
		return nil
	}
	return several(r, 1, 3, volume)
}

// volume draws a claim or a disk that any pod may have. The claims that a single
// pod may use are in use by others now and then, because the API server does not
// check that either.
func volume(r *rand.Rand) outrank.Volume {
	if oneIn(r, 2) {
		return outrank.Volume{Disk: disk(r)}
	}
	return pick(r,
		outrank.Volume{Claim: "data", Driver: diskDriver, Handle: "h1"},
		outrank.Volume{Claim: "logs", Driver: diskDriver, Handle: "h2"},
		outrank.Volume{Claim: "cache", Driver: diskDriver, Handle: "h3"},
		outrank.Volume{Claim: "files", Driver: fileDriver, Handle: "h1"},
		outrank.Volume{Claim: "home", Driver: fileDriver, Handle: "h2"},
		outrank.Volume{Claim: "lock", Driver: diskDriver, Handle: "h3", OncePod: true},
		outrank.Volume{Claim: "own", OncePod: true},
		outrank.Volume{Claim: "own", OncePod: true},
		outrank.Volume{Claim: "unbound"},
		outrank.Volume{Claim: "half", Driver: diskDriver},
	)
}

func disk(r *rand.Rand) outrank.Disk {
	d := outrank.Disk{
		Kind: pick(r, outrank.GCEPersistentDisk, outrank.AWSElasticBlockStore, outrank.ISCSI, outrank.RBD, outrank.RBD),
		ID:   "d1", ReadOnly: oneIn(r, 2),
	}
	monitors := pick(r, nil, []string{"m1", "m2"}, []string{"m2", "m3"}, []string{"m4"})
	if d.Kind == outrank.RBD {
		d.ID, d.Monitors = "rbd/d1", monitors
	}
	return d
}

// addVolumes draws the preemptor's, which may also be tied to a place.
func (g *generator) addVolumes(r *rand.Rand, p *outrank.Pod) {
	p.Volumes = podVolumes(r, 2)
	if oneIn(r, 6) {
		p.Volumes = append(p.Volumes, outrank.Volume{Claim: "local", Node: &outrank.NodeSelector{NodeSelectorTerms: several(r, 0, 2, g.nodeTerm)}})
	}
	if oneIn(r, 5) {
		label := pick(r, zoneKey, zoneKey, outrank.BetaZoneLabel, outrank.RegionLabel)
		values := pick(r, []string{"z1"}, []string{"z1", "z2"}, []string{"z3"}, []string{"e1"}, nil)
		p.Volumes = append(p.Volumes, outrank.Volume{Claim: "zonal", Zones: map[string][]string{label: values}})
	}
}

// addStorage gives a node limits of attached volumes, and labels of its place.
func addStorage(r *rand.Rand, n *outrank.Node) {
	if region := pick(r, "", "", "e1"); region != "" {
		n.Labels[outrank.RegionLabel] = region
	}
	if zone := pick(r, "", "", "", "z1"); zone != "" {
		n.Labels[outrank.BetaZoneLabel] = zone
	}
	limits := map[string]int64{}
	for _, driver := range []string{diskDriver, fileDriver} {
		if limit := pick[int64](r, -1, 1, 2, 2, 3, 0); limit >= 0 {
			limits[driver] = limit
		}
	}
	if len(limits) > 0 {
		n.AttachLimits = limits
	}
}
