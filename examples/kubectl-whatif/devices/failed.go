package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
)

// failed says that the plugin for claims fails on nodes, and that the attempt ends in one of the errors.
type failed struct {
	Nodes   []string `json:"nodes"`
	Errors  []string `json:"errors"`
	Certain bool     `json:"certain"`
}

// text says in which error the attempt ends, and how many nodes take the pod by themselves.
func (f *failed) text(feasible int) string {
	although := ""
	if feasible > 0 {
		although = ", although " + takes(feasible)
	}
	return fmt.Sprintf("kube-scheduler ends the attempt in an error, because the plugin for claims fails on %s%s: %s", someNodes(f.Nodes), although, f.first())
}

// first returns the error to tell: of a search that was ended here, kube-scheduler's own may have another end.
func (f *failed) first() string {
	sure := slices.IndexFunc(f.Errors, func(text string) bool { return !devices.Ended(text) })
	return f.Errors[max(0, sure)]
}

// chance reports whether it depends on the nodes that kube-scheduler comes to if the attempt ends in an error.
func (f *failed) chance() bool {
	return !f.Certain && slices.ContainsFunc(f.Errors, func(text string) bool { return !devices.Ended(text) })
}

// fails reports whether the attempt is certain to end in an error.
func (w *way) fails() bool { return w.Failed != nil && w.Failed.Certain }

// inError returns the plan of an attempt that is certain to end in an error: the pod is refused whatever the nodes say.
// If that is not certain, the plan stays as it is.
func inError(e *preemption.Plan, f *devices.Failure) *preemption.Plan {
	if !f.Certain {
		return e
	}
	refused := preemption.UnschedulableAndUnresolvable.Because((*failed)(f).first())
	refused.Filter = devices.Name

	out := &preemption.Plan{Pod: e.Pod, Outcome: preemption.NothingHelps, Refused: refused, TurnedDown: []preemption.Count{{Status: refused, Nodes: len(e.Nodes)}}}
	for i := range e.Nodes {
		out.Nodes = append(out.Nodes, preemption.NodeReport{Node: e.Nodes[i].Node, Status: refused})
	}
	return out
}

// mayFail returns the caveat about an attempt that may end in an error.
func mayFail(f *failed) caveat {
	return caveat{"the dump", "has so many nodes that take the pod that kube-scheduler may or may not come to " + someNodes(f.Nodes) + ", where the plugin for claims fails; if it does, it ends the attempt in an error, and the pod stays pending: " + f.first()}
}

// failure returns the error in which the attempt about a pod ends or may end; nil for none. The nodes are only asked
// again if the plugin fails on one of them.
func (s *stage) failure(p *outrank.Pod, plan *preemption.Plan) (*failed, error) {
	if !slices.ContainsFunc(plan.TurnedDown, func(c preemption.Count) bool { return c.Code == preemption.Contradiction }) {
		return nil, nil
	}
	e, err := s.eval.Explain(context.Background(), s.snap, preemption.Request{Pod: p, Now: s.now})
	if err != nil {
		return nil, err
	}
	return (*failed)(devices.Failed(e)), nil
}
