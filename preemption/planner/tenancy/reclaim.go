package tenancy

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Reclaim decides which workloads have to leave so that another can be admitted, by
// quotas alone: it looks at no nodes (groups 24.3 and 24.4). The guard of [Rules.Guard] goes by the same
// rules when victims are chosen on nodes.
//
// The error is an *[outrank.InputError] about queues that do not exist, amounts below 0, resources
// without any quota that are asked for, amounts whose sum is no int64, strategies in an order that
// does not exist, and windows below 0. The request is only read. Time is that of the candidates,
// each with the way up to the top of its tree, and that of sorting them.
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

	// Shares decide in place of what is a queue's own (group 24.4).
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

// begin checks a request, and returns the decision with the admitted workloads counted in their queues.
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

	// From here on every workload has a queue, and no sum overflows.
	for i := range d.admitted {
		d.add(d.admitted[i].at, d.admitted[i].uses, 1)
	}
	queue := d.incoming.at
	d.policy = &t.nodes[queue].policy
	if req.Contested == nil { // rule 24.3.1
		for r, v := range d.incoming.uses {
			d.contested[r] = v > max(0, d.available(queue, r))
		}
	}
	return d, nil
}

// readWorkloads reads the workloads of the request. Amounts saturate, so a sum that does is too large to count.
func (d *decision) readWorkloads(ps *[]outrank.Problem) {
	req := d.req
	d.incoming = d.hold(&req.Incoming, req.Now, ps)
	for r, v := range d.incoming.uses {
		d.incoming.asked[r] = v > 0 // rule 24.3.8
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
