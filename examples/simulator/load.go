package main

import (
	"context"
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
)

// input is what is to be simulated. It is only read.
type input struct {
	nodes []*outrank.Node
	// items are in the order of arrival, the first at 0.
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
	items, err := o.shape.Of(items)
	if err != nil {
		return nil, err
	}
	in := &input{nodes: nodes, items: items}
	if o.gangs > 0 {
		in.items, in.groups, err = workload.Gangs(items, o.gangs)
	}
	return in, err
}

func loadNodes(ctx context.Context, o *options, f *files) ([]*outrank.Node, error) {
	config := workload.NodeConfig{PodsPerNode: o.podsPerNode}
	if f.nodes == nil {
		return workload.SampleNodes(config)
	}
	return workload.ReadNodes(until{ctx, f.nodes}, o.nodes, config)
}

func loadPods(ctx context.Context, o *options, f *files) ([]workload.Item, error) {
	if f.pods == nil {
		return workload.SamplePods(o.classes)
	}
	return workload.ReadPods(until{ctx, f.pods}, o.pods, o.classes)
}
