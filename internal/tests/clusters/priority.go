package clusters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Priority draws the priority of a pod on a node, mostly below that of a preemptor. With Shape.Priorities
// above 0 the values are 10 apart, and if there are several, the lowest is -10. Nil means that the pod was
// never given a priority, which counts as 0.
func (shape *Shape) Priority(s draw.Source) *int32 {
	if draw.OneIn(s, "no priority", 8) {
		return nil
	}
	if shape.Priorities == 0 {
		return outrank.Priority(draw.Pick[int32](s, "priority", 0, 0, 10, 10, 50, -5, 100, 2000))
	}
	step := s.Int("priority", 0, shape.Priorities-1)
	if shape.Priorities > 1 {
		step--
	}
	return outrank.Priority(int32(10 * step))
}

// askingPriority draws the priority of a preemptor: mostly above all pods on nodes, sometimes between them.
func (shape *Shape) askingPriority(s draw.Source) *int32 {
	if draw.OneIn(s, "no priority", 25) {
		return nil
	}
	if shape.Priorities == 0 {
		return outrank.Priority(draw.Pick[int32](s, "preemptor priority", 1000, 1000, 1000, 100, 100, 50, 2000001000))
	}
	above := int32(1000 + 10*shape.Priorities)
	among := int32(10*s.Int("priority among those on nodes", 0, shape.Priorities-1) - 5)
	return outrank.Priority(draw.Pick(s, "preemptor priority", above, above, above, above, among, among, 2000001000))
}

// nominatedPriority draws the priority of a nominated pod, which is one that a running pod or a preemptor may
// have.
func (shape *Shape) nominatedPriority(s draw.Source) *int32 {
	if shape.Priorities == 0 {
		if draw.OneIn(s, "no priority", 8) {
			return nil
		}
		return outrank.Priority(draw.Pick[int32](s, "nominated priority", 0, 10, 100, 100, 1000, 1000, 2000))
	}
	if draw.OneIn(s, "priority of a running pod", 3) {
		return shape.Priority(s)
	}
	return shape.askingPriority(s)
}

func policy(s draw.Source) outrank.PreemptionPolicy {
	if draw.OneIn(s, "never preempts", 20) {
		return outrank.PreemptNever
	}
	return draw.Pick(s, "policy", "", outrank.PreemptLowerPriority)
}
