package filtertest

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// Options are the settings of a check. The zero value is a useful default.
type Options struct {
	// Clusters is the number of clusters; zero means 60. They grow from one node with one pod to the size of
	// the shape.
	Clusters int
	// Seed is the seed of the first cluster. The others have the seeds that follow.
	Seed uint64
	// Shape is the shape of the clusters. Its Nodes and PodsPerNode mean 3 and 5 if they are zero; a zero
	// Shape means clustergen.Full.
	Shape clustergen.Shape
	// Prepare adds the things that the filter looks at, such as labels or resources, to a cluster and to
	// the pod that looks for a place. The maps of labels and requests of all pods and nodes exist and may
	// be written to. Nil adds nothing. It is called several times with equal arguments and must do the
	// same every time; a source of random numbers must be seeded from its arguments.
	Prepare func(c *outrank.Cluster, pod *outrank.Pod)
	// MayBeSilent allows a filter that never turns a pod away.
	MayBeSilent bool
}

var errNoOptions = fmt.Errorf("%w: no options", outrank.ErrInvalid)

// These are the defaults of the options, and the largest number of clusters.
const (
	defaultClusters    = 60
	maxClusters        = 1_000_000
	defaultNodes       = 3
	defaultPodsPerNode = 5
)

// validate returns an error that lists everything that is wrong with the options, nil if nothing is.
func (o *Options) validate() error {
	if o == nil {
		return errNoOptions
	}
	var ps []outrank.Problem
	if o.Clusters < 0 || o.Clusters > maxClusters {
		text := fmt.Sprintf("%d is not between 0 and %d", o.Clusters, maxClusters)
		ps = append(ps, outrank.Problem{Object: "filter test options", Field: "Clusters", Text: text})
	}
	if err := o.Shape.Validate(); err != nil {
		ps = append(ps, outrank.Problem{Object: "filter test options", Field: "Shape", Text: err.Error()})
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// withDefaults returns the options with defaults in place of zero values.
func (o Options) withDefaults() Options {
	if o.Clusters == 0 {
		o.Clusters = defaultClusters
	}
	if o.Shape == (clustergen.Shape{}) {
		o.Shape = clustergen.Full()
	}
	if o.Shape.Nodes == 0 {
		o.Shape.Nodes = defaultNodes
	}
	if o.Shape.PodsPerNode == 0 {
		o.Shape.PodsPerNode = defaultPodsPerNode
	}
	return o
}

// shapeOf returns the shape of cluster i. The first clusters are the smallest, so that the
// first violation of a rule is a small one.
func (o *Options) shapeOf(i int) clustergen.Shape {
	s := o.Shape
	s.Nodes = grown(s.Nodes, i, o.Clusters)
	s.PodsPerNode = grown(s.PodsPerNode, i, o.Clusters)
	return s
}

// grown returns a number that grows with i: from 1 for the first cluster to most for the last.
func grown(most, i, clusters int) int { return 1 + int(int64(most)*int64(i)/int64(clusters)) }
