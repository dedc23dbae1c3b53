package kube

import (
	"bufio"
	"io"
	"iter"

	"github.com/outrank-go/outrank"
)

// WriteCluster writes the cluster as a Kubernetes List with one object on a line,
// for [ReadCluster] and kubectl to read. The same cluster always yields the
// same bytes, and the last of them is a newline. The cluster that is read back
// decides alike, and is equal but for what follows.
//
// Kubernetes keeps some fields in other objects, and these are written too. A
// node's AttachLimits become a CSINode, and so do its MissingDrivers, beside
// CSIDrivers. What a claim stands for becomes a PersistentVolume named
// "namespace.claim", or a StorageClass named "class-1" and so on where its volume is
// yet to be made. The claims are those of Cluster.Claims, then those of pods that are
// not among them and are more than names; reading back puts all of them into
// Cluster.Claims.
//
// Groups of pods are all written as v1alpha2 has them, or all as v1beta1 where that
// is needed to say what one of them says, or there are composite groups or workloads
// (rule 22.3.1).
//
// Not written are Release, which is no object, Skipped, Finished and AsOf, which
// describe an input, the Claim within VolumeClaim.Volume, Pod.Value and Node.Value. Finished
// pods are written, but ReadCluster only counts them. Empty lists and maps read back as nil,
// but for AllocatedResources and Actual, and Reported beside an Actual is lost. An empty
// WhenUnsatisfiable reads back as DoNotSchedule, which it means. Amounts keep their value, but
// a binary amount may read back as a decimal one ([resource.Quantity.String]).
//
// A nil writer and a nil cluster are an *[outrank.InputError]. A cluster is refused if
// [outrank.Cluster.Validate] refuses it, or if it has anything that Kubernetes cannot say:
//
//   - a pod that differs from another, or from Cluster.Claims, in what a claim
//     stands for; [outrank.Cluster.ResolveVolumes] makes them agree
//   - a volume without a claim that has what only a claim gives, a volume with
//     a claim and a disk, a disk that its kind cannot describe
//   - a claim that has lost its volume and has what only a volume gives, a volume
//     with a driver and no handle; an ephemeral volume whose claim is not named
//     after its pod
//   - a zone that no label can hold, an AttachLimit beyond 32 bits or of a missing
//     driver, more than 100 drivers among the MissingDrivers of all nodes
//   - two containers of one name in a pod whose statuses differ, a resize that is
//     deferred and infeasible at once
//   - a time before the year 0 or after 9999, a text that is not UTF-8
//
// One *[outrank.InputError] lists all of that, and nothing is written then. Text that is
// not UTF-8 is only found while writing: like an error of w, which is returned as
// it is, it leaves the beginning of a list.
//
// Time is linear in the size of the cluster. Objects are encoded one at a time:
// beside the cluster, memory holds the text of the largest object and the names of
// objects and claims. The cluster is not changed, and any number of goroutines
// may write it at once.
func WriteCluster(w io.Writer, c *outrank.Cluster) error {
	switch {
	case w == nil:
		return &outrank.InputError{Problems: []outrank.Problem{{Object: "writer", Text: "is nil"}}}
	case c == nil:
		return &outrank.InputError{Problems: []outrank.Problem{{Object: "cluster", Text: "is nil"}}}
	}
	if err := c.Validate(); err != nil {
		return err
	}

	// Everything is encoded twice: first to find all problems before anything is written, then to write one object
	// at a time without holding the others.
	e := encoder{beta: needsBeta(c)}
	claims, classes := e.claims(c)
	for range objects(&e, c, claims, classes) {
	}
	if len(e.problems) > 0 {
		return &outrank.InputError{Problems: e.problems}
	}

	b := bufio.NewWriter(w)
	b.WriteString(`{"apiVersion":"v1","kind":"List","metadata":{},"items":[`)
	separator := "\n"
	for object := range objects(&e, c, claims, classes) {
		text := e.text(object)
		if len(e.problems) > 0 {
			b.Flush()
			return &outrank.InputError{Problems: e.problems}
		}
		b.WriteString(separator)
		if _, err := b.Write(text); err != nil {
			return err
		}
		separator = ",\n"
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}

// objects yields the wire forms of all objects of the cluster. Each is valid until the next.
func objects(e *encoder, c *outrank.Cluster, claims []boundClaim, classes []class) iter.Seq[any] {
	required := e.requiredDrivers(c)
	return func(yield func(any) bool) {
		// Each step reports whether to go on, so that the chain ends where yield says so.
		_ = each(required, func(name string) bool { return yield(e.csiDriver(name)) }) &&
			each(c.Namespaces, func(ns *outrank.Namespace) bool { return yield(e.namespace(ns)) }) &&
			each(c.Classes, func(pc *outrank.PriorityClass) bool { return yield(e.class(pc)) }) &&
			each(c.Nodes, func(n *outrank.Node) bool {
				if !yield(e.node(n)) {
					return false
				}
				limits := e.csiNode(n, required)
				return limits == nil || yield(limits)
			}) &&
			eachAt(classes, func(i int, sc class) bool { return yield(e.storageClass(className(i), sc)) }) &&
			each(claims, func(bc boundClaim) bool {
				return (bc.volume == "" || yield(e.persistentVolume(bc.claim, bc.volume))) &&
					yield(e.claim(&bc))
			}) &&
			each(c.Workloads, func(w *outrank.Workload) bool { return yield(e.workload(w)) }) &&
			each(c.Composites, func(g *outrank.CompositePodGroup) bool { return yield(e.composite(g)) }) &&
			each(c.Groups, func(g *outrank.PodGroup) bool { return yield(e.group(g)) }) &&
			each(c.Budgets, func(b *outrank.PodDisruptionBudget) bool { return yield(e.budget(b)) }) &&
			each(c.Pods, func(p *outrank.Pod) bool { return yield(e.pod(p)) })
	}
}

// each calls f with one element after the other until f returns false. It reports whether f never did.
func each[T any](list []T, f func(T) bool) bool {
	return eachAt(list, func(_ int, element T) bool { return f(element) })
}

// eachAt is each with the index of the element.
func eachAt[T any](list []T, f func(int, T) bool) bool {
	for i, element := range list {
		if !f(i, element) {
			return false
		}
	}
	return true
}
