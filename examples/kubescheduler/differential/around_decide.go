package differential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/thirdparty"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// surrounded decides a case as a scheduler does that has more than its own plugins.
type surrounded struct {
	*Case
	snap *engine.Snapshot
	// config is the configuration of the profile.
	config preemption.Config
	// ways are the names of the profile's ways out, in their order.
	ways    []string
	request preemption.Request
	release outrank.Release
	// d is the decision as far as it is made.
	d *decided
}

// decideAround decides a case with what the scheduler has beside its own plugins.
func (h *Harness) decideAround(c *Case, snap *engine.Snapshot, pod *outrank.Pod) (*decided, error) {
	text, err := c.file("")
	if err != nil {
		return nil, err
	}
	read, err := schedulerconfig.Read(h.Release, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	profile, ok := read.Profile(pod.Scheduler())
	if !ok {
		return nil, fmt.Errorf("no profile for %s", pod.Scheduler())
	}

	// The contrary plugin is a filter alone, and no way out.
	s := &surrounded{
		Case: c, snap: snap, config: profile.Config, release: h.Release,
		ways:    slices.DeleteFunc(slices.Clone(profile.WaysOut), func(name string) bool { return name == thirdparty.ContraryName }),
		request: preemption.Request{Pod: pod, Now: time.Now()}, d: &decided{pod: pod, queued: true, release: h.Release, importance: map[outrank.Key]string{}},
	}
	if c.Around.Contrary != nil {
		s.config.Filters = []*preemption.Filter{c.Around.Contrary.Filter()}
	}
	for _, p := range c.Pods {
		s.d.importance[outrank.Key(podKey(p))] = importance(p)
	}

	if asked, err := s.filter(); err != nil || !asked {
		return s.d, err
	}
	return s.d, s.findWayOut()
}

// explain fills in the plan that outrank finds without extenders, with preemption switched on.
func (s *surrounded) explain() (err error) {
	plain := s.config
	plain.Profile.Off = s.off(false)
	eval, err := engine.New(plain)
	if err != nil {
		return err
	}
	s.d.Plan, err = eval.Explain(context.Background(), s.snap, s.request)
	return err
}

// filter asks all filters and then the extenders. It reports whether the ways out are asked, which is so if no
// node takes the pod.
func (s *surrounded) filter() (bool, error) {
	if err := s.explain(); err != nil {
		return false, err
	}
	if s.d.Outcome != preemption.Fits {
		return true, nil
	}

	// The extenders are asked about the nodes that pass all filters.
	statuses, left := map[string]preemption.Status{}, []string{}
	for i := range s.d.Nodes {
		n := &s.d.Nodes[i]
		if statuses[n.Node] = n.Status; n.Status.Code == preemption.Success {
			left = append(left, n.Node)
		}
	}

	for _, x := range thirdparty.InOrder(s.Around.Extenders) {
		if len(left) == 0 || !x.Filters || !x.Interested(s.Preemptor) {
			continue
		}

		// The error of an extender that may be ignored changes nothing; any other error ends the attempt.
		still, no, never, err := x.Turn(left)
		switch {
		case err != nil && x.Ignorable:
			continue
		case err != nil:
			s.d.failure.Err = err
			return false, nil
		}

		for _, node := range left {
			if !slices.Contains(still, node) {
				statuses[node] = turnedAway(no[node], never[node])
			}
		}
		left = still
	}
	if len(left) > 0 {
		return false, nil
	}

	// The extenders have turned all nodes down. Preemption goes by their statuses.
	s.request.Statuses = func(_ int, node *outrank.Node) (status preemption.Status, asked bool) {
		status, asked = statuses[node.Name]
		return status, asked
	}
	return true, s.explain()
}

// extenderName is the name under which the reference counts extenders among the filters that turned a pod down.
// The status of a node does not have it.
const extenderName = "Extender"

// turnedAway returns the status of a node that an extender has turned down, or left out.
func turnedAway(no, never string) preemption.Status {
	switch {
	case never != "":
		return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: extenderName, Reasons: []string{never}}
	case no != "":
		return preemption.Status{Code: preemption.Unschedulable, Filter: extenderName, Reasons: []string{no}}
	}
	return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: extenderName}
}

// off returns the plugins that the profile has off. Disabled says whether DefaultPreemption is one of them.
func (s *surrounded) off(disabled bool) []string {
	off := slices.DeleteFunc(slices.Clone(s.config.Profile.Off), func(name string) bool { return name == preemption.DefaultPreemption })
	if disabled {
		off = append(off, preemption.DefaultPreemption)
	}
	return off
}

// evaluator returns an evaluator that asks the extenders. Disabled switches preemption off.
func (s *surrounded) evaluator(disabled bool) (*engine.Evaluator, error) {
	full := s.config
	full.Profile.Off = s.off(disabled)
	for _, x := range thirdparty.InOrder(s.Around.Extenders) {
		if x.Preempts {
			full.Extenders = append(full.Extenders, x.Preemption(s.thirdParty()))
		}
	}
	return engine.New(full)
}

// findWayOut asks the ways out, and records the plan and the result of the attempt.
func (s *surrounded) findWayOut() error {
	preempts, err := s.evaluator(false)
	if err != nil {
		return err
	}

	// The attempt reports the plan of a profile without preemption, unless a way out finds another one.
	off, err := s.evaluator(true)
	if err != nil {
		return err
	}
	told, err := off.Preempt(context.Background(), s.snap, s.request)
	if err != nil {
		return err
	}
	s.d.told = told

	// The candidates that extenders leave are ranked anew. If an extender fails there is no plan.
	if s.d.ranked, err = preempts.Explain(context.Background(), s.snap, s.request); err != nil {
		s.d.ranked = nil
	}

	// Outrank asks the usual ways out by itself.
	switch usual := []string{"DynamicResources", preemptorName}; {
	case slices.Equal(s.ways, usual):
		s.d.told, s.d.failure.Err = preempts.Preempt(context.Background(), s.snap, s.request)
	case slices.Equal(s.ways, usual[:1]):
	case len(s.ways) == 0:
		s.d.failure.Ways = []execution.WayOut{}
	default:
		return s.askWays(preempts, told)
	}
	s.d.extenderFails = s.d.failure.Err != nil
	return nil
}

// askWays asks ways out that are not the usual ones.
func (s *surrounded) askWays(preempts *engine.Evaluator, told *preemption.Plan) error {
	var ways []execution.WayOut
	for _, name := range s.ways {
		switch name {
		case preemptorName:
			ways = append(ways, execution.WayOut{Name: name, Ask: preempts.Preempt})
		case thirdparty.OtherName:
			ways = append(ways, s.Around.Other.WayOut(told))
		default:
			ways = append(ways, s.devices(name, told))
		}
	}
	plan, asked, err := execution.FirstWayOut(context.Background(), s.snap, s.request, ways...)
	if asked == nil {
		return err
	}
	f := &s.d.failure
	if f.Err, f.Ways = err, asked; plan != nil {
		s.d.told = plan
	}
	s.d.extenderFails = err != nil && asked[len(asked)-1].Name == preemptorName
	return nil
}

// devices returns the step for devices. It fails for a pod that was refused before any node
// was asked (rule 15.3.9).
func (s *surrounded) devices(name string, told *preemption.Plan) execution.WayOut {
	way := execution.WayOut{Name: name, Ask: func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
		return nil, nil
	}}
	switch {
	case told.Refused.Code != preemption.Success:
		way.Says = "not found"
		way.Ask = func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
			return told, errors.New("not found")
		}
	case s.release.OrDefault() == outrank.V1_36:
		way.Says = "no new claims to deallocate"
	}
	return way
}
