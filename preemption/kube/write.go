package kube

import (
	"bufio"
	"io"
	"iter"

	"github.com/outrank-go/outrank"
)

// WriteCluster writes the cluster as a Kubernetes List with one object on a line,
// for [ReadCluster] and kubectl to read. Equal clusters yield equal bytes, which end
// with a newline. Decisions are the same in the cluster that is read back, and it is
// equal except for what follows.
//
// Kubernetes keeps some fields in other objects, and these are written too. A
// node's AttachLimits and MissingDrivers become a CSINode, and CSIDrivers say that the
// missing ones are required. The volume of a claim becomes a PersistentVolume named
// "namespace.claim". If the volume does not exist yet, its driver becomes a StorageClass
// named "class-1" and so on. The claims are those of Cluster.Claims, and then those of
// pods that are not among them and have more than a name. Reading back puts all of them
// into Cluster.Claims.
//
// Groups of pods are all written in v1alpha2. They are all written in v1beta1 if one of
// them has a field that v1alpha2 lacks, or if there are composite groups or workloads
// (rule 22.3.1).
//
// Not written are Release, which is no object; Skipped, Finished, AsOf and Unread, which
// describe an input; the Claim within VolumeClaim.Volume; Pod.Value and Node.Value. Finished
// pods are written, but ReadCluster only counts them. Empty lists and maps read back as nil,
// except AllocatedResources and Actual, and Reported is lost if Actual is set. An empty
// WhenUnsatisfiable reads back as DoNotSchedule, which it means. Amounts keep their value, but
// a binary amount may read back as a decimal one ([resource.Quantity.String]).
//
// It is an *[outrank.InputError] if the writer or the cluster is nil, if
// [outrank.Cluster.Validate] refuses the cluster, or if it has anything that Kubernetes cannot
// represent:
//
//   - a pod whose volume for a claim differs from the volume in another pod, or in
//     Cluster.Claims; [outrank.Cluster.ResolveVolumes] makes them agree
//   - a volume without a claim that has a field which only a claim gives, a volume
//     with a claim and a disk, a disk that its kind cannot describe
//   - a claim that has lost its volume and has a field which only a volume gives, a
//     volume with a driver and no handle, an ephemeral volume whose claim is not named
//     after its pod
//   - a zone that no label can hold, an AttachLimit beyond 32 bits or of a missing
//     driver, more than 100 drivers among the MissingDrivers of all nodes
//   - two containers of one name in a pod whose statuses differ, a resize that is
//     both deferred and infeasible
//   - a time before the year 0 or after 9999, a string that is not UTF-8
//
// The error lists all problems, and nothing is written then. Only strings that are not
// UTF-8 are found while writing. After such an error, and after an error of w, which is
// returned as it is, an incomplete list has been written.
//
// Time is linear in the size of the cluster. Objects are encoded one at a time: besides
// the cluster, memory holds the JSON of the largest object and the names of objects and
// claims. The cluster is not changed, and any number of goroutines may write it at once.
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

	// Everything is converted twice: first to find all problems before anything is written, and then to write one
	// object at a time without holding the others in memory.
	e := encoder{beta: needsBeta(c)}
	claims, classes := e.claims(c)
	for range objects(&e, c, claims, classes) {
	}
	if len(e.problems) > 0 {
		return &outrank.InputError{Problems: e.problems}
	}

	// A writer that fails does so at every later call, so only some calls are checked.
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
		// Each step reports whether to go on, so the chain of && ends when yield returns false.
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

// each calls f with one element after the other until f returns false. It returns false in that case, and otherwise
// true.
func each[T any](list []T, f func(T) bool) bool {
	return eachAt(list, func(_ int, element T) bool { return f(element) })
}

// eachAt is like each, and also passes the index of the element.
func eachAt[T any](list []T, f func(int, T) bool) bool {
	for i, element := range list {
		if !f(i, element) {
			return false
		}
	}
	return true
}
