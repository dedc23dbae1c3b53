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
	return &input{nodes: nodes, items: items}, nil
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
