package question

import (
	"fmt"
	"io"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption/engine"
)

// NotCreated is the answer about a pod that a quota keeps from being created.
type NotCreated struct {
	Pod       Pod                `json:"pod"`
	Forbidden []quotas.Forbidden `json:"forbidden"`
}

// RefusedBy returns the answer about a pod that a quota forbids, or about several like it.
func RefusedBy(f *quotas.Forbidden, pod *outrank.Pod) *NotCreated {
	return &NotCreated{Pod: NameOf(pod, ""), Forbidden: []quotas.Forbidden{*f}}
}

// WriteText prints the answer for people. The error is that of w.
func (n *NotCreated) WriteText(w io.Writer, _ int) error {
	out := paperFor(w)
	out.say("%s", n.sentence())
	out.line("  %s", n.effect())
	out.line("  The API server: %s", n.Forbidden[0].Message)
	return out.To(w)
}

// effect says what follows if the pod is not created.
func (n *NotCreated) effect() string {
	if n.Forbidden[0].Pods > 1 {
		return "They take no turn, and nobody has to leave for them."
	}
	return "It takes no turn, and nobody has to leave for it."
}

// sentence says which pod is not created, and which quota is in the way.
func (n *NotCreated) sentence() string {
	who := string(n.Pod.Key)
	if f := &n.Forbidden[0]; f.Pods > 1 {
		who = fmt.Sprintf("%d of the pods like %s", f.Pods, who)
	}
	who += " " + verb(n.Forbidden[0].Pods, "is", "are") + " not created: "
	if n.Forbidden[0].Quota == "" {
		return who + "the API server wants a quota for it, and none covers it."
	}
	return who + "quota " + n.Forbidden[0].Quota + " is in the way."
}

// Overview draws the answer as a page.
func (n *NotCreated) Overview(snap *engine.Snapshot, _ *outrank.Pod) *page.Overview {
	s := sketchOf(snap, strings.TrimSuffix(n.sentence(), "."), n.sentence()+" "+n.effect())
	s.table(forbiddenTable(n.Forbidden))
	s.do("The API server's answer: " + n.Forbidden[0].Message)
	return &s.Overview
}
