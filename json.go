package outrank

import (
	"bytes"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
)

// The kinds of objects, as "kind" has them.
const (
	kindPod          = "Pod"
	kindNode         = "Node"
	kindBudget       = "PodDisruptionBudget"
	kindClass        = "PriorityClass"
	kindNamespace    = "Namespace"
	kindGroup        = "PodGroup"
	kindComposite    = "CompositePodGroup"
	kindWorkload     = "Workload"
	kindClaim        = "PersistentVolumeClaim"
	kindVolume       = "PersistentVolume"
	kindStorageClass = "StorageClass"
	kindCSINode      = "CSINode"
	kindCSIDriver    = "CSIDriver"
	kindStatus       = "Status"
)

// MarshalJSON returns the v1 Pod. Volumes appear as the claims and disks that
// the pod names; what a claim stands for belongs to other objects and is left
// out, and [WriteCluster] writes those. A volume without a claim that has what
// a volume gets from its claim is an error, as is anything else that no field of
// a Pod can say. So are two containers of one name whose statuses differ, and a
// resize that is deferred and infeasible at once.
// Value is left out. Errors are an *[InputError]. Time is linear in the size of
// the pod.
func (p Pod) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.pod(&p) })
}

// UnmarshalJSON reads the v1 Pod; "apiVersion" and "kind" may be missing.
// Errors are those of [ReadPod], all in one *[InputError], and leave p as it
// was. What claims stand for is left open; see [Cluster.ResolveVolumes]. null
// changes nothing.
func (p *Pod) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindPod, p, func(c *Cluster) []*Pod { return c.Pods })
}

// MarshalJSON returns the v1 Node. AttachLimits and MissingDrivers are left out: they
// stand in other objects, the CSINode and CSIDrivers, which [WriteCluster] writes.
func (n Node) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.node(&n) })
}

// UnmarshalJSON reads the v1 Node; see [Pod.UnmarshalJSON]. AttachLimits is nil
// afterwards.
func (n *Node) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindNode, n, func(c *Cluster) []*Node { return c.Nodes })
}

// MarshalJSON returns the policy/v1 PodDisruptionBudget.
func (b PodDisruptionBudget) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.budget(&b) })
}

// UnmarshalJSON reads the policy/v1 PodDisruptionBudget; see
// [Pod.UnmarshalJSON].
func (b *PodDisruptionBudget) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindBudget, b, func(c *Cluster) []*PodDisruptionBudget { return c.Budgets })
}

// MarshalJSON returns the scheduling.k8s.io/v1 PriorityClass.
func (pc PriorityClass) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.class(&pc) })
}

// UnmarshalJSON reads the scheduling.k8s.io/v1 PriorityClass; see
// [Pod.UnmarshalJSON].
func (pc *PriorityClass) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindClass, pc, func(c *Cluster) []*PriorityClass { return c.Classes })
}

// MarshalJSON returns the v1 Namespace.
func (ns Namespace) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.namespace(&ns) })
}

// UnmarshalJSON reads the v1 Namespace; see [Pod.UnmarshalJSON].
func (ns *Namespace) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindNamespace, ns, func(c *Cluster) []*Namespace { return c.Namespaces })
}

// MarshalJSON returns the PodGroup of scheduling.k8s.io/v1alpha2, or of v1beta1
// where v1alpha2 cannot say all of it (rule 22.3.1).
func (g PodGroup) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.group(&g) })
}

// UnmarshalJSON reads the PodGroup of any version of scheduling.k8s.io; see
// [Pod.UnmarshalJSON]. The PodGroup of another API group is an error.
func (g *PodGroup) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindGroup, g, func(c *Cluster) []*PodGroup { return c.Groups })
}

// MarshalJSON returns the scheduling.k8s.io/v1alpha3 CompositePodGroup.
func (g CompositePodGroup) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.composite(&g) })
}

// UnmarshalJSON reads the CompositePodGroup of any version of scheduling.k8s.io;
// see [PodGroup.UnmarshalJSON].
func (g *CompositePodGroup) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindComposite, g, func(c *Cluster) []*CompositePodGroup { return c.Composites })
}

// MarshalJSON returns the scheduling.k8s.io/v1beta1 Workload. One that
// [Cluster.Validate] refuses is an error.
func (w Workload) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.workload(&w) })
}

// UnmarshalJSON reads the Workload of any version of scheduling.k8s.io from
// v1alpha2 on; see [PodGroup.UnmarshalJSON].
func (w *Workload) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindWorkload, w, func(c *Cluster) []*Workload { return c.Workloads })
}

// MarshalJSON returns the v1 PersistentVolumeClaim. Of Volume it has OncePod and
// whether the claim is lost or being deleted: the rest stands in other objects,
// the PersistentVolume and the StorageClass, which [WriteCluster] writes.
func (vc VolumeClaim) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any { return e.claim(&boundClaim{claim: &vc}) })
}

// UnmarshalJSON reads the v1 PersistentVolumeClaim; see [Pod.UnmarshalJSON].
// Of Volume it sets OncePod, and State where the claim is lost or being deleted.
func (vc *VolumeClaim) UnmarshalJSON(text []byte) error {
	return unmarshal(text, kindClaim, vc, func(c *Cluster) []*VolumeClaim { return c.Claims })
}

// MarshalJSON returns the v1 List that [WriteCluster] writes, whole in memory.
func (c Cluster) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := WriteCluster(&b, &c)
	return b.Bytes(), err
}

// UnmarshalJSON reads a v1 List, or a list of one kind, as [ReadCluster] does.
// A single object is an error. Errors leave c as it was; null changes nothing.
func (c *Cluster) UnmarshalJSON(text []byte) error {
	if isNull(text) {
		return nil
	}
	rd := newReader()
	err := manifest.Each(bytes.NewReader(text), func(it manifest.Item) error {
		if it.Single {
			rd.problem("input", "kind", "%s where a List is wanted", fields.Quote(it.Kind))
			return nil
		}
		return rd.item(it)
	})
	if err != nil {
		rd.problem("input", "", "%v", err)
	}
	read, err := rd.finish()
	if err != nil {
		return err
	}
	*c = *read
	return nil
}

// unmarshal reads one object into to. of returns the objects of its kind.
func unmarshal[T any](text []byte, kind string, to *T, of func(*Cluster) []*T) error {
	if isNull(text) {
		return nil
	}
	rd := newReader()
	rd.finished = true
	if rd.expect(text, kind) {
		if err := rd.item(manifest.Item{Kind: kind, Where: "input", Raw: text}); err != nil {
			return err
		}
	}
	rd.validate()
	switch read := of(rd.cluster); {
	case len(rd.problems) > 0:
	case len(read) == 0: // a kind of this name in another API group
		rd.problem("input", "apiVersion", "this %s is of an unknown API group", kind)
	default:
		*to = *read[0]
	}
	return newInputError(rd.problems)
}

// expect reports whether text is an object of the kind, or of none.
func (rd *reader) expect(text []byte, kind string) bool {
	have, wrong := manifest.KindOf(text)
	for _, m := range wrong {
		rd.problem("input", m.Field, "%s", m.Text)
	}
	if len(wrong) == 0 && have != "" && have != kind {
		rd.problem("input", "kind", "%s where a %s is wanted", fields.Quote(have), kind)
	}
	return len(rd.problems) == 0
}

// marshal returns the text of what object makes.
func marshal(object func(*encoder) any) ([]byte, error) {
	var e encoder
	text := e.text(object(&e))
	if len(e.problems) > 0 {
		return nil, newInputError(e.problems)
	}
	return text, nil
}

func isNull(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }
