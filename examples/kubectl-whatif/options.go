package main

import (
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/brief"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
	"github.com/outrank-go/outrank/resource"
)

// options are the settings of the command line.
type options struct {
	// clusters are the files and folders with the dump. recursive extends a folder to the folders below it.
	clusters  []string
	recursive bool
	// live says to ask kubectl for the cluster. context and kubeconfig are passed on to kubectl.
	live                bool
	context, kubeconfig string
	// pending is the value of --pending: a pod, or everyPending.
	pending string
	// scheduler is the file with the scheduler's configuration, and admission the file that configures the
	// admission plugins of the API server.
	scheduler, admission string
	release              outrank.Release
	// sample is the name of the sample, empty for the default one. sampleAsked says that the
	// sample's own question is asked.
	sample      string
	sampleAsked bool

	// changes are the changes made before the question is asked, in this order.
	changes []*flagged

	pod    podOptions
	about  questionOptions
	answer answerOptions
	// now is the value of --now, zero if it is not given.
	now time.Time

	// set has the names of the flags that were given.
	set map[string]bool
	// ask is the kind of question. It is not known before the manifests are read.
	ask inquiry
}

// podOptions describe a pod by flags.
type podOptions struct {
	name, namespace, class string
	priority               *int32
	requests               resource.List
	labels, nodeSelector   map[string]string
	tolerations            []outrank.Toleration
	hostPorts              []outrank.Port
	// claims are names of claims in the pod's namespace.
	claims []string
}

// questionOptions replace the usual question, which pods the pod in question would push out, by another one.
type questionOptions struct {
	replicas, replacements int
	// whyNot, onNode and moreNodes are names of nodes.
	whyNot, onNode, moreNodes string
	// emptiable says which nodes may be emptied: LABEL=VALUE or everyNode.
	emptiable      string
	least, largest bool
	report         bool
	// diff are the files with the cluster as it was earlier.
	diff []string
	// whyPreempted is the name of the pod that was pushed out, with or without a namespace.
	whyPreempted string
	events       []string
	// static says that --on-node asks about a static pod.
	static               bool
	exact, across, trace bool
	// one limits the question to one of the pods of a manifest.
	one bool
	// atMaximum makes as many pods of each manifest as its autoscaler may make.
	atMaximum bool
}

// answerOptions choose how the answer is computed and written.
type answerOptions struct {
	// exitStatus makes the exit status depend on the answer.
	exitStatus bool

	format  string
	color   string
	workers int
	// list is the number of entries that lists have, 0 for all.
	list    int
	timings bool
}

// newOptions returns options for which no flag was given.
func newOptions() *options { return &options{set: map[string]bool{}} }

// describing are the flags that describe a pod.
var describing = []string{"cpu", "memory", "request", "class", "priority", "name", "labels", "node-selector", "toleration", "host-port", "claim"}

// described reports whether flags describe the pod. Beside manifests --name does not count, because there it
// chooses one of their objects.
func (o *options) described() bool {
	return slices.ContainsFunc(describing, func(name string) bool {
		return o.set[name] && (name != "name" || !o.set["filename"])
	})
}

// sampled reports whether the question is about a sample, which it is if no cluster is named.
func (o *options) sampled() bool { return len(o.clusters) == 0 && !o.asksKubectl() }

// asksKubectl reports whether kubectl is asked for the cluster. --context and --kubeconfig ask it even without
// --live.
func (o *options) asksKubectl() bool { return o.live || o.set["context"] || o.set["kubeconfig"] }

// limit returns the number of entries that --list allows a list.
func (o *options) limit() int {
	if o.answer.list == 0 {
		return brief.All
	}
	return o.answer.list
}

// source returns the name of the cluster for messages and answers.
func (o *options) source() string {
	switch {
	case o.asksKubectl():
		return live.Cluster{Context: o.context}.String()
	case o.sampled():
		return sampleSource(o.sample)
	case len(o.clusters) == 1:
		return input.Called(o.clusters[0])
	}
	return strings.Join(o.clusters, ", ")
}
