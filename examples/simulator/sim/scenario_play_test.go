package sim_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// scene is a scenario being played.
type scene struct {
	run    *sim.Simulation
	events []sim.Event
}

// outcome is the result of a scenario.
type outcome struct {
	log string
	// failures are the expectations that were not met, for people.
	failures []string
}

// play plays the story, carrying plans out in the given order. The error is that
// of the simulation, or of a change in the story.
func (sc *scenario) play(order execution.Order) (*outcome, error) {
	at, out := &scene{}, &outcome{}
	config := sc.config
	config.Order = order
	config.Observe = func(e sim.Event) { at.events = append(at.events, e) }
	var err error
	if at.run, err = sim.New(&sc.cluster, nil, config); err != nil {
		return nil, fmt.Errorf("%s: %w", sc.file, err)
	}
	sc.scene = at
	for i, step := range sc.steps {
		if step.expect == nil {
			err = at.run.At(step.at, step.do)
		}
		// The next step may come at the same time, and before the scheduler
		// looks at anything.
		if err == nil && (i+1 == len(sc.steps) || step.expect != nil || sc.steps[i+1].at > step.at || sc.steps[i+1].expect != nil) {
			err = at.run.Until(context.Background(), step.at)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.place, err)
		}
		if step.expect != nil {
			out.check(at, step)
		}
	}
	out.log = at.log()
	return out, nil
}

// check checks an expectation.
func (o *outcome) check(at *scene, step scenarioStep) {
	found := step.expect.found(at)
	if found == "" {
		return
	}
	o.failures = append(o.failures, fmt.Sprintf("%s: at %v\nexpected  %s\nbecause   %s\nfound     %s\nso far\n%s",
		step.place, step.at, step.expect.what, step.expect.because, found, at.log()))
}

// log has all events so far, a line for each.
func (at *scene) log() string {
	var b strings.Builder
	log := report.NewLog(&b)
	for _, e := range at.events {
		log.Add(report.Event{Time: e.Time, Kind: string(e.Kind), Pod: nameOf(e.Pod), Node: e.Node, Details: e.Text})
	}
	_ = log.Close() // a builder takes all
	return b.String()
}

// nameOf is a pod's name, empty for none.
func nameOf(p *outrank.Pod) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// whereabouts describes the place of a pod, in the words of an expectation.
func (at *scene) whereabouts(name string) string {
	w := at.run.Where(podKey(name))
	text := name + " " + w.Phase.String()
	for _, part := range []struct{ word, value string }{{"on", w.Node}, {"in", w.Pool}, {"nominated to", w.Nominated}} {
		if part.value != "" {
			text += " " + part.word + " " + part.value
		}
	}
	if w.Phase == sim.Terminating {
		text += " until " + shortly(w.Until)
	}
	return text
}

func shortly(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }

// queue lists the pods that wait in a pool, or in all, by name.
func (at *scene) queue(pool string) []string {
	pending := at.run.Pending()
	var names []string
	for i, entries := range [][]queue.Entry{pending.Active, pending.Backoff, pending.Unschedulable, pending.Gated} {
		for _, e := range entries {
			if pool == "" || pool == pools[i] {
				names = append(names, e.Pod.Name)
			}
		}
	}
	return names
}

func (at *scene) history() *history.Summary { return &at.run.Result().History }
