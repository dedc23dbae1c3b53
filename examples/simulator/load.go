package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
)

// input is what is to be simulated. It is only read.
type input struct {
	nodes []*outrank.Node
	// items are in the order of arrival, the first at 0.
	items []workload.Item
}

// load reads what the options name.
func load(o *options) (*input, error) {
	nodes, nodesErr := loadNodes(o)
	items, podsErr := loadPods(o)
	if err := errors.Join(nodesErr, podsErr); err != nil {
		return nil, err
	}
	items, err := o.shape.Of(items)
	if err != nil {
		return nil, err
	}
	return &input{nodes: nodes, items: items}, nil
}

func loadNodes(o *options) ([]*outrank.Node, error) {
	config := workload.NodeConfig{PodsPerNode: o.podsPerNode}
	if o.nodes == "" {
		return workload.SampleNodes(config)
	}
	f, err := os.Open(o.nodes)
	if err != nil {
		return nil, fmt.Errorf("-nodes: %w", err)
	}
	defer f.Close()
	return workload.ReadNodes(f, o.nodes, config)
}

func loadPods(o *options) ([]workload.Item, error) {
	if o.pods == "" {
		return workload.SamplePods(o.classes)
	}
	f, err := os.Open(o.pods)
	if err != nil {
		return nil, fmt.Errorf("-pods: %w", err)
	}
	defer f.Close()
	return workload.ReadPods(f, o.pods, o.classes)
}

// toFile lets write fill a file: none for an empty path, standard output for
// "-".
func toFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(stdout)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
