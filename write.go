package outrank

import (
	"bufio"
	"io"
	"iter"
)

// WriteCluster writes the cluster as a Kubernetes List, one object on a line,
// which [ReadCluster] and kubectl read. Reading it gives an equal cluster,
// except for what is said below, and one that decides alike. The same cluster
// always gives the same bytes, the last of which is a newline.
//
// What stands in several objects in Kubernetes is written as these: a node's
// AttachLimits as a CSINode, and what a claim stands for as a PersistentVolume,
// named "namespace-claim" with a dot for the dash. Claims are those of
// Cluster.Claims, followed by those that pods name and that are not among them,
// as far as the pod knows more of them than the name; reading puts these into
// Cluster.Claims.
//
// These are not written: Skipped and Finished, which are about an input; the
// Claim of a VolumeClaim's Volume, which is of no interest; and Pod.Value.
// Finished pods are written, and ReadCluster counts them and leaves them out.
// Empty lists and maps read back as nil, an Allocated without Actual with an
// empty Actual; amounts keep their value, and mostly their form.
//
// A cluster that [Cluster.Validate] refuses is not written, nor is one with
// anything that Kubernetes' form cannot say: two pods that differ in what a
// claim stands for, or a pod and Cluster.Claims ([Cluster.ResolveVolumes] makes
// them agree); a volume that is no claim and has what only claims give; a limit
// beyond 32 bits; a time before the year 0 or after 9999; a zone that no label
// can hold. All of it is listed in one *[InputError] before anything is written.
// After an error of w, or over a text that is not UTF-8, w holds the beginning
// of a list.
//
// Time is linear in the size of the cluster. The objects are encoded one at a
// time: beside the cluster, memory holds the text of the largest of them and the
// names of objects and claims. The cluster is not changed, and any number of
// goroutines may write it at once.
func WriteCluster(w io.Writer, c *Cluster) error {
	if err := c.Validate(); err != nil {
		return err
	}
	var e encoder
	claims := e.claims(c)
	for range c.objects(&e, claims) {
	}
	if len(e.problems) > 0 {
		return inputError(e.problems)
	}
	b := bufio.NewWriter(w)
	b.WriteString(`{"apiVersion":"v1","kind":"List","metadata":{},"items":[`)
	separator := "\n"
	for object := range c.objects(&e, claims) {
		text := e.text(object)
		if len(e.problems) > 0 {
			b.Flush()
			return inputError(e.problems)
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

// objects are the wire forms of all that the cluster is made of, each valid
// until the next.
func (c *Cluster) objects(e *encoder, claims []boundClaim) iter.Seq[any] {
	return func(yield func(any) bool) {
		_ = each(c.Namespaces, func(ns *Namespace) bool { return yield(e.namespace(ns)) }) &&
			each(c.Classes, func(pc *PriorityClass) bool { return yield(e.class(pc)) }) &&
			each(c.Nodes, func(n *Node) bool {
				if !yield(e.node(n)) {
					return false
				}
				limits := e.csiNode(n)
				return limits == nil || yield(limits)
			}) &&
			each(claims, func(bc boundClaim) bool {
				return (bc.volume == "" || yield(e.persistentVolume(bc.claim, bc.volume))) &&
					yield(e.claim(bc.claim, bc.volume))
			}) &&
			each(c.Groups, func(g *PodGroup) bool { return yield(e.group(g)) }) &&
			each(c.Budgets, func(b *PodDisruptionBudget) bool { return yield(e.budget(b)) }) &&
			each(c.Pods, func(p *Pod) bool { return yield(e.pod(p)) })
	}
}

// each calls f with every element until one returns false, and returns whether
// none did.
func each[T any](list []T, f func(T) bool) bool {
	for _, element := range list {
		if !f(element) {
			return false
		}
	}
	return true
}
