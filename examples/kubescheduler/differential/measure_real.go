package differential

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/figures"
)

// MeasureReal measures a row of the matrix of real clusters with that number of nodes, as the medians of that number of
// rounds. In each the two sides take turns. Both use one goroutine, and outrank always looks at all nodes. It is an error if the two sides choose different nodes or victims, in whatever way outrank is asked.
func (h *Harness) MeasureReal(row string, nodes, rounds int) (*figures.Cell, error) {
	if !slices.Contains(gen.RealRows(), row) {
		return nil, fmt.Errorf("no row %q, there are %s", row, strings.Join(gen.RealRows(), ", "))
	}
	real := gen.Real(row, nodes)
	real.Cluster.Release = h.Release
	c, err := caseOf(real.Cluster, real.Asker(gen.RealKnown, 0))
	if err != nil {
		return nil, err
	}

	m := &realMeasurement{RealCase: real, stopwatch: stopwatch{}, ours: map[string]*time.Duration{}}
	m.cell = figures.Cell{Row: row, Nodes: nodes, Pods: len(real.Cluster.Pods), Ours: map[string]time.Duration{}}
	if m.eval, err = engine.New(preemption.Config{}); err != nil {
		return nil, err
	}
	a := &timedAttempt{watch: m.stopwatch, rounds: rounds, build: &m.cell.ReferenceBuild, filters: &m.cell.Filters}
	err = a.run(c, func(_ *reference, decide decider) error {
		for range rounds {
			if err := errors.Join(m.reference(decide), m.round()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("row %s, %d nodes: %w", row, nodes, err)
	}
	for way, figure := range m.ours {
		m.cell.Ours[way] = *figure
	}
	return &m.cell, nil
}

// realMeasurement is a row that is being measured.
type realMeasurement struct {
	*gen.RealCase
	stopwatch
	cell figures.Cell
	// ours has the figure of each way of asking.
	ours map[string]*time.Duration

	eval *engine.Evaluator
	snap *engine.Snapshot
	// asked counts the times that pods of new shapes have asked.
	asked int
}

// reference makes the reference's decisions of a round, and notes the answer that outrank has to give.
func (m *realMeasurement) reference(decide decider) error {
	goruntime.GC()
	if err := m.time(&m.cell.Sampled, 1, func(int) error {
		_, err := decide(false)
		return err
	}); err != nil {
		return err
	}

	goruntime.GC()
	return m.time(&m.cell.PostFilter, 1, func(int) error {
		chosen, err := decide(true)
		if err != nil || chosen == nil {
			return errors.Join(err, errors.New("kube-scheduler preempts nobody"))
		}
		m.cell.Node, m.cell.Victims = chosen.Name(), nil
		for _, v := range chosen.Victims().Pods {
			m.cell.Victims = append(m.cell.Victims, podKey(v))
		}
		slices.Sort(m.cell.Victims)
		return nil
	})
}

// round measures outrank in each way of asking, and compares every answer.
func (m *realMeasurement) round() error {
	for _, way := range gen.RealWays() {
		if m.ours[way] == nil {
			m.ours[way] = new(time.Duration)
		}
		if err := m.way(way); err != nil {
			return fmt.Errorf("asked in the way %s: %w", way, err)
		}
	}
	return nil
}

// knownAfter is how often a shape is asked for before it counts as known.
const knownAfter = 3

// way measures one way of asking.
func (m *realMeasurement) way(way string) error {
	// The shapes of the other ways fill the memory of a snapshot, so that a known one has another snapshot.
	if way == gen.RealKnown {
		if err := m.build(); err != nil {
			return err
		}
		for range knownAfter {
			if _, err := m.ask(way); err != nil {
				return err
			}
		}
	}
	began := CPUTime()
	figure, err := m.ask(way)
	if err != nil {
		return err
	}

	// The first question ever counts by itself. So does another that takes all the time that a round has; where there is
	// time for more questions, these count in its place.
	calls := 0
	if way != gen.RealFirst {
		calls = int(min(decisions, shareOfRound/max(1, CPUTime()-began)))
	}
	goruntime.GC()
	sum := time.Duration(0)
	for range calls {
		took, err := m.ask(way)
		if err != nil {
			return err
		}
		sum += took
	}
	if calls > 0 {
		figure = sum / time.Duration(calls)
	}
	m.note(m.ours[way], figure)
	return nil
}

// ask makes a decision in a way of asking, compares the answer and returns the time that it took.
func (m *realMeasurement) ask(way string) (time.Duration, error) {
	if err := m.ready(way); err != nil {
		return 0, err
	}
	asker := m.Asker(way, m.asked)
	if way == gen.RealSecond {
		if _, err := m.decide(asker); err != nil {
			return 0, err
		}
	}

	began := CPUTime()
	if way == gen.RealChanged {
		if _, err := m.snap.PutPod(m.Moving[m.asked%2]); err != nil {
			return 0, err
		}
	}
	plan, err := m.decide(asker)
	took := CPUTime() - began
	if err != nil {
		return 0, err
	}

	// In the first of the two states the pod has another start than in the reference.
	if way == gen.RealChanged && m.asked%2 == 0 {
		return took, nil
	}
	return took, m.compare(plan)
}

// ready does what comes before a question and is not measured.
func (m *realMeasurement) ready(way string) error {
	m.asked++
	if way != gen.RealFirst {
		return nil
	}

	// What is left of the snapshot before is no part of what the first question costs.
	goruntime.GC()
	defer goruntime.GC()
	return m.build()
}

// build makes a fresh snapshot.
func (m *realMeasurement) build() error {
	return m.time(&m.cell.Build, 1, func(int) (err error) {
		m.snap, err = engine.NewSnapshot(m.Cluster)
		return err
	})
}

// decide makes a decision of outrank.
func (m *realMeasurement) decide(asker *outrank.Pod) (*preemption.Plan, error) {
	return m.eval.Preempt(context.Background(), m.snap, preemption.Request{Pod: asker, Now: clustergen.Now()})
}

// compare compares a plan with the reference's choice.
func (m *realMeasurement) compare(plan *preemption.Plan) error {
	var victims []string
	for _, v := range plan.Victims {
		victims = append(victims, string(v.Pod.Key()))
	}
	slices.Sort(victims)
	if plan.Node != m.cell.Node || !slices.Equal(victims, m.cell.Victims) {
		return fmt.Errorf("kube-scheduler chose %q on %s and outrank %q on %q", m.cell.Victims, m.cell.Node, victims, plan.Node)
	}
	return nil
}
