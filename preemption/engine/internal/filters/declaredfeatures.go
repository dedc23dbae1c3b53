package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// The features that a pod can need of its node, by the names that nodes declare
// (rules 7.14.3, 7.14.4 and 7.14.6).
const (
	featureUserNamespaces   = "UserNamespacesHostNetworkSupport"
	featureRestartContainer = "RestartAllContainersOnContainerExits"
	featureBindMounts       = "VolumeBindMountOptions"
)

var declaredFeaturesText = []string{"node(s) didn't match Pod's required features"}

// DeclaredFeaturesFilter is NodeDeclaredFeatures.
var DeclaredFeaturesFilter = descriptor{
	Entry: filter.Of(filter.NodeDeclaredFeatures),
	check: func(q *Question, node *outrank.Node) []string {
		for _, feature := range neededFeatures(q.Pod, q.Rules.BindMountFeature) {
			if !slices.Contains(node.DeclaredFeatures, feature) {
				return declaredFeaturesText
			}
		}
		return nil
	},
}

// neededFeatures lists the features that a pod needs, nil for most pods. Options of bind mounts count only if
// mounts is set.
func neededFeatures(pod *outrank.Pod, mounts bool) []string {
	var needed []string
	if pod.HostNetwork && pod.HostUsers != nil && !*pod.HostUsers {
		needed = append(needed, featureUserNamespaces)
	}
	restartsAll := func(c outrank.Container) bool { return c.RestartsAll }
	if slices.ContainsFunc(pod.Containers, restartsAll) || slices.ContainsFunc(pod.InitContainers, restartsAll) {
		needed = append(needed, featureRestartContainer)
	}
	mountOptions := func(c outrank.Container) bool { return c.BindMountOptions }
	if mounts && (slices.ContainsFunc(pod.Containers, mountOptions) || slices.ContainsFunc(pod.InitContainers, mountOptions)) {
		needed = append(needed, featureBindMounts)
	}
	return needed
}
