package differential

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// Cell is a cell of the matrix: the processor time that both sides take for one decision, as the median of
// several rounds in which they take turns. A decision is made and not carried out. Both use one goroutine. A time
// of 0 was not measured.
type Cell struct {
	Row            string
	Nodes, Budgets int
	// Sampled says that both look at the reference's default sample of nodes. Without it they look at all nodes.
	Sampled bool
	// Node is the node that both chose; it is empty if no node helps. With a sample it is outrank's choice,
	// because the reference begins at a random node.
	Node string

	// Filters is the reference's time to ask its filters about all nodes, PostFilter its time to look for victims
	// after that. Outrank's times contain both.
	Filters, PostFilter time.Duration
	// New is outrank's time for a shape of pod that was not asked for before.
	New time.Duration
	// Known is outrank's time for the same shape again.
	Known time.Duration
	// Changed is outrank's time for the same shape after a pod of the cluster has changed.
	Changed time.Duration
	// Book is the time of package preemption, which begins each decision by sorting the pods by nodes.
	Book time.Duration
	// ReferenceChange and Change are the times of both sides to follow such a change. Changed contains Change.
	ReferenceChange, Change time.Duration
	// ReferenceBuild is the reference's time to take all objects up. It is spent once.
	ReferenceBuild time.Duration
	// Conversion and Build are outrank's times to convert all objects and to index them. They are spent once.
	Conversion, Build time.Duration
}

// Reference returns the reference's time for a decision.
func (c *Cell) Reference() time.Duration { return c.Filters + c.PostFilter }

// Ratio returns how many times faster outrank is than the reference for a new shape.
func (c *Cell) Ratio() float64 { return float64(c.Reference()) / float64(c.New) }

// Measure measures a cell in that number of rounds. Row, Nodes, Budgets and Sampled say which cell. It is an error
// if the two sides choose different nodes.
func (h *Harness) Measure(cell Cell, rounds int) (*Cell, error) {
	if !slices.Contains(gen.MatrixRows(), cell.Row) {
		return nil, fmt.Errorf("no row %q, there are %s", cell.Row, strings.Join(gen.MatrixRows(), ", "))
	}
	c, err := matrixCase(cell.Row, cell.Nodes, cell.Budgets)
	if err != nil {
		return nil, err
	}
	m := &measurement{stopwatch: stopwatch{}, cell: cell, rounds: rounds}
	if err := m.buildOurs(h, c); err != nil {
		return nil, err
	}
	if err := m.attempt(c); err != nil {
		return nil, fmt.Errorf("row %s, %d nodes, %d budgets: %w", cell.Row, cell.Nodes, cell.Budgets, err)
	}
	return &m.cell, nil
}

// Slower returns the time of package preemption as a multiple of the reference's.
func (c *Cell) Slower() float64 { return float64(c.Book) / float64(c.Reference()) }

// measurement is a cell that is being measured.
type measurement struct {
	stopwatch
	cell   Cell
	rounds int

	cluster *outrank.Cluster
	snap    *engine.Snapshot
	eval    *engine.Evaluator
	// askers are pods of different shapes. The first is the preemptor.
	askers []*outrank.Pod
	// moving are two versions of a pod of the cluster.
	moving [2]*outrank.Pod
	// asked counts the decisions about new shapes.
	asked int
}

// buildOurs converts the cluster and indexes it, and measures both.
func (m *measurement) buildOurs(h *Harness, c *Case) error {
	if err := m.time(&m.cell.Conversion, 1, func(int) (err error) {
		m.cluster, err = h.Convert(c)
		return err
	}); err != nil {
		return err
	}

	cluster := m.cluster
	cluster.Release = h.Release
	m.askers = gen.MatrixAskers(cluster.Pod(c.Preemptor.Namespace, c.Preemptor.Name))
	m.moving = gen.MatrixMoving(cluster)
	config := preemption.Config{}
	if m.cell.Sampled {
		config.Sample = &preemption.Sample{}
	}
	var err error
	if m.eval, err = engine.New(config); err != nil {
		return err
	}
	return m.time(&m.cell.Build, 1, func(int) (err error) {
		m.snap, err = engine.NewSnapshot(cluster)
		return err
	})
}

// decide makes a decision of outrank and returns the node.
func (m *measurement) decide(asker *outrank.Pod) (string, error) {
	plan, err := m.eval.Preempt(context.Background(), m.snap, preemption.Request{Pod: asker, Now: clustergen.Now()})
	if err != nil {
		return "", err
	}
	if plan.Outcome == preemption.Fits {
		return "", errors.New("the pod fits")
	}
	return plan.Node, nil
}

// byTheBook makes a decision of package preemption, which must choose the engine's node.
func (m *measurement) byTheBook(int) error {
	plan, err := preemption.Preempt(m.cluster, preemption.Request{Pod: m.askers[0], Now: clustergen.Now()}, m.eval.Config())
	if err == nil && plan.Node != m.cell.Node {
		err = fmt.Errorf("preemption.Preempt chose %q, and the engine %q", plan.Node, m.cell.Node)
	}
	return err
}

// ours makes and measures outrank's decisions of a round.
func (m *measurement) ours() error {
	began := CPUTime()
	node, err := m.decide(m.askers[0])
	if err != nil {
		return err
	}
	m.cell.Node = node

	// Package preemption decides on the cluster itself. After the first round a pod has changed in the snapshot.
	if m.asked == 0 {
		if err := m.time(&m.cell.Book, 1, m.byTheBook); err != nil {
			return err
		}
	}

	// The first decision says how many more of them a round has time for.
	calls := int(min(decisions, max(1, shareOfRound/max(1, CPUTime()-began))))
	goruntime.GC()
	if err := m.time(&m.cell.New, calls, func(int) error {
		m.asked++
		_, err := m.decide(m.askers[m.asked%len(m.askers)])
		return err
	}); err != nil {
		return err
	}

	// The shape has to be known before the time is taken.
	known := func(int) error {
		_, err := m.decide(m.askers[0])
		return err
	}
	if err := errors.Join(known(0), m.time(&m.cell.Known, calls, known)); err != nil {
		return err
	}

	change := func(i int) error {
		_, err := m.snap.PutPod(m.moving[i%2])
		return err
	}
	if err := m.time(&m.cell.Changed, calls, func(i int) error { return errors.Join(change(i), known(i)) }); err != nil {
		return err
	}
	return m.time(&m.cell.Change, decisions, change)
}

const (
	// decisions is the number of decisions that outrank makes in a round.
	decisions = 200
	// shareOfRound is the time that these decisions may take. If they would take longer, there are fewer.
	shareOfRound = 300 * time.Millisecond
)

// attempt makes the attempt of the reference in which both sides are measured.
func (m *measurement) attempt(c *Case) error {
	a := &timedAttempt{watch: m.stopwatch, rounds: m.rounds, build: &m.cell.ReferenceBuild, filters: &m.cell.Filters}
	return a.run(c, func(r *reference, decide decider) error {
		for range m.rounds {
			if err := m.round(func() (string, error) {
				chosen, err := decide(!m.cell.Sampled)
				if chosen == nil {
					return "", err
				}
				return chosen.Name(), err
			}); err != nil {
				return err
			}
		}
		return m.follow(r, c)
	})
}

// round makes a round: one decision of the reference, and many of outrank. Without a sample both must choose the
// same node.
func (m *measurement) round(reference func() (node string, err error)) error {
	goruntime.GC()
	node := ""
	if err := m.time(&m.cell.PostFilter, 1, func(int) (err error) {
		node, err = reference()
		return err
	}); err != nil {
		return err
	}

	if err := m.ours(); err != nil {
		return err
	}
	if !m.cell.Sampled && node != m.cell.Node {
		return fmt.Errorf("kube-scheduler chose %q and outrank %q", node, m.cell.Node)
	}
	return nil
}

// follow measures the time in which the reference follows the change of a pod.
func (m *measurement) follow(r *reference, c *Case) error {
	snapshot, ok := r.all.Evaluator.Handler.SnapshotSharedLister().(*schedulercache.Snapshot)
	if !ok {
		return errors.New("the scheduler's snapshot is of another kind")
	}
	last := len(c.Pods) - 1
	states := [2]*corev1.Pod{c.Pods[last].DeepCopy(), c.Pods[last]}
	states[0].Status.StartTime.Time = states[0].Status.StartTime.Add(time.Second)
	return m.time(&m.cell.ReferenceChange, decisions, func(i int) error {
		if err := r.sched.Cache.UpdatePod(klog.Background(), states[1-i%2], states[i%2]); err != nil {
			return err
		}
		return r.sched.Cache.UpdateSnapshot(klog.Background(), snapshot)
	})
}
