package page

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// orNothing returns a list of things to do. If it is empty, it says that there is nothing to do.
func orNothing(todo []string) []string {
	if len(todo) == 0 {
		return []string{"Nothing to do."}
	}
	return todo
}

// todo says what to do about a decision, as far as the report has tried it.
func (d *maker) todo() []string {
	e, r := d.plan, d.report
	if r.Leaving != nil {
		return []string{"Nothing to do but wait: it " + r.Leaving.Text()}
	}

	switch e.Outcome {
	case preemption.Fits:
		if e.Resize {
			return []string{"Nothing to do: its kubelet carries the resize out."}
		}
		return []string{"Nothing to do: it starts on " + oneOf(e.Feasible) + " that " + verb(e.Feasible, "takes", "take") + " it."}
	case preemption.Preempts:
		return d.todoOfPreempt()
	case preemption.NotEligible:
		return d.todoOfIneligible()
	}

	out := slices.Clone(d.in.Hints)
	if n := r.Nothing; n != nil {
		out = append(out, helps(n)...)
	}
	return orNoHelp(out)
}

// todoOfIneligible says what to do about a pod that may not push others out.
func (d *maker) todoOfIneligible() []string {
	e, out := d.plan, d.in.Hints
	if e.Ineligible == preemption.VictimsTerminating {
		return append([]string{"Nothing to do but wait: it takes the room of those who are leaving."}, out...)
	}

	if n := len(e.Candidates); n > 0 && e.Ineligible == preemption.PolicyNever {
		best := &e.Candidates[0]
		leave := len(best.Victims)
		out = append([]string{fmt.Sprintf("Give it a class without the preemption policy Never: evictions would make room on %s, best on %s, where %s to leave.",
			console.Plural(n, "node"), isolated(best.Node), verb(leave, "1 pod has", fmt.Sprintf("%d pods have", leave)))}, out...)
	}
	return orNoHelp(append(out, ways(d.report)...))
}

// orNoHelp returns a list of what helps a pod that stays pending. If it is empty, it says that nothing does.
func orNoHelp(help []string) []string {
	if len(help) == 0 {
		return []string{"Nothing that was tried makes room for it: it stays pending."}
	}
	return help
}

// helps returns the changes that make room where evictions of less important pods do not.
func helps(n *explain.Nothing) []string {
	return (&explain.Nothing{Enough: n.Enough, Lower: n.Lower, Eviction: n.Eviction}).Texts()
}

// todoOfPreempt says what to do about a pod that pushes others out: nothing, except that some victims may not
// be recreated, and some may break a budget.
func (d *maker) todoOfPreempt() []string {
	e := d.plan
	who, leave := "those pods", "them"
	if len(e.Victims) == 1 {
		who, leave = "that pod", "it"
	}

	out := []string{fmt.Sprintf("Nothing to do if %s may leave: kube-scheduler evicts %s by itself.", who, leave)}
	if d.in.NoEffect != "" {
		out[0] = fmt.Sprintf("kube-scheduler evicts %s by itself, and the pod does not start all the same: %s says %s.", who, isolated(e.Node), d.in.NoEffect)
	}
	if e.Resize {
		out[0] += " The kubelet then carries the resize out."
	}

	lost := 0
	for i := range e.Victims {
		// Only a controller recreates a pod.
		if e.Victims[i].Pod.Owner.Name == "" {
			lost++
		}
	}
	if lost > 0 {
		out = append(out, fmt.Sprintf("%s no controller, and nothing recreates %s.",
			verb(lost, "1 of the pods has", fmt.Sprintf("%d of the pods have", lost)), verb(lost, "it", "them")))
	}

	if n := e.Score.Violations; n > 0 {
		out = append(out, fmt.Sprintf("%s a disruption budget, which does not keep kube-scheduler from %s.",
			verb(n, "1 eviction breaks", fmt.Sprintf("%d evictions break", n)), verb(n, "it", "them")))
	}
	return out
}

// ways returns the changes that were tried and make room.
func ways(r *explain.Report) (out []string) {
	for i := range r.Nodes {
		if help := r.Nodes[i].Help(); help != "" && len(out) < mostWays {
			out = append(out, help)
		}
	}
	return out
}

// mostWays is the most changes that the page suggests.
const mostWays = 3

// oneOf refers to one of a number of nodes.
func oneOf(nodes int) string {
	if nodes == 1 {
		return "the node"
	}
	return fmt.Sprintf("one of the %d nodes", nodes)
}

// verb returns one if n is 1, and more otherwise.
func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
