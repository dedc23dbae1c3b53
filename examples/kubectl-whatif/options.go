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
	clusters            []string // files and folders
	recursive           bool     // into the folders below
	live                bool     // kubectl is asked
	context, kubeconfig string   // of kubectl
	pending             string
	scheduler           string // a file of its configuration
	admission           string // the same for the API server's plugins
	release             outrank.Release
	sample              string // its name
	sampleAsked         bool   // its own question is asked

	// changes are made before anything is asked.
	changes []*flagged

	pod    podOptions
	about  questionOptions
	answer answerOptions
	now    time.Time

	set map[string]bool // flags that were given
	ask inquiry         // the question, once the manifests are read
}

// podOptions describe a pod by flags.
type podOptions struct {
	name, namespace, class string
	priority               *int32
	requests               resource.List
	labels, nodeSelector   map[string]string
	tolerations            []outrank.Toleration
	hostPorts              []outrank.Port
	claims                 []string // of the pod's namespace
}

// questionOptions choose the question, where it is another than who the pod would
// push out.
type questionOptions struct {
	replicas, replacements int
	whyNot, onNode         string
	moreNodes              string // like this one
	emptiable              string // which nodes
	least, largest         bool
	report                 bool
	diff                   []string // files with the cluster as it was
	whyPreempted           string   // this pod
	events                 []string
	static                 bool // --on-node asks about a static pod
	exact, across, trace   bool
	one                    bool // of the pods of a manifest
	atMaximum              bool // as many pods as autoscalers may make
}

// answerOptions choose how the answer is computed and written.
type answerOptions struct {
	exitStatus bool // tell answers apart by it

	format  string
	color   string
	workers int
	list    int
	timings bool
}

func newOptions() *options { return &options{set: map[string]bool{}} }

// describing are the flags that describe a pod.
var describing = []string{"cpu", "memory", "request", "class", "priority", "name", "labels", "node-selector", "toleration", "host-port", "claim"}

// described reports whether the pod is described by flags. Beside a manifest a name chooses
// an object of it.
func (o *options) described() bool {
	return slices.ContainsFunc(describing, func(name string) bool {
		return o.set[name] && (name != "name" || !o.set["filename"])
	})
}

// sampled reports whether the question is about a sample.
func (o *options) sampled() bool { return len(o.clusters) == 0 && !o.asksKubectl() }

// asksKubectl reports whether kubectl is run.
func (o *options) asksKubectl() bool { return o.live || o.set["context"] || o.set["kubeconfig"] }

// limit is the number of entries that --list lets a list have.
func (o *options) limit() int {
	if o.answer.list == 0 {
		return brief.All
	}
	return o.answer.list
}

// source is the name of the cluster in messages.
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
