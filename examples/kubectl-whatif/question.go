package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/spelling"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

// asking is the pod that is asked about, with its priority resolved.
type asking struct {
	pod *outrank.Pod
	// from is where the pod comes from, and source where its priority does.
	from   string
	source PrioritySource
	// warnings name what a manifest lacks.
	warnings []outrank.Problem
	// template is what would make the pod, nil for a pod of its own; others counts what
	// else stands in the manifests.
	template *input.Template
	others   map[string]int
}

// Where the pod may come from.
const (
	fromDump     = "dump"
	fromManifest = "manifest"
	fromFlags    = "flags"
)

// ask finds out which pod is meant.
func ask(opts *options, c *outrank.Cluster, stdin io.Reader) (*asking, error) {
	switch {
	case opts.pending != "":
		return askPending(opts, c, opts.pending)
	case len(opts.manifests) > 0:
		return askManifest(opts, c, stdin)
	case opts.described():
		return askDescribed(opts, c)
	case opts.sampled():
		return askPending(opts, c, sampleQuestion)
	}
	return nil, noQuestion(c)
}

// noQuestion offers the pods that the dump itself asks about.
func noQuestion(c *outrank.Cluster) error {
	const ways = "which pod? Name a pending one with --pending, give a manifest with --filename, or describe it with --cpu, --memory, --class and so on"
	var pending []string
	for _, p := range c.Pods {
		if p.NodeName == "" || isDeferred(p) && c.Release.Gates()[resizeGate] {
			pending = append(pending, string(p.Key()))
		}
	}
	if len(pending) == 0 {
		return errors.New(ways + "; no pod of the dump is pending")
	}
	slices.Sort(pending)
	return fmt.Errorf("%s; pending in the dump: %s", ways, some(pending, mostNear, len(pending)))
}

// askPending takes a pending pod as it stands, or one that waits for its resize. Its priority was settled when it
// was created, whatever became of its class since.
func askPending(opts *options, c *outrank.Cluster, name string) (*asking, error) {
	namespace, rest, ok := strings.Cut(name, "/")
	if !ok {
		namespace, rest = opts.namespace, name
	}
	pod := c.Pod(namespace, rest)
	if pod == nil {
		return nil, unknownPod(c, outrank.NewKey(namespace, rest))
	}
	if pod.NodeName != "" {
		if err := alreadyRuns(c, pod); err != nil {
			return nil, err
		}
	}
	source := SourceRecorded
	if pod.Priority == nil {
		source = SourceMissing
	}
	return &asking{pod: pod, from: fromDump, source: source}, nil
}

func isPending(p *outrank.Pod) bool { return p.NodeName == "" }

func unknownPod(c *outrank.Cluster, key outrank.Key) error {
	text := fmt.Sprintf("there is no pod %s in the dump", key)
	if c.Finished > 0 {
		text += fmt.Sprintf(" (%s left out)", plural(c.Finished, "finished pod"))
	}
	near := nearPods(c, key, func(*outrank.Pod) bool { return true })
	if len(near) == 0 {
		return errors.New(text + "; --pending takes namespace/name, as kubectl get pods -A shows them")
	}
	return errors.New(text + suggest("; near it: ", near))
}

// namespaceKnown refuses a pod that could not be created for want of a namespace.
// The default one is always there.
func namespaceKnown(c *outrank.Cluster, pod *outrank.Pod) error {
	name := pod.NamespaceName()
	if len(c.Namespaces) == 0 || name == outrank.DefaultNamespace || slices.ContainsFunc(c.Namespaces, func(ns *outrank.Namespace) bool { return ns.Name == name }) {
		return nil
	}
	var known, near []string
	for _, ns := range c.Namespaces {
		known = append(known, ns.Name)
		if spelling.Distance(ns.Name, name) <= 2 {
			near = append(near, ns.Name)
		}
	}
	if near != nil {
		known = near
	}
	slices.Sort(known)
	return fmt.Errorf("pod %s cannot be created: there is no namespace %s in the dump; it has %s",
		pod.Key(), name, some(known, mostNear, len(known)))
}

// askDescribed makes a pod of the flags.
func askDescribed(opts *options, c *outrank.Cluster) (*asking, error) {
	pod := &outrank.Pod{
		Name: opts.name, Namespace: opts.namespace, Labels: opts.labels,
		PriorityClassName: opts.class, NodeSelector: opts.nodeSelector,
		Tolerations: opts.tolerations,
		Containers:  []outrank.Container{{Name: "main", Requests: opts.requests, Ports: opts.hostPorts}},
	}
	for _, name := range opts.claims {
		pod.Volumes = append(pod.Volumes, outrank.Volume{Claim: name})
	}
	if err := namespaceKnown(c, pod); err != nil {
		return nil, err
	}
	if err := claimsKnown(c, pod); err != nil {
		return nil, err
	}
	c.ResolveVolumes(pod)
	if c.Pod(pod.Namespace, pod.Name) != nil {
		return nil, fmt.Errorf("the dump has a pod %s already; choose another --name or --namespace", pod.Key())
	}
	q := &asking{pod: pod, from: fromFlags}
	if opts.priority != nil {
		pod.Priority = opts.priority
		q.source = SourceNumber
		return q, nil
	}
	return q, q.resolve(c)
}

func runsOn(c *outrank.Cluster, pod *outrank.Pod) string {
	if same := c.Pod(pod.Namespace, pod.Name); same != nil {
		return same.NodeName
	}
	return ""
}
