package schedules

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine"
)

// Differs compares the snapshot with a fresh list. In the quiet no attempt is under way.
func (l *Library) Differs(nodes []Node, pods []*Pod) string {
	if n := l.queue.Counts().InFlight; n > 0 {
		return fmt.Sprintf("%d attempts have never ended", n)
	}
	return Differs(l.snap, nodes, pods)
}

// Differs compares a snapshot with a fresh list: the nodes with their room, and each pod with its place and the
// nomination of its last version. It
// returns the lines that only one of the two has.
func Differs(snap *engine.Snapshot, nodes []Node, pods []*Pod) string {
	var want, got []string
	for _, n := range nodes {
		want = append(want, fmt.Sprintf("node %s cpu=%d", n.Name, n.CPU))
	}
	for _, p := range pods {
		want = append(want, fmt.Sprintf("pod %s uid=%s on %q, nominated to %q, leaves: %v, cpu=%d", p.Name, p.UID, p.Node, p.Nominated, p.Leaves, p.CPU))
	}
	for n := range snap.Nodes() {
		got = append(got, fmt.Sprintf("node %s cpu=%v", n.Name, n.Allocatable["cpu"]))
	}
	for p := range snap.Pods() {
		got = append(got, fmt.Sprintf("pod %s uid=%s on %q, nominated to %q, leaves: %v, cpu=%v",
			p.Name, p.UID, snap.NodeOf(p.Key()), p.NominatedNodeName, p.Terminating(), p.Requests()["cpu"]))
	}
	text := ""
	for _, line := range got {
		if !slices.Contains(want, line) {
			text += "has " + line + "; "
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			text += "lacks " + line + "; "
		}
	}
	return text
}
