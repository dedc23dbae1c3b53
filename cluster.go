package outrank

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/release"
)

// Cluster is all that a decision may depend on. The order of Nodes matters in
// one place: of nodes that are equal in every rank, the first is chosen. The order of
// Budgets matters from v1.37 on, where a pod is charged to no budget behind the first
// that it violates (rule 6.3.8). No other order matters.
type Cluster struct {
	Nodes []*Node
	// Pods are the pods on nodes (with a NodeName) and the pending pods. Finished
	// pods may be among them and count nowhere.
	Pods       []*Pod
	Budgets    []*PodDisruptionBudget
	Classes    []*PriorityClass
	Namespaces []*Namespace
	// Groups are the pod groups. A group that a pod names and that is not
	// listed has the mode DisruptPod.
	Groups []*PodGroup
	// Composites are the groups of groups. They count under the gate
	// CompositePodGroup of v1.37 (rule 12.6.4).
	Composites []*CompositePodGroup
	// Workloads are the objects from which controllers made Groups and Composites.
	// No decision looks at them.
	Workloads []*Workload
	// Claims are the volume claims that pods may name; see
	// Cluster.ResolveVolumes.
	Claims []*VolumeClaim
	// Release says whose rules hold; zero means DefaultRelease. kube.ReadCluster
	// leaves it zero; Cluster.ReleaseOfNodes returns what the nodes say.
	Release Release

	// Skipped counts, by kind, the objects that kube.ReadCluster has no use for,
	// and Finished the Succeeded and Failed pods that it left out. They describe
	// an input: kube.WriteCluster does not write them.
	Skipped  map[string]int
	Finished int
	// AsOf is the latest creation time of any object in the input of
	// kube.ReadCluster, including the objects in Skipped and Finished, by the API server's
	// clock (rule 26.2.4). So the input was made later. AsOf is zero if no
	// object says when it was created. Like Skipped and Finished, it describes an
	// input.
	AsOf time.Time
	// Unread names fields in the input of kube.ReadCluster that matter to a cluster and
	// that nothing here follows. Cluster.Warnings returns them with the other warnings.
	// Like Skipped, it describes an input.
	Unread []Problem
}

// errNoCluster is the error about a nil Cluster.
var errNoCluster = fmt.Errorf("%w: no cluster", ErrInvalid)

// Pod returns the pod with this namespace and name, nil if there is none. Time
// is linear in the number of pods.
func (c *Cluster) Pod(namespace, name string) *Pod {
	namespace = namespaceOr(namespace)
	for _, p := range c.Pods {
		if p != nil && p.Name == name && p.NamespaceName() == namespace {
			return p
		}
	}
	return nil
}

// ReleaseOfNodes returns the newest release among the nodes' kubelets, with the
// default gates, because a scheduler is never older than a kubelet. The release is
// zero where no node names one. If the rules of the newest are not known, the error
// names the node and wraps [ErrInvalid], and the release is the nearest known
// one. Time is linear in the number of nodes.
func (c *Cluster) ReleaseOfNodes() (Release, error) {
	if c == nil {
		return 0, errNoCluster
	}

	// newest is the first node with the highest minor version.
	var newest *Node
	highest := 0
	for _, n := range c.Nodes {
		if n == nil {
			continue
		}
		if minor, ok := release.Minor(n.KubeletVersion); ok && (newest == nil || minor > highest) {
			newest, highest = n, minor
		}
	}
	if newest == nil {
		return 0, nil
	}

	r, ok := release.OfVersion(newest.KubeletVersion)
	if !ok {
		return Release(release.Nearest(highest)), fmt.Errorf("node %s: status.nodeInfo.kubeletVersion: %w", newest.Name, wrapInvalid(release.Unknown(newest.KubeletVersion)))
	}
	return Release(r), nil
}

// ResolveVolumes fills in the volumes behind the pods' claims, as far as
// Cluster.Claims has them. Pods from package preemption/kube are resolved
// already; others need this call. A volume whose claim is not in Cluster.Claims
// stays as it is. A pod with volumes gets a new slice of them, whose selectors
// and zones are shared with the claims. Nil pods and claims are passed over. Time
// is linear in the claims and the volumes.
func (c *Cluster) ResolveVolumes(pods ...*Pod) {
	if len(c.Claims) == 0 {
		return
	}

	claims := make(map[Key]*VolumeClaim, len(c.Claims))
	for _, vc := range c.Claims {
		if vc != nil {
			claims[vc.Key()] = vc
		}
	}
	for _, p := range pods {
		if p != nil {
			p.resolve(claims)
		}
	}
}

// resolve fills in the pod's volumes from the claims. The slice of volumes is new, because
// the old one may be shared with the pod that this one is a copy of.
func (p *Pod) resolve(claims map[Key]*VolumeClaim) {
	if len(p.Volumes) == 0 {
		return
	}
	volumes := make([]Volume, len(p.Volumes))
	for i, v := range p.Volumes {
		vc := claims[NewKey(p.Namespace, v.Claim)]
		if v.Claim != "" && vc != nil {
			// Claim and Ephemeral are the pod's, all other fields the claim's.
			name, ephemeral := v.Claim, v.Ephemeral
			v = vc.Volume
			v.Claim, v.Ephemeral = name, ephemeral
		}
		volumes[i] = v
	}
	p.Volumes = volumes
}
