package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeDeclaredFeaturesEntry = Entry{
	Name:  NodeDeclaredFeatures,
	Reads: Reads{Pod: func(pod *outrank.Pod) bool { return needs(pod) != [3]bool{} }},
	Fails: IncurableFailure,
	Gains: always,
	Signature: func(w Writer, pod *outrank.Pod) {
		for _, need := range needs(pod) {
			w.Flag(need)
		}
	},
	Names: NamesOf{Member: "features", Text: "the node does not declare the feature %s", Each: true},
	Helped: Hints{
		EventNodeAdded: anyway,
		EventNodeUpdated: func(_ *Waiting, c *Change) bool {
			return !slices.Equal(c.NodeBefore.DeclaredFeatures, c.Node.DeclaredFeatures)
		},
		EventPodUpdated: func(w *Waiting, c *Change) bool {
			return needsBy(w.Rules, c.PodBefore) != needsBy(w.Rules, c.Pod)
		},
	},
	Draw: Draw{
		Topic:  Features,
		Asking: alike(drawNeeds),
		Node: func(s draw.Source, n *outrank.Node) {
			n.DeclaredFeatures = draw.Of(s, "declared features", draw.Between(0, 2),
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

// needs says which of three features a pod needs in at least one release: user namespaces in the network of the
// host, restarts of all containers, and options of bind mounts (rules 7.14.3, 7.14.4 and 7.14.6).
func needs(p *outrank.Pod) (needed [3]bool) {
	needed[0] = p.HostNetwork && p.HostUsers != nil && !*p.HostUsers

	for _, list := range [][]outrank.Container{p.Containers, p.InitContainers} {
		for i := range list {
			needed[1] = needed[1] || list[i].RestartsAll
			needed[2] = needed[2] || list[i].BindMountOptions
		}
	}
	return needed
}

// needsBy returns which of these features a pod needs by the rules of a release.
func needsBy(rules *release.Rules, p *outrank.Pod) [3]bool {
	needed := needs(p)
	needed[2] = needed[2] && rules.BindMountFeature
	return needed
}
