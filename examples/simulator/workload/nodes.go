package workload

import (
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

const (
	// GPU is the extended resource for GPUs, in thousandths of one.
	GPU resource.Name = "example.com/gpu-milli"
	// ModelLabel is the label of a node with the model of its GPUs.
	ModelLabel = "example.com/gpu-model"
)

// wholeGPU is the amount of [GPU] of one GPU.
const wholeGPU = 1000

// No machine reaches these bounds. With them sums over any cluster stay small.
const (
	mostMilli = 1_000_000_000
	mostMiB   = 1 << 30
	mostGPUs  = 100_000
)

// NodeConfig has the values of nodes that do not stand in a file.
type NodeConfig struct {
	// PodsPerNode is the most pods of a node; zero means 110, a kubelet's default.
	PodsPerNode int64
}

// ReadNodes reads the nodes of a CSV file, a row at a time; file is its name in
// errors. The error joins the problems of the file up to a limit, each a [*Problem].
// An unknown column, a row of more than 64 KiB and more than a million
// rows are problems, too.
func ReadNodes(in io.Reader, file string, config NodeConfig) ([]*outrank.Node, error) {
	t, err := openTable(in, file, nodeColumns)
	if err != nil {
		return nil, err
	}
	if config.PodsPerNode == 0 {
		config.PodsPerNode = 110
	}

	var nodes []*outrank.Node
	seen := map[string]int{}
	for t.next() {
		n := t.node(config)
		if line, twice := seen[n.Name]; n.Name == "" {
			t.wrong("sn", "the node has no name")
		} else if twice {
			t.wrong("sn", "node %s is on line %d already", quote(n.Name), line)
		}
		seen[n.Name] = t.line()
		nodes = append(nodes, n)
	}

	// Where every row is broken the problems of the rows say more than that there are no nodes.
	if len(nodes) == 0 && t.err() == nil {
		return nil, &Problem{File: file, Text: "there are no nodes"}
	}
	if err := t.err(); err != nil {
		return nil, err
	}
	return nodes, nil
}

// node reads the current row.
func (t *table) node(config NodeConfig) *outrank.Node {
	n := &outrank.Node{Name: t.name("sn"), Allocatable: resource.List{
		resource.CPU:    resource.NewMilli(t.number("cpu_milli", 0, mostMilli)),
		resource.Memory: mebibytes(t.number("memory_mib", 0, mostMiB)),
		resource.Pods:   resource.New(config.PodsPerNode),
	}}
	if gpus := t.number("gpu", 0, mostGPUs); gpus > 0 {
		n.Allocatable[GPU] = resource.New(gpus * wholeGPU)
	}
	if model := t.text("model"); model != "" {
		n.Labels = map[string]string{ModelLabel: model}
	}
	return n
}

// mebibytes returns an amount of memory.
func mebibytes(n int64) resource.Quantity { return resource.NewBinary(n << 20) }
