package outrank

import "github.com/outrank-go/outrank/internal/apis"

// Package preemption/kube writes and reads the JSON of these types, so that a program has
// to import it. Without that import each method below returns an error that wraps
// errors.ErrUnsupported, and changes nothing.

// MarshalJSON returns the v1 Pod. Volumes appear as the claims and disks that the
// pod names; kube.WriteCluster writes the objects behind a claim. Value is left out.
// Time is linear in the size of the pod.
//
// The error is an *[InputError] about anything that no field of a Pod can say: fields
// of a volume that only a claim can give, on a volume without a claim; two containers
// of one name whose statuses differ; a resize that is deferred and infeasible at once.
func (p Pod) MarshalJSON() ([]byte, error) { return apis.Marshal(&p) }

// UnmarshalJSON reads the v1 Pod; "apiVersion" and "kind" may be missing. Errors
// are the ones of kube.ReadPod, all in one *[InputError], and leave p as it was.
// Claims stay unresolved; see [Cluster.ResolveVolumes]. null changes nothing.
func (p *Pod) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, p) }

// MarshalJSON returns the v1 Node. AttachLimits and MissingDrivers are left out: they
// stand in other objects, the CSINode and CSIDrivers, which kube.WriteCluster writes.
// Value is left out.
func (n Node) MarshalJSON() ([]byte, error) { return apis.Marshal(&n) }

// UnmarshalJSON reads the v1 Node; see [Pod.UnmarshalJSON]. AttachLimits and Value are
// nil afterwards.
func (n *Node) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, n) }

// MarshalJSON returns the policy/v1 PodDisruptionBudget.
func (b PodDisruptionBudget) MarshalJSON() ([]byte, error) { return apis.Marshal(&b) }

// UnmarshalJSON reads the policy/v1 PodDisruptionBudget; see
// [Pod.UnmarshalJSON].
func (b *PodDisruptionBudget) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, b) }

// MarshalJSON returns the scheduling.k8s.io/v1 PriorityClass.
func (pc PriorityClass) MarshalJSON() ([]byte, error) { return apis.Marshal(&pc) }

// UnmarshalJSON reads the scheduling.k8s.io/v1 PriorityClass; see
// [Pod.UnmarshalJSON].
func (pc *PriorityClass) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, pc) }

// MarshalJSON returns the v1 Namespace.
func (ns Namespace) MarshalJSON() ([]byte, error) { return apis.Marshal(&ns) }

// UnmarshalJSON reads the v1 Namespace; see [Pod.UnmarshalJSON].
func (ns *Namespace) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, ns) }

// MarshalJSON returns the PodGroup of scheduling.k8s.io/v1alpha2, or of v1beta1
// where v1alpha2 cannot say all of it (rule 22.3.1).
func (g PodGroup) MarshalJSON() ([]byte, error) { return apis.Marshal(&g) }

// UnmarshalJSON reads the PodGroup of any version of scheduling.k8s.io; see
// [Pod.UnmarshalJSON]. The PodGroup of another API group is an error.
func (g *PodGroup) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, g) }

// MarshalJSON returns the scheduling.k8s.io/v1alpha3 CompositePodGroup.
func (g CompositePodGroup) MarshalJSON() ([]byte, error) { return apis.Marshal(&g) }

// UnmarshalJSON reads the CompositePodGroup of any version of scheduling.k8s.io;
// see [PodGroup.UnmarshalJSON].
func (g *CompositePodGroup) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, g) }

// MarshalJSON returns the scheduling.k8s.io/v1beta1 Workload. One that
// [Cluster.Validate] refuses is an error.
func (w Workload) MarshalJSON() ([]byte, error) { return apis.Marshal(&w) }

// UnmarshalJSON reads the Workload of any version of scheduling.k8s.io from
// v1alpha2 on; see [PodGroup.UnmarshalJSON].
func (w *Workload) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, w) }

// MarshalJSON returns the v1 PersistentVolumeClaim. Of Volume it has OncePod and
// whether the claim is lost or being deleted. The rest stands in other objects,
// the PersistentVolume and the StorageClass, which kube.WriteCluster writes.
func (vc VolumeClaim) MarshalJSON() ([]byte, error) { return apis.Marshal(&vc) }

// UnmarshalJSON reads the v1 PersistentVolumeClaim; see [Pod.UnmarshalJSON].
// Of Volume it sets OncePod, and State where the claim is lost or being deleted.
func (vc *VolumeClaim) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, vc) }

// MarshalJSON returns the v1 List that kube.WriteCluster writes. It builds all of it in memory.
func (c Cluster) MarshalJSON() ([]byte, error) { return apis.Marshal(&c) }

// UnmarshalJSON reads a v1 List, or a list of one kind, as kube.ReadCluster does.
// A single object is an error. Errors leave c as it was; null changes nothing.
func (c *Cluster) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, c) }

// UnmarshalJSON reads a label selector; null changes nothing. The error is an
// *[InputError] with all that could not be read. An invalid selector is not an error,
// because budgets may have one; see [LabelSelector.Validate].
func (s *LabelSelector) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, s) }

// MarshalJSON returns spec.affinity of a pod.
func (a Affinity) MarshalJSON() ([]byte, error) { return apis.Marshal(&a) }

// UnmarshalJSON reads spec.affinity of a pod; null changes nothing. The error is
// an *[InputError] with all that could not be read. An invalid affinity is not an error;
// see [Pod.Validate].
func (a *Affinity) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, a) }

// MarshalJSON returns an entry of spec.containers of a pod. AllocatedResources and
// Actual are left out: they are part of the pod's status, and [Pod.MarshalJSON] has them.
func (c Container) MarshalJSON() ([]byte, error) { return apis.Marshal(&c) }

// UnmarshalJSON reads an entry of spec.containers of a pod; null changes
// nothing. AllocatedResources and Actual are nil afterwards. The error is an
// *[InputError] with all that could not be read. An invalid container is not an error; see
// [Pod.Validate].
func (c *Container) UnmarshalJSON(text []byte) error { return apis.Unmarshal(text, c) }
