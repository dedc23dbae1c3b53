package kube

import (
	"errors"
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// ReadCluster reads what
//
//	kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers -A -o json
//
// prints. Add podgroups, compositepodgroups and workloads if the cluster has them (chapter
// 22 of internal/manifest/RULES.md). The input is a List, or several JSON documents one after
// another. Lists and single objects may be mixed, and lists may be nested up to ten deep, as jq -s
// makes them. Fields that do not matter here are ignored; the ledger of
// examples/kubescheduler/ledger says of each why it does not matter. Objects of other kinds are counted in
// Cluster.Skipped, finished pods in Cluster.Finished.
//
// Volumes, claims, storage classes, CSINodes and CSIDrivers may come before or after the pods
// and nodes that they concern. A claim that is not in the input is only a name, and keeps no
// pod away. For a claim in the input its volume and its class are looked up: without these it has lost
// its volume, or cannot get one ([outrank.ClaimState]). More than 100 CSIDrivers that every node
// must have are a problem.
//
// The input is read as a stream. Besides the cluster, memory is bounded by the largest single
// object, and by 64 MB for a list of one kind whose kind comes only after objects without a kind
// of their own. An object or a string of more than 8 MB ends the reading, because no API server
// stores one. An object whose lists have more than 250,000 entries together is a problem. So at
// most ten times the input and 256 MB are in use at any time, whatever the input is. Time is
// linear in the input. Pods are read on up to eight cores at once; the result and every
// message are the same as on one core.
//
// If anything is wrong with the objects, no cluster is returned, and an *[outrank.InputError],
// which wraps [outrank.ErrInvalid], lists every problem: amounts and times that cannot be read,
// values of the wrong type, and everything that [outrank.Cluster.Validate] finds.
// [outrank.Cluster.Warnings] lists what is odd, what is absent, and the fields that matter to a
// cluster and are not followed (Cluster.Unread). Input that is not JSON ends the reading. An error of r is returned as it is. A nil reader and input without any object or List are
// problems, too, because the program that should have written the dump must have failed. A List
// without items is a cluster without objects.
func ReadCluster(r io.Reader) (*outrank.Cluster, error) { return ReadClusterWith(r, nil) }

// ReadClusterWith is [ReadCluster] for callers that read further kinds from the same input. It
// calls skipped for each object that is counted in Cluster.Skipped, in the order of the input,
// with its kind and its JSON. The JSON must not be changed or kept, and may have no kind if its
// list has one. If skipped is nil, ReadClusterWith does the same as ReadCluster.
func ReadClusterWith(r io.Reader, skipped func(kind string, text []byte)) (*outrank.Cluster, error) {
	rd := newReader()
	rd.skipped = skipped
	c := &crew{rd: rd, full: batchText}
	defer c.stop()

	// If the input ends with an error, the objects before it are added all the same, so that their problems are
	// reported together with it.
	err := manifest.Each(r, c.add)
	c.addAll()
	if errors.Is(err, manifest.ErrSyntax) {
		rd.problem("input", "", "%v", err)
	} else if err != nil {
		return nil, err
	}
	return rd.finish()
}

// finish returns the cluster once everything is read, or all problems.
func (rd *reader) finish() (*outrank.Cluster, error) {
	rd.joinStorage()
	rd.validate()
	if len(rd.problems) > 0 {
		return nil, &outrank.InputError{Problems: rd.problems, More: rd.more}
	}

	// Pods get the volumes of their claims only after Validate, so that it reports a problem of a volume once, for
	// the claim, and not for each pod.
	c := rd.cluster
	c.ResolveVolumes(c.Pods...)
	return c, nil
}

// validate adds the problems that Validate finds, except in fields that already have a problem from reading.
func (rd *reader) validate() {
	var invalid *outrank.InputError
	if !errors.As(rd.cluster.Validate(), &invalid) {
		return
	}

	type place struct{ object, field string }
	known := map[place]bool{}
	for _, p := range rd.problems {
		known[place{p.Object, p.Field}] = true
	}

	for _, p := range invalid.Problems {
		if !known[place{p.Object, p.Field}] {
			rd.keep(p)
		}
	}
}

// ReadPod reads one pod in JSON, as kubectl prints it or from a manifest. Errors are
// those of [ReadCluster]; it is also an error if the input is not exactly one pod. A
// finished pod is read like any other. The volumes of the pod's claims are not looked
// up; see [outrank.Cluster.ResolveVolumes].
//
// A pod without a UID is a manifest. It gets the defaults that an API server fills in
// when it creates the pod, as far as its placement depends on them (chapter 21 of
// internal/manifest/RULES.md): a limit becomes a request if there is none, the ports of
// a pod on the host network become host ports, and so on. Its priority is left to
// package priority. [ReadManifest] also reports what is not filled in.
func ReadPod(r io.Reader) (*outrank.Pod, error) {
	p, _, err := ReadManifest(r)
	return p, err
}

// ReadManifest is [ReadPod] with warnings. Each warning names a field that an API server
// might fill in from objects that are not known here: limit ranges and runtime classes
// (group 21.6). There are no warnings about a pod with a UID, because an API server has
// created it already, nor about the priority, which priority.Table resolves.
func ReadManifest(r io.Reader) (pod *outrank.Pod, warnings []outrank.Problem, err error) {
	rd := newReader()
	rd.finished, rd.fills = true, true
	err = manifest.Each(r, func(it manifest.Item) error {
		if it.Kind != kindPod && it.Kind != kindStatus {
			rd.problem(it.Where, "kind", "%s where a Pod is wanted%s", apis.Quote(it.Kind), instead(it.Kind))
			return nil
		}
		return rd.item(it)
	})

	// If a pod had problems, it may be missing in the list; the number is only checked if there are none.
	pods := rd.cluster.Pods
	switch {
	case errors.Is(err, manifest.ErrSyntax):
		rd.problem("input", "", "%v", err)
	case err != nil:
		return nil, nil, err
	case len(rd.problems) == 0 && len(pods) != 1:
		rd.problem("input", "", "holds %d pods where one is wanted", len(pods))
	}

	rd.validate()
	if len(rd.problems) > 0 {
		return nil, nil, &outrank.InputError{Problems: rd.problems, More: rd.more}
	}
	return pods[0], append(rd.warnings, rd.cluster.Unread...), nil
}

// instead returns advice for an object with a pod template that was given instead of a pod. It is empty for other
// kinds.
func instead(kind string) string {
	switch kind {
	case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController":
		return "; make one of its spec.template"
	case "CronJob":
		return "; make one of its spec.jobTemplate.spec.template"
	}
	return ""
}
