package convert

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
)

// Cluster converts all objects into the cluster that [kube.ReadCluster] reads from a list of them. The claims
// of pods are filled in, finished pods are counted and left out, and the cluster has the time of the latest
// creation. Cluster.Unread names the fields that matter to a cluster and are not followed, in the order of the kinds
// in Objects. A single error lists everything that is wrong with the objects. It takes time linear in the number of
// objects.
func Cluster(o Objects) (*outrank.Cluster, error) {
	r := &reading{cluster: &outrank.Cluster{}}
	c := r.cluster
	c.Nodes = all(r, o.Nodes, Node)
	for _, p := range o.Pods {
		r.pod(p)
	}
	c.Budgets = all(r, o.Budgets, Budget)
	each(o.Budgets, r.budgetUnread)
	c.Classes = all(r, o.PriorityClasses, PriorityClass)
	c.Namespaces = all(r, o.Namespaces, Namespace)
	each(o.Namespaces, r.namespaceUnread)
	r.storage(&o)
	r.groups(&o)
	r.err(c.Validate()) // checks for duplicate names, and for what claims get from their volumes
	if len(r.problems) > 0 {
		return nil, &outrank.InputError{Problems: r.problems}
	}

	r.waitingUnread(&o)
	c.ResolveVolumes(c.Pods...)
	return c, nil
}

// each tells of the objects of a list. What is nil is a problem, and no cluster comes of it.
func each[A any](objects []*A, tell func(*A)) {
	for _, o := range objects {
		if o != nil {
			tell(o)
		}
	}
}

// reading is a cluster that is being converted.
type reading struct {
	cluster  *outrank.Cluster
	problems []outrank.Problem
}

// err records the problems of an error, except those that are recorded already.
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

// all converts a list. It leaves out objects that are refused.
func all[A metav1.Object, T any](r *reading, objects []A, convert func(A) (*T, error)) []*T {
	var out []*T
	for _, o := range objects {
		one, err := convert(o)
		if err != nil {
			r.err(err)
			continue
		}
		r.created(o)
		out = append(out, one)
	}
	return out
}

// pod adds a pod. A finished pod contributes only the time of its creation.
func (r *reading) pod(p *corev1.Pod) {
	if p != nil && (p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed) {
		ps := podProblems(p)
		ps.pod(p)
		r.problems = append(r.problems, ps.list...)
		r.cluster.Finished++
		r.created(p)
		r.podUnread(p)
		return
	}
	one, err := Pod(p)
	if err != nil {
		r.err(err)
		return
	}
	r.cluster.Pods = append(r.cluster.Pods, one)
	r.created(p)
	r.podUnread(p)
}

// storage combines the parts of volumes that are in different objects.
func (r *reading) storage(o *Objects) {
	volumes := byName(r, "persistentvolume", o.Volumes, Volume)
	classes := byName(r, "storageclass", o.StorageClasses, StorageClass)
	for _, c := range o.Claims {
		one, err := Claim(c)
		if err != nil {
			r.err(err)
			continue
		}
		r.created(c)
		r.claimUnread(c)
		b := BindingOf(c)
		r.cluster.Claims = append(r.cluster.Claims, Bind(one, b, volumes[b.Volume], classes[b.Class]))
	}
	nodes := byName(r, "csinode", o.CSINodes, CSINode)
	drivers := byName(r, "csidriver", o.CSIDrivers, CSIDriver)
	required := r.required(drivers, len(nodes) > 0)
	for i, n := range r.cluster.Nodes {
		r.cluster.Nodes[i] = Attach(n, nodes[n.Name], required)
	}
}

// byName converts objects of a kind whose names are unique.
func byName[A metav1.Object, T any](r *reading, kind string, objects []A, convert func(A) (*T, error)) map[string]*T {
	out := make(map[string]*T, len(objects))
	for _, o := range objects {
		one, err := convert(o)
		if err != nil {
			r.err(err)
			continue
		}
		r.created(o)
		name := o.GetName()
		if out[name] != nil {
			r.problems = append(r.problems, outrank.Problem{Object: kind + " " + name, Field: "metadata.name", Text: "there are two of this name"})
		}
		out[name] = one
	}
	return out
}

// mostRequired is the most drivers that nodes may be required to have, the same number as in ReadCluster.
const mostRequired = 100

// required lists the drivers that nodes must have, sorted.
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

// created reads when an object was created. That time comes from the clock of the API server. The clocks of
// nodes, which set start times and conditions, may be ahead of it (rule 26.2.4).
func (r *reading) created(o metav1.Object) {
	if t := o.GetCreationTimestamp().Time; t.After(r.cluster.AsOf) {
		r.cluster.AsOf = t.UTC()
	}
}
