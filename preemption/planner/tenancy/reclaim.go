package tenancy

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Reclaim decides which workloads have to leave so that another can be admitted. It considers quotas only, and no nodes
// (groups 24.3 and 24.4); when victims are chosen on nodes, the guard of [Rules.Guard] applies the same rules.
//
// The error is an *[outrank.InputError] with every problem of the request: an unknown queue, an amount below 0, a
// resource without a quota, amounts whose sum overflows, invalid strategies, or a window below 0. The request is only
// read. It takes the time of sorting the candidates, and of going up to the top of the tree for each of them.
func (t *Tree) Reclaim(req Request) (*Answer, error) {
	if t == nil {
		return nil, errNoTree
	}
	d, err := t.begin(&req)
	if err != nil {
		return nil, err
	}
	in := &d.incoming
	if d.fits(in.at, in.uses, in.asked) {
		return &Answer{Outcome: preemption.Fits}, nil
	}

	// With Fair, shares decide instead of quotas (group 24.4).
	a := &Answer{Outcome: preemption.Preempts}
	if req.Fair != nil {
		a.Victims = d.fair()
	} else {
		a.Victims = d.classical()
	}
	if len(a.Victims) == 0 {
		a.Outcome, a.RetryAt = preemption.NothingHelps, d.retryAt
	}
	return a, nil
}

// begin checks a request, and returns a decision in which the admitted workloads are counted as usage.
func (t *Tree) begin(req *Request) (*decision, error) {
	var ps []outrank.Problem
	d := &decision{usage: t.newUsage(), req: req}
	d.readWorkloads(&ps)
	if req.Fair != nil && !validStrategies(req.Fair.Strategies) {
		ps = append(ps, outrank.Problem{Object: "request", Field: "Fair.Strategies", Text: fmt.Sprintf("there is no way to decide by %v", req.Fair.Strategies)})
	}
	req.Protection.check("request", &ps)

	d.contested = make([]bool, len(t.names))
	for _, name := range req.Contested {
		if r := t.index(name); r != none {
			d.contested[r] = true
			continue
		}
		ps = append(ps, outrank.Problem{Object: "request", Field: "Contested", Text: fmt.Sprintf("no queue has a quota of %s", name)})
	}
	if len(ps) > 0 {
		return nil, &outrank.InputError{Problems: ps}
	}

	// The request is valid: every workload has a queue, and no sum overflows.
	for i := range d.admitted {
		d.add(d.admitted[i].at, d.admitted[i].uses, 1)
	}
	queue := d.incoming.at
	d.policy = &t.nodes[queue].policy
	if req.Contested == nil { // resources with too little quota left are contested (rule 24.3.1)
		for r, v := range d.incoming.uses {
			d.contested[r] = v > max(0, d.available(queue, r))
		}
	}
	return d, nil
}

// readWorkloads converts the workloads of the request. Sums saturate, so one that reaches the largest int64 counts as
// an overflow.
func (d *decision) readWorkloads(ps *[]outrank.Problem) {
	req := d.req
	d.incoming = d.hold(&req.Incoming, req.Now, ps)
	for r, v := range d.incoming.uses {
		d.incoming.asked[r] = v > 0 // naming a resource with 0 asks for nothing (rule 24.3.8)
	}

	sums := slices.Clone(d.incoming.uses)
	for i := range req.Admitted {
		h := d.hold(&req.Admitted[i], req.Now, ps)
		d.admitted = append(d.admitted, h)
		for r, v := range h.uses {
			sums[r] = resource.AddSat(sums[r], v)
		}
	}
	for r, sum := range sums {
		if sum == math.MaxInt64 {
			*ps = append(*ps, outrank.Problem{Object: "request", Field: "Admitted", Text: fmt.Sprintf("there is more %s than can be counted", d.names[r])})
		}
	}
}
