package execution

import (
	"fmt"
	"slices"
)

// What the tests of this package see of its inside.

// Check says what is wrong with the two maps: they have to agree, without empty
// lists and in order.
func (n *Nominator) Check() error {
	n.mu.RLock()
	defer n.mu.RUnlock()
	listed := 0
	for node, pods := range n.byNode {
		if node == "" || len(pods) == 0 {
			return fmt.Errorf("node %q has %d pods", node, len(pods))
		}
		if !slices.IsSortedFunc(pods, compareNominated) {
			return fmt.Errorf("node %s: not in order", node)
		}
		for _, p := range pods {
			listed++
			if e := n.byPod[p.Key()]; e.pod != p || e.node != node {
				return fmt.Errorf("node %s lists pod %s, whose entry is on %q", node, p.Key(), e.node)
			}
		}
	}
	if listed != len(n.byPod) {
		return fmt.Errorf("%d pods in lists, %d entries", listed, len(n.byPod))
	}
	return nil
}

// Remembered is the number of victims that the executor remembers or is
// evicting.
func (e *Executor) Remembered() int { return e.evictions.size() }

// CompareNominated is the order of the pods nominated to one node.
var CompareNominated = compareNominated
