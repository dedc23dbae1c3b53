package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank/preemption/internal/refusing"
)

// callerFilter is a filter of the caller in an attempt.
type callerFilter struct {
	*Filter
	// state is what Start returned, nil for a filter with a Node.
	state FilterState
}

// beginCallers starts the caller's filters, which come after the built-in ones. One that has nothing to
// say is left out, and one that refuses the pod ends the attempt unless a filter before it has (rule
// 7.15.10).
func (a *attempt) beginCallers() error {
	for _, f := range a.config.Filters {
		own := callerFilter{Filter: f}
		if f.Start != nil {
			state, err := f.Start(a.pod, view{a})
			if err != nil {
				return fmt.Errorf("filter %s: pod %s: %w", f.Name, a.pod.Key(), err)
			}
			if state == nil {
				continue
			}
			own.state = state
			a.refuseBy(f.Name, state)
		}
		a.addCaller(own)
	}
	return nil
}

func (a *attempt) refuseBy(name string, state FilterState) {
	refused, ok := state.(refusing.State[Status])
	if !ok || a.refused.Code != Success {
		return
	}
	a.refused = unresolvableBy(name, refused.Refused().Status.Reasons...)
}

// addCaller has a filter of the caller asked like the built-in ones.
func (a *attempt) addCaller(own callerFilter) {
	at := len(a.callers)
	a.callers = append(a.callers, own)
	f := filter{name: own.Name}
	if own.state == nil {
		f.ask = func(d *dryRun) Status { return asOf(own.Name, own.Node(d.pod, d.site.node)) }
	} else {
		f.ask = func(d *dryRun) Status { return asOf(own.Name, d.stateOf(at).Check(d.site.node)) }
		f.follow = func(d *dryRun, p *occupant, by int) { d.followCaller(at, p, by) }
	}
	a.filters = append(a.filters, f)
}

// asOf is a status of a caller's filter, of which the code and the reasons count.
func asOf(name string, said Status) Status {
	if said.Code == Success {
		return Status{}
	}
	return Status{Code: said.Code, Filter: name, Reasons: said.Reasons}
}

// stateOf is the state of the caller's filter at an index: as it began, until a pod comes or goes.
func (d *dryRun) stateOf(at int) FilterState {
	if d.states != nil && d.states[at] != nil {
		return d.states[at]
	}
	return d.callers[at].state
}

// followCaller tells a filter of the caller of a pod that has a part in what it says. What Start returned
// is only cloned.
func (d *dryRun) followCaller(at int, p *occupant, by int) {
	own := &d.callers[at]
	if own.Concerns != nil && !own.Concerns(p.pod) {
		return
	}
	if d.states == nil {
		d.states = make([]FilterState, len(d.callers))
	}
	if d.states[at] == nil {
		d.states[at] = own.state.Clone()
	}
	if by > 0 {
		d.states[at].Add(p.pod, p.site.node)
	} else {
		d.states[at].Remove(p.pod, p.site.node)
	}
}
