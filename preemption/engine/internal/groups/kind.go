package groups

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// newKind returns a kind for the members of an attempt. It remembers no answers if the fitter would have to
// remember more than mostAnswers.
func (f *fitter) newKind(a *dryrun.Attempt) *memberKind {
	k := &memberKind{f, a, dryrun.NewDryRunner(a), 0, &nodeAnswers{StatusTable: filters.NewStatusTable()}}
	if remembered := f.answers + len(f.sites); remembered <= f.run.mostAnswers {
		f.answers = remembered
		k.said.answers = make([]nodeAnswer, len(f.sites))
	}
	return k
}

// inAttempt returns the kind of the same member in a new attempt. A new epoch invalidates all earlier answers
// but those of the first node filters, which no pod changes.
func (k *memberKind) inAttempt(a *dryrun.Attempt) *memberKind {
	k.said.epochs++
	return &memberKind{k.fitter, a, dryrun.NewDryRunner(a), k.said.epochs, k.said}
}

// signatureOf returns a text that is equal for pods that no filter tells apart. It is empty for a pod that
// gets a kind of its own, because it has volumes or a filter beside NodeResourcesFit and the first node
// filters has something to say.
func signatureOf(a *dryrun.Attempt) string {
	asked := &a.Asked
	if len(a.Plan.Active) > 0 || len(asked.Pod.Volumes) > 0 {
		return ""
	}

	var key state.KeyWriter
	key.Amount(int64(asked.Priority))
	for _, d := range asked.Needs {
		key.Text(string(d.Name))
		key.Amount(d.Value)
	}
	a.Plan.AppendSignature(&key, asked)
	return string(key)
}

// takes reports whether a node takes a member, beside the members before it that are placed there.
func (f *fitter) takes(i int, position int32) bool {
	return f.answer(i, position) == filters.NoObjection
}

// answer returns the answer of a node to a member, beside the members before it that are placed there. The
// node is asked only if no valid answer is remembered.
func (f *fitter) answer(i int, position int32) filters.StatusID {
	k, s := f.members[i].kind, &f.sites[position]
	seated := f.seatedBefore(i, position)
	if k.said.answers == nil {
		var none nodeAnswer
		return k.ask(&none, position, seated)
	}

	// With members on the node the answer cannot be remembered. Only its fixed part is kept.
	a := &k.said.answers[position]
	if len(seated) > 0 {
		return k.ask(a, position, seated)
	}

	// The version covers the cluster's pods on the node, and the epoch what the filters counted elsewhere.
	if a.version != s.version || a.epoch != k.epoch {
		a.status = k.ask(a, position, nil)
		a.version, a.epoch = s.version, k.epoch
	}
	return a.status
}

// ask asks the filters about a node with these members on it. known.fixed is the answer of the first node
// filters, and is set if it is missing.
func (k *memberKind) ask(known *nodeAnswer, position int32, seated []int32) filters.StatusID {
	f, said := k.fitter, k.said
	plan, asked := &k.attempt.Plan, &k.attempt.Asked

	// A filter has refused the pod before the first node. A filter of the caller may pass the next attempt,
	// so that this is not stored as fixed.
	if plan.Refused.Code != filters.Success {
		return said.ID(plan.Refused)
	}

	n, s := f.node(position), &f.sites[position]
	if known.fixed == 0 {
		known.fixed = 1 + said.ID(plan.CheckNode(asked, n))
	}
	if known.fixed-1 != filters.NoObjection {
		return known.fixed - 1
	}

	runner := k.runner
	runner.Enter(n)
	if len(runner.Nominated) > 0 && len(f.nominees) > 0 {
		runner.Nominated = slices.DeleteFunc(runner.Nominated, f.seatedElsewhere)
	}

	// With lean, removed pods are still in the snapshot, and only the site's sums are up to date.
	if f.lean {
		resources := &runner.Resources
		resources.Count = int(s.count)
		for i := range asked.Needs {
			resources.Taken[i] = asked.Needs[i].Used(&s.taken)
		}
	}

	for _, i := range seated {
		k.add(f.members[i].runs)
	}
	return said.ID(runner.Check())
}

// seatedElsewhere reports whether a nominated pod is a member whose nomination does not count because the
// member has a place (rule 12.9.5).
func (f *fitter) seatedElsewhere(p *state.PodState) bool {
	counts, member := f.nominees[p.Pod]
	return member && !counts
}

// add adds a member to the entered node, for the filters that look only at the node's pods. Filters that look
// further counted the member when the attempt began.
func (k *memberKind) add(p *state.PodState) {
	resources, active := &k.runner.Resources, k.attempt.Plan.Active
	resources.Change(p, 1)
	for i, f := range k.runner.Filters {
		switch active[i].PodFilter.(type) {
		case *filters.InterPod, *filters.Spread, *filters.CallerFilter:
		default:
			f.Change(p, 1)
		}
	}
}

// refusal counts the answers of the nodes to a member without a place.
func (f *fitter) refusal(i int) *preemption.Refusal {
	k := f.members[i].kind
	said := k.said
	nodes := make([]int, said.Len())
	var order []filters.StatusID // by first occurrence
	for position := range f.sites {
		s := f.answer(i, int32(position))

		// The answer may be a new status in the table.
		if int(s) >= len(nodes) {
			nodes = append(nodes, make([]int, int(s)+1-len(nodes))...)
		}
		if nodes[s]++; nodes[s] == 1 {
			order = append(order, s)
		}
	}

	var counts []preemption.Count
	for _, s := range order {
		counts = append(counts, preemption.Count{Status: k.attempt.Public(said.Of(s)), Nodes: nodes[s]})
	}
	dryrun.SortCounts(counts)
	return &preemption.Refusal{Pod: f.members[i].pod, Nodes: counts}
}
