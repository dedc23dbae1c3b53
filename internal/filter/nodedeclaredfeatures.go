package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/draw"
)

var nodeDeclaredFeaturesEntry = Entry{
	Name: NodeDeclaredFeatures,
	Draw: Draw{
		Topic:  Features,
		Asking: alike(drawNeeds),
		Node: func(s draw.Source, n *outrank.Node) {
			n.DeclaredFeatures = draw.Of(s, "declared features", 0, 2,
				"UserNamespacesHostNetworkSupport", "RestartAllContainersOnContainerExits", "VolumeBindMountOptions", "Other")
		},
	},
}

// drawNeeds makes every third pod need features.
func drawNeeds(s draw.Source, p *outrank.Pod) {
	if !draw.OneIn(s, "needs features", 3) {
		return
	}
	p.HostNetwork = draw.OneIn(s, "host network", 2)
	if draw.OneIn(s, "says host users", 2) {
		users := draw.OneIn(s, "host users", 2)
		p.HostUsers = &users
	}
	p.Containers[0].RestartsAll = draw.OneIn(s, "restarts all", 3)
	p.Containers[0].BindMountOptions = draw.OneIn(s, "mount options", 3)
}
