package outrank

import "time"

// Cluster is all that a decision may depend on. The order of Nodes matters in
// one place: of nodes that are equal in every rank, the first is chosen. That of
// Budgets matters from v1.37 on, where a pod is charged to no budget behind the first
// that it violates (rule 6.3.8). No other order matters.
type Cluster struct {
	Nodes []*Node
	// Pods are the pods on nodes (NodeName set) and the pending ones. Finished
	// pods may be among them and count nowhere.
	Pods       []*Pod
	Budgets    []*PodDisruptionBudget
	Classes    []*PriorityClass
	Namespaces []*Namespace
	// Groups say in what units pods may be pushed out. A group that pods name
	// and that is not among them is one of DisruptPod.
	Groups []*PodGroup
	// Composites are what groups may be part of, and Workloads what both may have
	// been made from. Composites tell under the gate CompositePodGroup of v1.37 (rule
	// 12.6.4); no decision looks at workloads.
	Composites []*CompositePodGroup
	Workloads  []*Workload
	// Claims are what the claims of pods stand for; see
	// [Cluster.ResolveVolumes].
	Claims []*VolumeClaim
	// Release says whose rules hold; zero means [DefaultRelease]. kube.ReadCluster
	// leaves it zero; [Cluster.ReleaseOfNodes] tells what the nodes say.
	Release Release

	// Skipped counts, by kind, the objects that kube.ReadCluster has no use for,
	// and Finished the Succeeded and Failed pods that it left out. They describe
	// an input: kube.WriteCluster does not write them.
	Skipped  map[string]int
	Finished int
	// AsOf is the latest time that the input of kube.ReadCluster names as past: when
	// pods were created, started, asked to go or changed a condition, and when
	// nodes were created and last reported one. It is zero where none is named.
	// The input was made at that time or soon after. Like the two above, it
	// describes an input.
	AsOf time.Time
}

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
