package workload

import (
	"bytes"
	_ "embed"

	"github.com/outrank-go/outrank"
)

// The sample is a made-up cluster of 12 nodes and 150 pods in two hours: batch
// work fills it, and then two waves of services come, which outrank the batch
// work. A test draws it anew and compares the files with that.
var (
	//go:embed sample/nodes.csv
	embeddedNodes []byte
	//go:embed sample/pods.csv
	embeddedPods []byte
)

// The names of the sample's files in errors.
const (
	SampleNodesName = "the sample's nodes"
	SamplePodsName  = "the sample's pods"
)

// SampleNodes reads the nodes that come with the package.
func SampleNodes(config NodeConfig) ([]*outrank.Node, error) {
	return ReadNodes(bytes.NewReader(embeddedNodes), SampleNodesName, config)
}

// SamplePods reads the pods that come with the package. Their classes are
// those of [DefaultClasses].
func SamplePods(classes Classes) ([]Item, error) {
	return ReadPods(bytes.NewReader(embeddedPods), SamplePodsName, classes)
}
