package workload

import (
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

const (
	// GPU is the extended resource for GPUs, in thousandths of a GPU.
	GPU resource.Name = "example.com/gpu-milli"
	// ModelLabel is the node label that names the model of its GPUs.
	ModelLabel = "example.com/gpu-model"
)

// wholeGPU is how much of [GPU] one device has.
const wholeGPU = 1000

// Bounds that no machine reaches. Sums over any cluster within them do not overflow.
const (
	mostMilli = 1_000_000_000
	mostMiB   = 1 << 30
	mostGPUs  = 100_000
)

// NodeConfig has values of nodes that are not in a file.
type NodeConfig struct {
	// PodsPerNode is the most pods of a node; zero means 110, the default of a kubelet.
	PodsPerNode int64
}

// ReadNodes reads nodes from a CSV file, row by row; errors call the file by the given name. The error joins
// the problems of the file up to a limit, each a [*Problem]. Unknown columns, rows of more than 64 KiB and
// more than a million rows are problems, too.
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

	// If every row is broken, the problems of the rows say more.
	if len(nodes) == 0 && t.err() == nil {
		return nil, &Problem{File: file, Text: "there are no nodes"}
	}
	if err := t.err(); err != nil {
		return nil, err
	}
	return nodes, nil
}

// node returns the node of the current row.
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
