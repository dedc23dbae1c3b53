package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/backward"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

// backwardPod returns the key of the pod that --why-preempted names, in the namespace of --namespace unless it
// names one.
func (o *options) backwardPod() outrank.Key {
	namespace, name, ok := strings.Cut(o.about.whyPreempted, "/")
	if !ok {
		namespace, name = o.pod.namespace, o.about.whyPreempted
	}
	return outrank.NewKey(namespace, name)
}

// twice makes standard input readable a second time if both the dump and its events are read from it. Otherwise
// it returns the same reader twice, and only one of them is read.
func (o *options) twice(stdin io.Reader) (first, second io.Reader, err error) {
	if o.about.whyPreempted == "" || o.set["events"] || !slices.Contains(o.clusters, input.Stdin) {
		return stdin, stdin, nil
	}

	text, err := io.ReadAll(stdin)
	if err != nil {
		return nil, nil, fmt.Errorf("--cluster: %w", err)
	}
	return bytes.NewReader(text), bytes.NewReader(text), nil
}

// readEvents reads the events of --events or, without that flag, the events of the dump. It returns nil if the
// question is another one, or if the flag is not set and the dump holds none.
func (o *options) readEvents(c *outrank.Cluster, stdin io.Reader) (*backward.Events, error) {
	if o.about.whyPreempted == "" {
		return nil, nil
	}

	flag, names := "--events", o.about.events
	if !o.set["events"] {
		// A cluster that comes without events is judged by the rules alone.
		if o.sampled() || o.asksKubectl() || c.Skipped["Event"] == 0 {
			return nil, nil
		}
		flag, names = "--cluster", o.clusters
		// Events take part in this question, so the page must not count them as left out.
		delete(c.Skipped, "Event")
	}

	files, err := input.Expand(names, o.recursive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}

	all := &backward.Events{}
	for _, file := range files {
		r, _, done, err := input.Open(file, stdin)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}

		events, err := backward.ReadEvents(r)
		done()
		if console.ListsProblems(err) {
			return nil, console.Unusable(input.Called(file), err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", flag, file, err)
		}
		// A dump may hold no events. A file that was given for its events has to hold some.
		if flag == "--events" && events.Read == 0 && events.Others > 0 {
			return nil, fmt.Errorf("--events %s holds no events; kubectl get events -A -o json prints them", file)
		}

		all.Preempted = append(all.Preempted, events.Preempted...)
		all.Read += events.Read
		all.Others += events.Others
	}
	return all, nil
}

// pushedOut answers which pod pushed out the pod of --why-preempted.
func (s *scene) pushedOut() (*backward.Answer, error) {
	key := s.opts.backwardPod()
	if _, ok := s.scenario.Snapshot().Pod(key); !ok {
		text := fmt.Sprintf("there is no pod %s in the dump, which has to be from before it was pushed out", key)
		runs := func(p *outrank.Pod) bool { return p.NodeName != "" }
		return nil, fmt.Errorf("--why-preempted: %s%s", text, suggest("; near it: ", nearPods(s.cluster, key, runs)))
	}

	a, err := backward.Ask(s.scenario, backward.Input{Pod: key, Events: s.events, Classes: s.scenario.Cluster().Classes})
	if console.ListsProblems(err) {
		return nil, console.Unusable(s.opts.source(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("--why-preempted: %w", err)
	}
	return a, nil
}

// podNames returns the keys of the pods that run, for the shell to complete.
func podNames(c *outrank.Cluster) (out []string) {
	for _, p := range c.Pods {
		if p.NodeName != "" {
			out = append(out, string(p.Key()))
		}
	}
	return out
}
