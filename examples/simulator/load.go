package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
)

// input is the input of the simulation. Nobody changes it.
type input struct {
	nodes []*outrank.Node
	// items are in order of arrival. The first one arrives at 0.
	items []workload.Item
	// groups are the gangs, if any.
	groups []*outrank.PodGroup
}

// load reads the files, until the context ends.
func load(ctx context.Context, o *options, f *files) (*input, error) {
	nodes, nodesErr := loadNodes(ctx, o, f)
	items, podsErr := loadPods(ctx, o, f)
	if err := errors.Join(nodesErr, podsErr); err != nil {
		return nil, err
	}

	// Static pods are added after shaping, so that they are neither copied nor moved.
	items, err := o.shape.Of(items)
	if err != nil {
		return nil, err
	}
	if o.static != nil {
		if items, err = workload.StaticPods(items, nodes, *o.static); err != nil {
			return nil, err
		}
	}

	if err := checkForKubelets(o, nodes, items); err != nil {
		return nil, err
	}

	// Gangs are formed last, because the pods of a gang arrive together whatever shaping has done to their
	// times.
	in := &input{nodes: nodes, items: items}
	if o.gangs > 0 {
		in.items, in.groups, err = workload.Gangs(items, o.gangs)
	}
	return in, err
}

// checkForKubelets rejects pods that need kubelets in a run without them, and pods for nodes that do not
// exist.
func checkForKubelets(o *options, nodes []*outrank.Node, items []workload.Item) error {
	known := map[string]bool{}
	for _, n := range nodes {
		known[n.Name] = true
	}

	for i := range items {
		item := &items[i]
		if item.NeedsKubelets() && !o.kubelets {
			return fmt.Errorf("pod %.60q: node_name, static and memory_used_mib need -kubelets", item.Pod.Name)
		}
		if name := item.Pod.NodeName; name != "" && !known[name] {
			return fmt.Errorf("pod %.60q: node_name: there is no node %.60q", item.Pod.Name, name)
		}
	}
	return nil
}

// loadNodes reads the nodes from the file, or those of the sample.
func loadNodes(ctx context.Context, o *options, f *files) ([]*outrank.Node, error) {
	config := workload.NodeConfig{PodsPerNode: o.podsPerNode}
	if f.nodes == nil {
		return workload.SampleNodes(config)
	}
	return workload.ReadNodes(until{ctx, f.nodes}, o.nodes, config)
}

// loadPods reads the pods from the file, or those of the sample.
func loadPods(ctx context.Context, o *options, f *files) ([]workload.Item, error) {
	if f.pods == nil {
		return workload.SamplePods(o.classes)
	}
	return workload.ReadPods(until{ctx, f.pods}, o.pods, o.classes)
}
