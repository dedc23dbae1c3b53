package groups

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

func (f *fitter) newKind(a *dryrun.Attempt) *memberKind {
	k := &memberKind{f, a, dryrun.NewDryRunner(a), 0, &nodeAnswers{statuses: filters.NewStatusTable()}}
	if remembered := f.answers + len(f.sites); remembered <= f.run.mostAnswers {
		f.answers, k.said.answers = remembered, make([]nodeAnswer, len(f.sites))
	}
	return k
}

// with is the kind of the same member in another attempt.
func (k *memberKind) with(a *dryrun.Attempt) *memberKind {
	k.said.epochs++
	return &memberKind{k.fitter, a, dryrun.NewDryRunner(a), k.said.epochs, k.said}
}

// signatureOf is equal for pods that no filter tells apart. It is empty for a pod
// that is a kind of its own: one of which a filter of the caller or one about
// volumes or ports has something to say.
func signatureOf(a *dryrun.Attempt) string {
	if len(a.Plan.Active) > 0 || len(a.Asked.Pod.Volumes) > 0 {
		return ""
	}
	var key state.KeyWriter
	key.Amount(int64(a.Asked.Priority))
	for _, d := range a.Asked.Needs {
		key.Text(string(d.Name))
		key.Amount(d.Value)
	}
	a.Plan.AppendSignature(&key, &a.Asked)
	return string(key)
}

// takes reports whether a node takes a member, with the members before it that have
// their place there.
func (f *fitter) takes(i int, position int32) bool { return f.says(i, position) == filters.NoObjection }

func (f *fitter) says(i int, position int32) filters.StatusID {
	k, s := f.members[i].kind, &f.sites[position]
	seated := f.seatedBefore(i, position)
	if k.said.answers == nil {
		var none nodeAnswer
		return k.ask(&none, position, seated)
	}
	a := &k.said.answers[position]
	if len(seated) > 0 {
		return k.ask(a, position, seated)
	}
	if a.version != s.version || a.epoch != k.epoch {
		a.status = k.ask(a, position, nil)
		a.version, a.epoch = s.version, k.epoch
	}
	return a.status
}

// ask asks the filters.
func (k *memberKind) ask(known *nodeAnswer, position int32, seated []int32) filters.StatusID {
	n, s := k.fitter.node(position), &k.fitter.sites[position]
	if refused := k.a.Plan.Refused; refused.Code != filters.Success {
		return k.said.statuses.ID(refused) // in this attempt; a filter of the caller may let the next one begin
	}
	if known.fixed == 0 {
		known.fixed = 1 + k.said.statuses.ID(k.a.Plan.CheckNode(&k.a.Asked, n))
	}
	if known.fixed-1 != filters.NoObjection {
		return known.fixed - 1
	}
	k.w.Enter(n)
	if len(k.w.Nominated) > 0 && len(k.fitter.nominees) > 0 {
		k.w.Nominated = slices.DeleteFunc(k.w.Nominated, k.fitter.seatedElsewhere)
	}
	if k.fitter.lean {
		k.w.Resources.Count = int(s.count)
		for i := range k.a.Asked.Needs {
			k.w.Resources.Taken[i] = k.a.Asked.Needs[i].Used(&s.taken)
		}
	}
	for _, i := range seated {
		k.add(k.fitter.members[i].runs)
	}
	return k.said.statuses.ID(k.w.Check())
}

// seatedElsewhere reports whether a nominated pod is a member that has a place while the
// members are placed.
func (f *fitter) seatedElsewhere(p *state.PodState) bool {
	counts, member := f.nominees[p.Pod]
	return member && !counts
}

// add adds a member to the node for the filters that look at the pods there. The
// others have counted it when the attempt began.
func (k *memberKind) add(p *state.PodState) {
	k.w.Resources.Change(p, 1)
	for i, f := range k.w.Filters {
		switch k.a.Plan.Active[i].PodFilter.(type) {
		case *filters.InterPod, *filters.Spread, *filters.CallerFilter:
		default:
			f.Change(p, 1)
		}
	}
}

// refusal says what every node answered to a member without a place.
func (f *fitter) refusal(i int) *preemption.Refusal {
	k := f.members[i].kind
	nodes := make([]int, k.said.statuses.Len())
	var order []filters.StatusID // by first occurrence
	for position := range f.sites {
		s := f.says(i, int32(position))
		if int(s) >= len(nodes) {
			nodes = append(nodes, make([]int, int(s)+1-len(nodes))...)
		}
		if nodes[s]++; nodes[s] == 1 {
			order = append(order, s)
		}
	}
	var counts []preemption.Count
	for _, s := range order {
		counts = append(counts, preemption.Count{Status: k.a.Public(k.said.statuses.Of(s)), Nodes: nodes[s]})
	}
	dryrun.SortCounts(counts)
	return &preemption.Refusal{Pod: f.members[i].pod, Nodes: counts}
}
