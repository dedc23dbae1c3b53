package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeVolumeLimitsEntry = Entry{
	Name:  NodeVolumeLimits,
	Reads: Reads{Pod: hasVolumes, Running: hasVolumes},
	Fails: CurableFailure,
	Names: NamesOf{Member: "limits", Text: "the CSI driver %s is not installed on the node", Each: true},
	Helped: Hints{
		EventNodeAdded:          comes(saysLimits),
		EventNodeUpdated:        raisesLimit,
		EventAssignedPodDeleted: func(_ *Waiting, c *Change) bool { return slices.ContainsFunc(c.Pod.Volumes, isAttached) },
		EventStorageChanged:     stored(attachesMore),
		EventPodUpdated:         itself(volumesOf),
	},
	Draw: Draw{Topic: Volumes, Running: drawAttached, Asking: alike(drawAttached), Node: drawAttachLimits, Room: true},
}

// drawAttached gives every second pod volumes that a driver attaches. Some of them are yet to be made.
func drawAttached(s draw.Source, p *outrank.Pod) {
	if draw.OneIn(s, "has attached volumes", 2) {
		add(p, draw.Of(s, "attached volumes", draw.Between(1, 3),
			attached("data", diskDriver, "h1"), attached("logs", diskDriver, "h2"), attached("cache", diskDriver, "h3"),
			attached("files", fileDriver, "h1"), attached("home", fileDriver, "h2"), attached("ebs", ebsDriver, "d1"),
			attached("new", diskDriver, ""), attached("newer", ebsDriver, ""),
		)...)
	}
	if draw.OneIn(s, "has an attached ephemeral volume", 15) {
		addEphemeral(p, draw.Pick(s, "ephemeral volume", attached("", diskDriver, "h2"), attached("", diskDriver, "")))
	}
}

// drawAttachLimits gives a node limits for some drivers. Of the drivers without a limit, one in eight is
// missing on the node.
func drawAttachLimits(s draw.Source, n *outrank.Node) {
	limits := map[string]int64{}
	for _, driver := range drivers {
		if limit := draw.Pick[int64](s, "limit of "+driver, -1, 1, 2, 2, 3, 0); limit >= 0 {
			limits[driver] = limit
		} else if draw.OneIn(s, "without "+driver, 8) {
			n.MissingDrivers = append(n.MissingDrivers, driver)
		}
	}

	slices.Sort(n.MissingDrivers) // a cluster that was read has them sorted, too
	if len(limits) > 0 {
		n.AttachLimits = limits
	}
}

// saysLimits reports whether a node says something about drivers. In the reference an object of its own does, the
// CSINode, and a node without one helps nobody (rule 5.4.28).
func saysLimits(_ *Waiting, n *outrank.Node) bool {
	return len(n.AttachLimits)+len(n.MissingDrivers) > 0
}

// raisesLimit reports whether a node can attach more volumes of a driver than before. A driver without a limit
// counts as one with the limit 0, as in the reference, but not one that was missing.
func raisesLimit(_ *Waiting, c *Change) bool {
	for driver, limit := range c.Node.AttachLimits {
		if limit > c.NodeBefore.AttachLimits[driver] {
			return true
		}
	}
	return slices.ContainsFunc(c.NodeBefore.MissingDrivers, func(driver string) bool {
		return !slices.Contains(c.Node.MissingDrivers, driver)
	})
}

// isAttached reports whether a driver may attach the volume to a node: it has a claim, or it is a disk that a driver
// has taken over.
func isAttached(v outrank.Volume) bool {
	taken := v.Disk.Kind == outrank.AWSElasticBlockStore || v.Disk.Kind == outrank.GCEPersistentDisk
	return taken || v.Claim != "" || v.Ephemeral || v.Driver != ""
}
