package question

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	kubelet "github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// OnNode is the kubelet's answer to a pod. Its JSON is that of [kubelet.Report]
// with the replacements of the evicted pods.
type OnNode struct {
	*kubelet.Report
	// Static is set where the pod counts as one that the kubelet reads from a file.
	Static bool
	// Replacements are the fates of the evicted pods, the first to be evicted first.
	Replacements []explain.Replacement
}

// MarshalJSON returns the members of the report, and behind them the others.
func (o OnNode) MarshalJSON() ([]byte, error) {
	report, err := json.Marshal(o.Report)
	if err != nil {
		return nil, err
	}
	others, err := json.Marshal(struct {
		Static       bool                  `json:"static,omitempty"`
		Replacements []explain.Replacement `json:"replacements"`
	}{o.Static, o.Replacements})
	if err != nil {
		return nil, err
	}
	return slices.Concat(report[:len(report)-1], []byte{','}, others[1:]), nil
}

// Binding is a pod that is bound to a node.
type Binding struct {
	Pod  *outrank.Pod
	Node string
	// Static makes the pod a static one.
	Static bool
	// Depth is how far the evicted pods are followed, as in AskVictims.
	Depth int
}

// AskOnNode returns the answer of a node's kubelet to a pod that is bound to it:
// admitted, refused with the reasons, or admitted after evictions. For a critical
// pod others are evicted; a static pod is one, whatever its priority. No
// scheduler is asked, and no disruption budget counts. The active pods are all of
// the node's that have not ended.
//
// Errors are those of the setting and of [kubeletadmit.Admit], and wrap
// [preemption.ErrNotFound] for a node that the cluster does not have. Time is
// that of [kubelet.Ask], and of [explain.Replacements] where pods are evicted.
func AskOnNode(ctx context.Context, set Setting, b Binding) (*OnNode, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	if b.Depth < 0 || b.Depth > MostDepth {
		return nil, fmt.Errorf("%w: depth %d is not between 0 and %d", outrank.ErrInvalid, b.Depth, MostDepth)
	}
	eval, err := set.decider(b.Pod)
	if err != nil {
		return nil, err
	}
	on, ok := set.Snapshot.Node(b.Node)
	if !ok {
		return nil, fmt.Errorf("node %s: %w", b.Node, preemption.ErrNotFound)
	}
	bound := *b.Pod
	bound.Static = bound.Static || b.Static
	if bound.NodeName == "" {
		bound.NodeName = b.Node
	}
	active := set.podsOn(b.Node)
	config := kubeletadmit.Config{Release: set.Snapshot.Release()}
	adm, err := kubeletadmit.Admit(on, active, &bound, config)
	if err != nil {
		return nil, err
	}
	out := &OnNode{
		Report: kubelet.Admission(kubelet.Question{Node: on, Active: active, Pod: &bound, Config: config}, adm),
		Static: bound.Static, Replacements: []explain.Replacement{},
	}
	if len(adm.Evictions) == 0 {
		return out, nil
	}
	plan := &preemption.Plan{Pod: &bound, Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: b.Node}}
	for _, e := range adm.Evictions {
		plan.Victims = append(plan.Victims, preemption.Victim{Pod: e.Pod})
	}
	out.Replacements, err = explain.Replacements(ctx, explain.Question{Evaluator: eval, Snapshot: set.Snapshot, Request: preemption.Request{Now: set.Now}, Plan: plan}, explain.Options{Depth: b.Depth, Scorer: set.scorerFor})
	return out, err
}

// on lists the pods of a node in the order in which they were read, which decides where
// several would do as well, as in [kubeletadmit.Admit].
func (s *Setting) podsOn(node string) []*outrank.Pod {
	var out []*outrank.Pod
	for _, p := range s.Cluster.Pods {
		if p.NodeName == node && !p.Finished() {
			out = append(out, p)
		}
	}
	return out
}

// WriteText prints the answer for people; limit bounds the replacements that are
// shown, 0 shows all. The error is that of w.
func (o *OnNode) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.block(0, o.Text())
	if len(o.Replacements) > 0 {
		out.line("What becomes of those who are evicted:")
		writeFates(out, o.Replacements, 2, limit)
	}
	return out.To(w)
}
