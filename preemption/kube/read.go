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
// prints, podgroups, compositepodgroups and workloads added where the cluster has
// them (chapter 22 of internal/manifest/RULES.md): a List, or several JSON
// documents one after another, lists and single objects mixed, and lists in lists
// up to ten deep, as jq -s makes them. Fields that do not matter here are ignored,
// other kinds are counted in Cluster.Skipped, finished pods in Cluster.Finished.
//
// Volumes, claims, storage classes, CSINodes and CSIDrivers may come before or after
// the pods and nodes that they concern. A claim that is not there is a mere name, which
// keeps no pod away. One that is there goes by its volume and its class: without
// these it has lost its volume, or cannot get one ([outrank.ClaimState]). More than 100
// CSIDrivers that have to be on a node are a problem.
//
// It reads as a stream: beside the cluster itself, memory is bounded by the
// largest single object, and by 64 MB for a list of one kind that names the kind
// only after objects that do not. An object of more than 8 MB, or a text of that
// size, ends the reading: no API server has one. An object whose lists have more than
// 250,000 parts together is a problem. So at most ten times the input and 256 MB are
// in use at any time, whatever the input is. Time is linear in the input, and pods are read on
// up to eight cores at once; the result and every message are the same on one.
//
// Whatever is wrong with the objects is listed in one *[outrank.InputError], which
// wraps [outrank.ErrInvalid], and there is no cluster then: amounts and times that
// cannot be read, values of the wrong type, and all that [outrank.Cluster.Validate]
// names. [outrank.Cluster.Warnings] tells what is odd but harmless. Input that is not
// JSON at all ends the reading; an error of r is returned as it is. Input without a
// single object or List is a problem, too, and so is a nil reader: the program that was to
// write the dump has failed. A List without items is a cluster without objects.
func ReadCluster(r io.Reader) (*outrank.Cluster, error) { return ReadClusterWith(r, nil) }

// ReadClusterWith is [ReadCluster] for callers that read further kinds from the same input: skipped
// is called for each object that is counted in Cluster.Skipped, in the order of the input, with
// its kind and its JSON. The text must not be changed or kept. A list may name the kind in place
// of its objects. Without skipped it does what ReadCluster does.
func ReadClusterWith(r io.Reader, skipped func(kind string, text []byte)) (*outrank.Cluster, error) {
	rd := newReader()
	rd.skipped = skipped
	c := &crew{rd: rd, full: batchText}
	defer c.stop()
	err := manifest.Each(r, c.add)
	c.addAll()
	if errors.Is(err, manifest.ErrSyntax) {
		rd.problem("input", "", "%v", err)
	} else if err != nil {
		return nil, err
	}
	return rd.finish()
}

// finish returns the cluster when all is read.
func (rd *reader) finish() (*outrank.Cluster, error) {
	rd.joinStorage()
	rd.validate()
	if len(rd.problems) > 0 {
		return nil, &outrank.InputError{Problems: rd.problems, More: rd.more}
	}
	// Only now, so that the problems of a volume are named once, for its claim.
	c := rd.cluster
	c.ResolveVolumes(c.Pods...)
	return c, nil
}

// validate adds the problems that the rules find to those of reading, except in
// fields that have a problem already.
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

// instead is the advice about an object that makes pods.
func instead(kind string) string {
	switch kind {
	case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController":
		return "; make one of its spec.template"
	case "CronJob":
		return "; make one of its spec.jobTemplate.spec.template"
	}
	return ""
}
