package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// ask returns a pod in question that comes from no manifest: a pending pod, the pod that flags describe, or the
// pod of the sample.
func ask(opts *options, c *outrank.Cluster) (*asking, error) {
	switch {
	case opts.pending != "":
		return askPending(opts, c, opts.pending)
	case opts.described():
		return askDescribed(opts, c)
	case opts.sampled():
		return askPending(opts, c, samplePod(opts.sample))
	}
	return nil, noQuestion(c)
}

// noQuestion returns the error for a question that names no pod. It offers the pods of the dump that can be
// asked about: pending pods and, with the gate for it, pods whose resize is deferred.
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

// askPending returns the question about a pending pod, or about one that waits for its resize. The pod keeps
// the priority with which it was created, even if its class has another value by now.
func askPending(opts *options, c *outrank.Cluster, name string) (*asking, error) {
	namespace, rest, ok := strings.Cut(name, "/")
	if !ok {
		namespace, rest = opts.pod.namespace, name
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

	// A pod without a priority counts as one of priority 0, as it does for a scheduler.
	source := SourceRecorded
	if pod.Priority == nil {
		source = SourceMissing
	}
	return &asking{pod: pod, from: fromDump, source: source}, nil
}

// unknownPod returns the error about a pod that the dump does not hold. It offers pods with similar names.
func unknownPod(c *outrank.Cluster, key outrank.Key) error {
	text := fmt.Sprintf("there is no pod %s in the dump", key)
	if c.Finished > 0 {
		text += fmt.Sprintf(" (%s left out)", console.Plural(c.Finished, "finished pod"))
	}

	near := nearPods(c, key, func(*outrank.Pod) bool { return true })
	if len(near) == 0 {
		return errors.New(text + "; --pending takes namespace/name, as kubectl get pods -A shows them")
	}
	return errors.New(text + suggest("; near it: ", near))
}

// askDescribed makes a pod from the flags. It resolves the pod's priority unless a flag gives a number.
func askDescribed(opts *options, c *outrank.Cluster) (*asking, error) {
	pod := &outrank.Pod{
		Name: opts.pod.name, Namespace: opts.pod.namespace, Labels: opts.pod.labels,
		PriorityClassName: opts.pod.class, NodeSelector: opts.pod.nodeSelector,
		Tolerations: opts.pod.tolerations,
		Containers:  []outrank.Container{{Name: "main", Requests: opts.pod.requests, Ports: opts.pod.hostPorts}},
	}

	// A claim is used by a volume of the pod. What the claim stands for is looked up in the dump below.
	for _, name := range opts.pod.claims {
		pod.Volumes = append(pod.Volumes, outrank.Volume{Claim: name})
	}

	// Mistakes in names are reported before anything is decided. A pod in a namespace that does not exist could
	// not be created, and no node would take it without its claims.
	if err := namespaceKnown(c, pod); err != nil {
		return nil, err
	}
	if err := claimsKnown(c, pod); err != nil {
		return nil, err
	}
	c.ResolveVolumes(pod)
	// Two pods of the same name could not be told apart by lookups.
	if c.Pod(pod.Namespace, pod.Name) != nil {
		return nil, fmt.Errorf("the dump has a pod %s already; choose another --name or --namespace", pod.Key())
	}

	q := &asking{pod: pod, from: fromFlags}
	if opts.pod.priority != nil {
		pod.Priority = opts.pod.priority
		q.source = SourceNumber
		return q, nil
	}
	return q, q.resolve(c)
}
