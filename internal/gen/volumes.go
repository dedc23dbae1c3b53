package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"pgregory.net/rapid"
)

// Drivers of volumes. Each has three handles at most, and nodes take few.
const (
	diskDriver = "disk.example.com"
	fileDriver = "file.example.com"
	ebsDriver  = "ebs.csi.aws.com" // it attaches EBS disks
)

func claim(name, driver, handle string) outrank.Volume {
	return outrank.Volume{Claim: name, Driver: driver, Handle: handle}
}

// once makes a claim one that a single pod may use.
func once(v outrank.Volume) outrank.Volume {
	v.OncePod = true
	return v
}

func disk(kind outrank.DiskKind, readOnly bool, monitors ...string) outrank.Volume {
	id := "d1"
	if kind == outrank.RBD {
		id = "rbd/d1"
	}
	return outrank.Volume{Disk: outrank.Disk{Kind: kind, ID: id, ReadOnly: readOnly, Monitors: monitors}}
}

// broken are claims that no pod can use. A name means the same claim in every pod.
func broken() []outrank.Volume {
	return []outrank.Volume{
		{Claim: "dying", State: outrank.ClaimDeleting, Driver: diskDriver, Handle: "h1"},
		{Claim: "gone", State: outrank.ClaimLost, MissingVolume: "pv-gone"},
		{Claim: "early", State: outrank.ClaimUnbound, Driver: fileDriver},
		{Claim: "astray", State: outrank.ClaimVolumeMissing, MissingVolume: "pv-astray", Driver: diskDriver},
	}
}

// along makes a volume one that is made along with the pod, under a name of its
// own for each volume of the list.
func along(t *rapid.T, p *outrank.Pod, some ...outrank.Volume) {
	i := rapid.IntRange(0, len(some)-1).Draw(t, "ephemeral volume")
	v := some[i]
	v.Claim, v.Ephemeral = fmt.Sprintf("%s-e%d", p.Name, i), true
	p.Volumes = append(p.Volumes, v)
}

// rename gives a pod another name, and with it the claims that are made for it. The
// list of volumes is the pod's own afterwards.
func rename(p *outrank.Pod, name string) {
	p.Volumes = slices.Clone(p.Volumes)
	for i := range p.Volumes {
		if v := &p.Volumes[i]; v.Ephemeral {
			v.Claim = name + strings.TrimPrefix(v.Claim, p.Name)
		}
	}
	p.Name = name
}

// volumes are those that any pod may have. The claims that a single pod may use
// are in use by others now and then, because nothing checks that here.
func volumes() []outrank.Volume {
	return []outrank.Volume{
		claim("data", diskDriver, "h1"), claim("logs", diskDriver, "h2"), claim("cache", diskDriver, "h3"),
		claim("files", fileDriver, "h1"), claim("home", fileDriver, "h2"),
		once(claim("own", "", "")), once(claim("own", "", "")), once(claim("lock", diskDriver, "h3")),
		claim("unbound", "", ""), claim("new", diskDriver, ""), claim("newer", ebsDriver, ""), claim("ebs", ebsDriver, "d1"),
		disk(outrank.GCEPersistentDisk, false), disk(outrank.GCEPersistentDisk, true),
		disk(outrank.AWSElasticBlockStore, true), disk(outrank.ISCSI, true), disk(outrank.ISCSI, false),
		disk(outrank.RBD, false, "m1", "m2"), disk(outrank.RBD, true, "m2", "m3"), disk(outrank.RBD, false, "m4"), disk(outrank.RBD, true),
	}
}

// podVolumes draws the volumes of one pod in two, of a few claims that cannot be
// used for one in so many of these.
func podVolumes(t *rapid.T, p *outrank.Pod, usable int) {
	if oneIn(t, "has volumes", 2) {
		p.Volumes = rapid.SliceOfN(rapid.SampledFrom(volumes()), 1, 3).Draw(t, "volumes")
	}
	if oneIn(t, "has a broken claim", usable) {
		p.Volumes = append(p.Volumes, rapid.SampledFrom(broken()).Draw(t, "broken claim"))
	}
	if oneIn(t, "has an ephemeral volume", 6) {
		along(t, p, claim("", diskDriver, "h2"), claim("", diskDriver, ""), once(claim("", "", "")),
			outrank.Volume{Zones: map[string][]string{zoneKey: {"z1"}}}, outrank.Volume{State: outrank.ClaimVolumeMissing, MissingVolume: "pv"})
	}
}

// addVolumes draws the preemptor's, which may also be tied to a place.
func addVolumes(t *rapid.T, s Shape, p *outrank.Pod) {
	podVolumes(t, p, 12)
	if oneIn(t, "bound to nodes", 6) {
		selector := &outrank.NodeSelector{NodeSelectorTerms: rapid.SliceOfN(nodeTerm(s), 0, 2).Draw(t, "volume terms")}
		p.Volumes = append(p.Volumes, outrank.Volume{Claim: "local", Node: selector})
	}
	if oneIn(t, "bound to zones", 5) {
		p.Volumes = append(p.Volumes, outrank.Volume{Claim: "zonal", Zones: map[string][]string{
			pick(t, "zone label", zoneKey, zoneKey, outrank.BetaZoneLabel, outrank.RegionLabel): pick(t, "zones",
				[]string{"z1"}, []string{"z1", "z2"}, []string{"z3"}, []string{"e1"}, nil),
		}})
	}
}

// addStorage gives a node limits of attached volumes, and labels of its place.
func addStorage(t *rapid.T, n *outrank.Node) {
	put := func(label string, values ...string) {
		if value := pick(t, label, values...); value != "" {
			n.Labels[label] = value
		}
	}
	put(outrank.RegionLabel, "", "", "e1")
	put(outrank.BetaZoneLabel, "", "", "", "z1")
	limits := map[string]int64{}
	for _, driver := range []string{diskDriver, fileDriver, ebsDriver} {
		if limit := pick[int64](t, "limit of "+driver, -1, 1, 2, 2, 3, 0); limit >= 0 {
			limits[driver] = limit
		}
	}
	if len(limits) > 0 {
		n.AttachLimits = limits
	}
	for _, driver := range []string{diskDriver, fileDriver, ebsDriver} {
		if _, limited := limits[driver]; !limited && oneIn(t, "without "+driver, 8) {
			n.MissingDrivers = append(n.MissingDrivers, driver)
		}
	}
	slices.Sort(n.MissingDrivers) // as ReadCluster does
}
