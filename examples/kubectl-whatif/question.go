package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/spelling"
)

// question is the pod that is asked about, with its priority resolved.
type question struct {
	pod *outrank.Pod
	// from is where the pod comes from, and source where its priority does.
	from   string
	source PrioritySource
	// warnings name what a manifest lacks.
	warnings []outrank.Problem
}

// Where the pod may come from.
const (
	fromDump     = "dump"
	fromManifest = "manifest"
	fromFlags    = "flags"
)

// ask finds out which pod is meant.
func ask(opts *options, c *outrank.Cluster, stdin io.Reader) (*question, error) {
	switch {
	case opts.pending != "":
		return askPending(c, opts.pending)
	case opts.manifest != "":
		return askManifest(opts.manifest, c, stdin)
	case opts.described():
		return askDescribed(opts, c)
	case opts.cluster == "":
		return askPending(c, sampleQuestion)
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
func askPending(c *outrank.Cluster, name string) (*question, error) {
	namespace, rest, ok := strings.Cut(name, "/")
	if !ok {
		namespace, rest = outrank.DefaultNamespace, name
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
	return &question{pod: pod, from: fromDump, source: source}, nil
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

// askManifest reads a pod that is not in the cluster yet, and gives it the
// priority that it would get there, and the volumes that its claims stand for.
func askManifest(file string, c *outrank.Cluster, stdin io.Reader) (*question, error) {
	pod, warnings, err := readManifest(file, stdin)
	if err != nil {
		return nil, err
	}
	if err := namespaceKnown(c, pod); err != nil {
		return nil, err
	}
	if on := runsOn(c, pod); on != "" {
		return nil, fmt.Errorf("pod %s of the manifest already runs on node %s; give it another metadata.name to ask about one more like it, "+
			"or take it out of the dump to ask where it would go", pod.Key(), on)
	}
	c.ResolveVolumes(pod)
	q := &question{pod: pod, from: fromManifest, warnings: warnings}
	return q, q.resolve(c)
}

func readManifest(file string, stdin io.Reader) (*outrank.Pod, []outrank.Problem, error) {
	in := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, nil, fmt.Errorf("--filename: %w", err)
		}
		defer f.Close()
		in = f
	}
	pod, warnings, err := outrank.ReadManifest(in)
	if err != nil {
		return nil, nil, unusable("--filename "+file, err)
	}
	return pod, warnings, nil
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
func askDescribed(opts *options, c *outrank.Cluster) (*question, error) {
	pod := &outrank.Pod{
		Name: opts.name, Namespace: opts.namespace, Labels: opts.labels,
		PriorityClass: opts.class, NodeSelector: opts.nodeSelector,
		Containers: []outrank.Container{{Name: "main", Requests: opts.requests}},
	}
	if err := namespaceKnown(c, pod); err != nil {
		return nil, err
	}
	if c.Pod(pod.Namespace, pod.Name) != nil {
		return nil, fmt.Errorf("the dump has a pod %s already; choose another --name or --namespace", pod.Key())
	}
	q := &question{pod: pod, from: fromFlags}
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
