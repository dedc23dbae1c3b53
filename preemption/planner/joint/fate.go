package joint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Fate says what becomes of the work of a victim once the plan is carried out (group 25.6).
type Fate struct {
	// Loss is Moved if another node takes the replacement beside all pods of the plan and the replacements of
	// the victims before it.
	Loss Loss
	// Node is the node of the replacement, empty unless Loss is Moved.
	Node string
	// Why lists the reasons why no node takes a replacement; it is nil for a victim that moves. The owner is
	// the reason if nobody creates the pod again, or only for its own node. Otherwise the reasons are those of
	// the filters, each with the number of nodes that gave it, the most frequent first. An interrupted plan
	// does not ask the filters.
	Why []string
}

// String says in a few words what becomes of the victim: where it moves, or why it cannot.
func (f Fate) String() string {
	if f.Loss == Moved {
		return "moves to " + prose.Name(f.Node)
	}
	text := string(f.Loss)
	if len(f.Why) > 0 {
		text += ": " + strings.Join(f.Why, ", ")
	}
	return text
}

// relocate puts the replacements that have places into the snapshot, one after the other. It returns the fate of each
// victim, and these replacements.
func (b *draft) relocate(snap *engine.Snapshot, s *settled) (fates []Fate, replacements []*outrank.Pod) {
	for i, v := range s.victims {
		f := Fate{Loss: s.fates[i].loss}
		replacement := replacementOf(snap, v, i)
		if node := s.fates[i].node; node >= 0 {
			f.Node = b.nodes[node].Name
			b.seat(snap, replacement, node)
			replacements = append(replacements, replacement)
		} else {
			f.Why = b.why(snap, v, replacement)
		}
		fates = append(fates, f)
	}
	return fates, replacements
}

// why returns the reasons why no other node takes the replacement of a victim.
func (b *draft) why(snap *engine.Snapshot, victim, replacement *outrank.Pod) []string {
	switch lifecycle.MakerOf(victim) {
	case lifecycle.Nobody:
		return []string{"no controller makes it again"}
	case lifecycle.ForItsNode:
		return []string{"its DaemonSet makes it again for " + prose.Name(victim.NodeName) + " alone"}
	case lifecycle.WithItsGroup:
		return []string{"its group is scheduled as a whole, which is not looked at"}
	}
	if len(b.nodes) == 1 {
		return []string{"there is no other node"}
	}

	nodes := map[string]int{} // the number of nodes that give each reason
	b.askOthers(snap, victim, replacement, func(s preemption.Status) bool {
		for _, reason := range s.Reasons {
			nodes[reason]++
		}
		return !b.over()
	})
	if b.brief {
		return []string{"nobody asked for the reasons after the interruption"}
	}

	// The most frequent reason comes first. Equally frequent ones are sorted by their text.
	reasons := make([]string, 0, len(nodes))
	for reason := range nodes {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(r, s string) int {
		return cmp.Or(cmp.Compare(nodes[s], nodes[r]), cmp.Compare(r, s))
	})
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%s on %d of %d", reason, nodes[reason], len(b.nodes)-1)
	}
	return reasons
}
