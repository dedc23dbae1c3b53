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

// OnNode is the kubelet's answer to a pod. Its JSON is the JSON of [kubelet.Report] with the replacements of
// the evicted pods added.
type OnNode struct {
	*kubelet.Report
	// Static is set for a static pod, which the kubelet reads from a file.
	Static bool
	// Replacements has the fates of the evicted pods, in the order in which they are evicted.
	Replacements []explain.Replacement
}

// MarshalJSON returns an object with the members of the report, followed by those of OnNode.
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

	// The closing brace of the first object and the opening brace of the second give way to a comma.
	return slices.Concat(report[:len(report)-1], []byte{','}, others[1:]), nil
}

// Binding is a pod that is bound to a node.
type Binding struct {
	Pod  *outrank.Pod
	Node string
	// Static asks about the pod as a static one.
	Static bool
	// Depth says how far the evicted pods are followed, as in AskVictims.
	Depth int
}

// AskOnNode returns the answer of a node's kubelet to a pod that is bound to the node: admitted, refused with
// the reasons, or admitted after evictions. The kubelet evicts others for a critical pod, and a static pod is
// critical whatever its priority. Schedulers and disruption budgets play no part. All pods of the node that
// have not ended are active.
//
// Errors are those of the setting and of [kubeletadmit.Admit]. They wrap [preemption.ErrNotFound] for a node that
// the cluster does not have. It takes the time of [kubelet.Ask], and of [explain.Replacements] if pods are
// evicted.
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

	// A pod that names another node is refused for that reason, so that its node must not be overwritten.
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

	// What becomes of evicted pods does not depend on who evicts them, so that a plan of the scheduler with
	// these victims can stand in.
	plan := &preemption.Plan{Pod: &bound, Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: b.Node}}
	for _, e := range adm.Evictions {
		plan.Victims = append(plan.Victims, preemption.Victim{Pod: e.Pod})
	}
	out.Replacements, err = explain.Replacements(ctx, explain.Question{Evaluator: eval, Snapshot: set.Snapshot, Request: preemption.Request{Now: set.Now}, Plan: plan}, explain.Options{Depth: b.Depth, Scorer: set.scorerFor})
	return out, err
}

// podsOn lists the pods of a node that have not ended, in the order in which they were read.
// [kubeletadmit.Admit] decides by that order between pods that it could evict equally well.
func (s *Setting) podsOn(node string) []*outrank.Pod {
	var out []*outrank.Pod
	for _, p := range s.Cluster.Pods {
		if p.NodeName == node && !p.Finished() {
			out = append(out, p)
		}
	}
	return out
}

// WriteText prints the answer for people. Each list of replacements is cut after limit entries, unless limit is
// 0. The error is that of w.
func (o *OnNode) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.block(0, o.Text())
	if len(o.Replacements) > 0 {
		out.line("What becomes of those who are evicted:")
		writeFates(out, o.Replacements, 2, limit)
	}
	return out.To(w)
}
