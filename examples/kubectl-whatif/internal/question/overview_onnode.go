package question

import (
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Overview draws the answer as a page about the snapshot in question. It shows the pods that the kubelet evicts,
// and the pod on its node.
func (o *OnNode) Overview(snap *engine.Snapshot, pod *outrank.Pod) *page.Overview {
	headline, more, _ := strings.Cut(o.Summary(), "; ")
	s := sketchOf(snap, strings.TrimSuffix(headline, "."), more)
	s.figure(len(o.Replacements), verb(len(o.Replacements), "pod that is evicted", "pods that are evicted"))
	s.figure(o.Stay.Len(), verb(o.Stay.Len(), "pod that may not be evicted", "pods that may not be evicted"))

	for i := range o.Replacements {
		s.leave(o.Replacements[i].Pod.Key, "evicted for "+string(o.Pod.Key))
	}
	if o.Outcome != kubeletadmit.Rejected && snap.NodeOf(o.Pod.Key) != o.Node {
		s.arrive(o.Pod.Key, pod, o.Node, "starts")
	}

	s.table(page.Table{Title: "What the kubelet does, and why", Text: strings.TrimSpace(o.Text())})
	var fates []string
	for i := range o.Replacements[:bounded(len(o.Replacements), page.MostRows)] {
		fates = append(fates, strings.TrimRight(o.Replacements[i].Text(), "\n"))
	}
	s.table(page.Table{Title: "What becomes of those who are evicted", Text: strings.Join(fates, "\n"), More: len(o.Replacements) - len(fates)})
	o.todo(s)
	return &s.Overview
}

// todo ends the page with what to do.
func (o *OnNode) todo(s *sketch) {
	switch {
	case o.Outcome == kubeletadmit.Rejected:
		s.do("Where it would start instead, and who would have to leave there, is asked without --on-node.")
	case len(o.Replacements) > 0:
		s.do("Nothing to do if they may leave: the kubelet evicts them by itself, whatever disruption budgets say.")
	default:
		s.do("Nothing to do: the kubelet starts it.")
	}
}
