package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// options is what the command line says.
type options struct {
	clusters, manifests []string // files and folders
	recursive           bool     // into the folders below
	live                bool     // kubectl is asked
	context, kubeconfig string   // of kubectl
	pending             string
	scheduler           string // a file of its configuration
	release             outrank.Release

	// The pod described by flags.
	name, namespace, class string
	priority               *int32
	requests               resource.List
	labels, nodeSelector   map[string]string
	tolerations            []outrank.Toleration
	hostPorts              []outrank.Port
	claims                 []string // of the pod's namespace

	// The question, where it is another than who the pod would push out.
	replicas, replacements int
	whyNot, onNode         string
	static                 bool // what --on-node asks about
	without                []string
	setClasses             []classValue
	classFiles             []string

	exitStatus bool // tell answers apart by it

	format  string
	color   string
	now     time.Time
	workers int
	list    int
	timings bool

	set map[string]bool // flags that were given
}

func newOptions() *options { return &options{set: map[string]bool{}} }

// describing are the flags that describe a pod.
var describing = []string{"cpu", "memory", "request", "class", "priority", "name", "labels", "node-selector", "toleration", "host-port", "claim"}

// described reports whether the pod is described by flags.
func (o *options) described() bool {
	return slices.ContainsFunc(describing, func(name string) bool { return o.set[name] })
}

// sampled reports whether the sample is asked about.
func (o *options) sampled() bool { return len(o.clusters) == 0 && !o.asksKubectl() }

// asksKubectl reports whether kubectl is run.
func (o *options) asksKubectl() bool { return o.live || o.set["context"] || o.set["kubeconfig"] }

// source is what to call the cluster in messages.
func (o *options) source() string {
	switch {
	case o.asksKubectl():
		return live.Cluster{Context: o.context}.String()
	case o.sampled():
		return sampleName
	case len(o.clusters) == 1:
		return input.Called(o.clusters[0])
	}
	return strings.Join(o.clusters, ", ")
}

// check refuses values that mean nothing and flags that contradict each other.
func (o *options) check() error {
	if !slices.Contains(formats, o.format) {
		return fmt.Errorf("--output %s: the formats are %s", o.format, formatNames())
	}
	if !slices.Contains([]string{console.Auto, console.Always, console.Never}, o.color) {
		return fmt.Errorf("--color %s: %w", o.color, console.ErrColor)
	}
	if o.list < 0 {
		return fmt.Errorf("--list %d: a number of entries cannot be negative", o.list)
	}
	if err := (&preemption.Config{Workers: o.workers}).Validate(); err != nil {
		return fmt.Errorf("--workers: %w", err)
	}
	for _, f := range []struct {
		name   string
		values []string
	}{{"pending", []string{o.pending}}, {"name", []string{o.name}}, {"namespace", []string{o.namespace}}, {"context", []string{o.context}}, {"kubeconfig", []string{o.kubeconfig}},
		{"cluster", o.clusters}, {"filename", o.manifests}} {
		if o.set[f.name] && (len(f.values) == 0 || slices.Contains(f.values, "")) {
			return fmt.Errorf("--%s is empty; give it a value or leave it out", f.name)
		}
	}
	if err := o.checkNames(); err != nil {
		return err
	}
	if err := o.contradictions(); err != nil {
		return err
	}
	return o.checkQuestion()
}

// waysToName are the flags that say which pod is meant.
func (o *options) waysToName() []string {
	var ways []string
	for _, name := range []string{"pending", "filename"} {
		if o.set[name] {
			ways = append(ways, "--"+name)
		}
	}
	// Among manifests, a name chooses.
	if i := slices.IndexFunc(describing, func(name string) bool { return o.set[name] && (name != "name" || !o.set["filename"]) }); i >= 0 {
		ways = append(ways, "--"+describing[i])
	}
	if o.pending == everyPending {
		ways[0] += " " + everyPending
	}
	return ways
}

// contradictions: there is one pod, and each thing about it is said once.
func (o *options) contradictions() error {
	ways := o.waysToName()
	if len(ways) > 1 {
		return fmt.Errorf("%s name different pods; use one of --pending, --filename and the flags that describe a pod", strings.Join(ways, " and "))
	}
	if o.set["class"] && o.set["priority"] {
		return errors.New("--class and --priority both say how important the pod is; use one of them")
	}
	for _, name := range []string{"live", "context", "kubeconfig"} {
		if o.set[name] && o.set["cluster"] {
			return fmt.Errorf("--%s asks kubectl for the cluster, and --cluster names a file; use one of them", name)
		}
	}
	if slices.Contains(o.clusters, input.Stdin) && slices.Contains(o.manifests, input.Stdin) {
		return errors.New("--cluster - and --filename - both read standard input; give one of them a file")
	}
	return nil
}
