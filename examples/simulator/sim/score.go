package sim

import "github.com/outrank-go/outrank"

// Score rates a node for a pod that fits there; the highest wins.
type Score func(c *Choice) int64

// Choice is a node that takes a pod. It lasts for one call of a [Score].
type Choice struct {
	Pod  *outrank.Pod
	Node *outrank.Node
	// CPU is in thousandths of a core, Memory in bytes.
	CPU, Memory Level
}

// Level is the sum of the requests of the pods on a node and of the pod to be
// placed, and the node's capacity.
type Level struct {
	Used, Allocatable int64
}

// mostScore is the score of an empty node by [LeastAllocated].
const mostScore = 100

// LeastAllocated spreads pods out: the mean share of cpu and memory that is left
// free, in whole percent of each (NodeResourcesFit's scoring by default).
func LeastAllocated(c *Choice) int64 {
	return (free(c.CPU) + free(c.Memory)) / 2
}

// MostAllocated packs pods together: the opposite.
func MostAllocated(c *Choice) int64 {
	return (mostScore - free(c.CPU) + mostScore - free(c.Memory)) / 2
}

// free is the share left, in percent; nothing is left of nothing.
func free(l Level) int64 {
	if l.Allocatable <= 0 || l.Used >= l.Allocatable {
		return 0
	}
	return int64(float64(l.Allocatable-l.Used) / float64(l.Allocatable) * mostScore)
}
