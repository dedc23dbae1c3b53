package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeVolumeLimitsEntry = Entry{
	Name:    NodeVolumeLimits,
	Reads:   Reads{Pod: hasVolumes, Running: hasVolumes},
	Fails:   CurableFailure,
	Names:   NamesOf{Member: "limits", Text: "the CSI driver %s is not installed on the node", Each: true},
	Helped:  []string{EventNodeAdded, EventNodeUpdated, EventAssignedPodDeleted, EventStorageChanged},
	LooksAt: volumesOf,
	Draw:    Draw{Topic: Volumes, Running: drawAttached, Asking: alike(drawAttached), Node: drawAttachLimits, Room: true},
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
