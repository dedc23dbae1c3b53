package convert

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/outrank-go/outrank"
)

// Cluster converts all objects into what [kube.ReadCluster] reads from a list of
// them: with the claims of pods filled in, finished pods counted and left out, and the
// time that the objects tell. All that is wrong with them is in one error. Time is
// linear in the objects.
func Cluster(o Objects) (*outrank.Cluster, error) {
	r := &reading{cluster: &outrank.Cluster{}}
	c := r.cluster
	c.Nodes = all(r, o.Nodes, Node)
	for _, p := range o.Pods {
		r.pod(p)
	}
	c.Budgets = all(r, o.Budgets, Budget)
	c.Classes = all(r, o.PriorityClasses, PriorityClass)
	c.Namespaces = all(r, o.Namespaces, Namespace)
	r.groups(&o)
	r.storage(&o)
	for _, n := range o.Nodes {
		r.nodeTimes(n)
	}
	r.err(c.Validate()) // two of a name, and what claims get from their volumes
	if len(r.problems) > 0 {
		return nil, &outrank.InputError{Problems: r.problems}
	}
	c.ResolveVolumes(c.Pods...)
	return c, nil
}

// reading is a cluster in the making.
type reading struct {
	cluster  *outrank.Cluster
	problems []outrank.Problem
}

// err records the problems of an error, but for those that are known.
func (r *reading) err(err error) {
	var invalid *outrank.InputError
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			if !slices.Contains(r.problems, p) {
				r.problems = append(r.problems, p)
			}
		}
	}
}

// all converts a list, without the refused objects.
func all[A, T any](r *reading, objects []*A, convert func(*A) (*T, error)) []*T {
	var out []*T
	for _, o := range objects {
		one, err := convert(o)
		if err != nil {
			r.err(err)
			continue
		}
		out = append(out, one)
	}
	return out
}

// pod adds a pod. Of one that has finished only the times count.
func (r *reading) pod(p *corev1.Pod) {
	if p != nil && (p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed) {
		ps := podProblems(p)
		ps.pod(p)
		r.problems = append(r.problems, ps.list...)
		r.cluster.Finished++
		r.podTimes(p)
		return
	}
	one, err := Pod(p)
	if err != nil {
		r.err(err)
		return
	}
	r.cluster.Pods = append(r.cluster.Pods, one)
	r.podTimes(p)
}

// storage joins the parts of volumes from different objects.
func (r *reading) storage(o *Objects) {
	volumes := byName(r, "persistentvolume", o.Volumes, Volume, func(pv *corev1.PersistentVolume) string { return pv.Name })
	classes := byName(r, "storageclass", o.StorageClasses, StorageClass, func(sc *storagev1.StorageClass) string { return sc.Name })
	for _, c := range o.Claims {
		one, err := Claim(c)
		if err != nil {
			r.err(err)
			continue
		}
		b := BindingOf(c)
		r.cluster.Claims = append(r.cluster.Claims, Bind(one, b, volumes[b.Volume], classes[b.Class]))
	}
	nodes := byName(r, "csinode", o.CSINodes, CSINode, func(n *storagev1.CSINode) string { return n.Name })
	drivers := byName(r, "csidriver", o.CSIDrivers, CSIDriver, func(d *storagev1.CSIDriver) string { return d.Name })
	required := r.required(drivers, len(nodes) > 0)
	for i, n := range r.cluster.Nodes {
		r.cluster.Nodes[i] = Attach(n, nodes[n.Name], required)
	}
}

// byName converts objects of which there may be one of a name.
func byName[A, T any](r *reading, kind string, objects []*A, convert func(*A) (*T, error), name func(*A) string) map[string]*T {
	out := make(map[string]*T, len(objects))
	for _, o := range objects {
		one, err := convert(o)
		if err != nil {
			r.err(err)
			continue
		}
		if out[name(o)] != nil {
			r.problems = append(r.problems, outrank.Problem{Object: kind + " " + name(o), Field: "metadata.name", Text: "there are two of this name"})
		}
		out[name(o)] = one
	}
	return out
}

// mostRequired is the most drivers that may have to be on nodes, as for ReadCluster.
const mostRequired = 100

// required lists the drivers that have to be on nodes, sorted.
func (r *reading) required(drivers map[string]*Driver, known bool) []string {
	var names []string
	for name, d := range drivers {
		if known && d.Required {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > mostRequired {
		r.problems = append(r.problems, outrank.Problem{
			Object: "csidriver " + names[mostRequired], Field: "spec.preventPodSchedulingIfMissing",
			Text: fmt.Sprintf("there are %d such drivers, and %d are the most", len(names), mostRequired),
		})
		return nil
	}
	return names
}

// podTimes adds the past times of a pod. A deletion time is when the pod has to
// be gone: it was asked to go earlier, by its grace.
func (r *reading) podTimes(p *corev1.Pod) {
	if p.Status.StartTime != nil {
		r.latest(p.Status.StartTime.Time)
	}
	r.latest(p.CreationTimestamp.Time)
	if !p.DeletionTimestamp.IsZero() {
		grace := valueOf(p.DeletionGracePeriodSeconds)
		if grace < 0 || grace > believableGrace {
			grace = 0
		}
		r.latest(p.DeletionTimestamp.Add(-time.Duration(grace) * time.Second))
	}
	for i := range p.Status.Conditions {
		r.latest(p.Status.Conditions[i].LastProbeTime.Time)
		r.latest(p.Status.Conditions[i].LastTransitionTime.Time)
	}
}

// believableGrace is the longest believed grace of a deletion, in seconds: about
// a century.
const believableGrace = 100 * 366 * 24 * 3600

func (r *reading) nodeTimes(n *corev1.Node) {
	if n == nil {
		return
	}
	r.latest(n.CreationTimestamp.Time)
	for i := range n.Status.Conditions {
		r.latest(n.Status.Conditions[i].LastHeartbeatTime.Time)
		r.latest(n.Status.Conditions[i].LastTransitionTime.Time)
	}
}

func (r *reading) latest(t time.Time) {
	if t.After(r.cluster.AsOf) {
		r.cluster.AsOf = t.UTC()
	}
}
