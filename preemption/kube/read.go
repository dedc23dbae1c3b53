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
// prints. Add podgroups, compositepodgroups and workloads where the cluster has them (chapter
// 22 of internal/manifest/RULES.md). The input is a List, or several JSON documents one after
// another, lists and single objects mixed, and lists in lists up to ten deep, as jq -s makes
// them. Fields that do not matter here are ignored. Objects of other kinds are counted in
// Cluster.Skipped, finished pods in Cluster.Finished.
//
// Volumes, claims, storage classes, CSINodes and CSIDrivers may come before or after the pods
// and nodes that they concern. A claim that is not in the input is a mere name, which keeps no
// pod away. A claim in the input goes by its volume and its class: without these it has lost
// its volume, or cannot get one ([outrank.ClaimState]). More than 100 CSIDrivers that have to
// be on a node are a problem.
//
// The input is read as a stream. Besides the cluster, memory is bounded by the largest single
// object, and by 64 MB for a list of one kind that names the kind only after objects that do
// not. An object of more than 8 MB, or a text of that size, ends the reading: no API server
// has one. An object whose lists have more than 250,000 parts together is a problem. So at
// most ten times the input and 256 MB are in use at any time, whatever the input is. Time is
// linear in the input. Pods are read on up to eight cores at once; the result and every
// message are the same on one.
//
// If anything is wrong with the objects there is no cluster, and one *[outrank.InputError],
// which wraps [outrank.ErrInvalid], lists all of it: amounts and times that cannot be read,
// values of the wrong type, and everything that [outrank.Cluster.Validate] names.
// [outrank.Cluster.Warnings] tells what is odd but harmless. Input that is not JSON ends the
// reading. An error of r is returned as it is. Input without any object or List is a problem,
// too, as is a nil reader: the program that was to write the dump has failed. A List without
// items is a cluster without objects.
func ReadCluster(r io.Reader) (*outrank.Cluster, error) { return ReadClusterWith(r, nil) }

// ReadClusterWith is [ReadCluster] for callers that read further kinds from the same input. It
// calls skipped for each object that is counted in Cluster.Skipped, in the order of the input,
// with its kind and its JSON. The text must not be changed or kept. It may lack its kind where
// the list names it. With a nil skipped it does the same as ReadCluster.
func ReadClusterWith(r io.Reader, skipped func(kind string, text []byte)) (*outrank.Cluster, error) {
	rd := newReader()
	rd.skipped = skipped
	c := &crew{rd: rd, full: batchText}
	defer c.stop()

	// Objects before the end of the input are added also where that end is a fault, so that their problems
	// are told along with it.
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

	// Pods get the volumes of their claims only now, so that Validate names the problems of a volume once, for
	// its claim.
	c := rd.cluster
	c.ResolveVolumes(c.Pods...)
	return c, nil
}

// validate adds the problems that Validate finds, except in fields that have a problem of reading already.
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

// ReadPod reads one pod, as kubectl prints it or as it stands in a manifest in
// JSON. Errors are those of [ReadCluster]; anything but exactly one pod is one,
// too. A finished pod is read like any other. What the pod's claims stand for
// is left open; see [outrank.Cluster.ResolveVolumes].
//
// A pod without a UID is a manifest. It gets what an API server would give it
// when it is created, as far as placing it depends on that (chapter 21 of
// internal/manifest/RULES.md): a limit is a request where there is none, a pod on
// the host's network takes its ports there, and so on. Its priority is left to
// package priority. [ReadManifest] says in addition what is not filled in.
func ReadPod(r io.Reader) (*outrank.Pod, error) {
	p, _, err := ReadManifest(r)
	return p, err
}

// ReadManifest is [ReadPod] with warnings: each names a field that an API server
// might have set, by objects that are not here: limit ranges and runtime classes
// (group 21.6). A pod with a UID was created by an API server and needs nothing;
// there are no warnings about it. The priority stands in no warning:
// priority.Table resolves it.
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
	return pods[0], rd.warnings, nil
}

// instead is the advice where an object that makes pods stands in place of a pod; empty for other kinds.
func instead(kind string) string {
	switch kind {
	case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController":
		return "; make one of its spec.template"
	case "CronJob":
		return "; make one of its spec.jobTemplate.spec.template"
	}
	return ""
}
