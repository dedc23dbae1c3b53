package workload

import (
	"bytes"
	_ "embed"

	"github.com/outrank-go/outrank"
)

// The sample is an artificial cluster of 12 nodes with 150 pods in two hours. Batch work fills it, and then
// two waves of services arrive, which outrank the batch work. A test generates the sample again and compares
// the files.
var (
	//go:embed sample/nodes.csv
	embeddedNodes []byte
	//go:embed sample/pods.csv
	embeddedPods []byte
)

// The names by which errors call the files of the sample.
const (
	SampleNodesName = "the sample's nodes"
	SamplePodsName  = "the sample's pods"
)

// SampleNodes returns the nodes of the sample, which is part of the package.
func SampleNodes(config NodeConfig) ([]*outrank.Node, error) {
	return ReadNodes(bytes.NewReader(embeddedNodes), SampleNodesName, config)
}

// SamplePods returns the pods of the sample. Their classes are those of [DefaultClasses].
func SamplePods(classes Classes) ([]Item, error) {
	return ReadPods(bytes.NewReader(embeddedPods), SamplePodsName, classes)
}
