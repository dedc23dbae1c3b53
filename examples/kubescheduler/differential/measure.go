package differential

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/clustergen"
)

// Measurement is the processor time of both for the same decision on a benchmark
// cluster: kube-scheduler by the median, outrank on average. It is a decision without
// carrying it out: whether the pod may preempt, where that may help, the victims on
// those nodes, and the choice. kube-scheduler has the answers of the filters about the
// nodes as they are before that, outrank finds them itself. Both use one goroutine.
type Measurement struct {
	Nodes, Budgets int
	// All is set where all nodes are tried, else the reference's default sample.
	All bool
	// Reference and Outrank are for one decision, of a pod that outrank has not been asked
	// about before. Conversion is for all objects of the cluster and Snapshot for indexing
	// them, which is done once and then kept current.
	Reference, Outrank, Conversion, Snapshot time.Duration
	// Node is the choice of both; with a sample, outrank's, since the reference starts at
	// random.
	Node string
}

// Ratio is the reference's time relative to outrank's.
func (m *Measurement) Ratio() float64 { return float64(m.Reference) / float64(m.Outrank) }

// Measure measures both on a cluster of 30 pods a node, with the default sample and with
// all nodes.
func (h *Harness) Measure(nodes, budgets, times int) ([]Measurement, error) {
	c, err := BenchmarkCase(nodes, 30, budgets)
	if err != nil {
		return nil, err
	}
	began := cpuTime()
	cluster, err := h.Convert(c)
	if err != nil {
		return nil, err
	}
	converted := cpuTime() - began
	cluster.Release = h.Release
	pod := cluster.Pod(c.Preemptor.Namespace, c.Preemptor.Name)
	began = cpuTime()
	snap, err := preemption.NewSnapshot(cluster)
	if err != nil {
		return nil, err
	}
	indexed := cpuTime() - began
	reference, err := measureReference(c, times)
	if err != nil {
		return nil, err
	}
	var out []Measurement
	for i, all := range []bool{false, true} {
		m := Measurement{Nodes: nodes, Budgets: budgets, All: all, Reference: reference[i].took, Conversion: converted, Snapshot: indexed}
		if m.Outrank, m.Node, err = measureOutrank(snap, pod, all); err != nil {
			return nil, err
		}
		if all && m.Node != reference[i].node {
			return nil, fmt.Errorf("%d nodes, %d budgets: kube-scheduler chose %s and outrank %s", nodes, budgets, reference[i].node, m.Node)
		}
		out = append(out, m)
	}
	return out, nil
}

// measured is the reference's median and last choice.
type measured struct {
	took time.Duration
	node string
}

// measureReference measures within a scheduling attempt, when all nodes have turned the pod
// down: with the default sample, and with all nodes.
func measureReference(c *Case, times int) (out [2]measured, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := newReference(ctx, c, Instead{})
	if err != nil {
		return out, err
	}
	ran := false
	r.instead = func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) error {
		ran = true
		for i, all := range []bool{false, true} {
			var took []time.Duration
			for range times {
				runtime.GC()
				began := cpuTime()
				node, err := r.decide(ctx, state, pod, m, all)
				if err != nil {
					return err
				}
				took = append(took, cpuTime()-began)
				out[i].node = node
			}
			slices.Sort(took)
			out[i].took = took[len(took)/2]
		}
		return nil
	}
	r.sched.ScheduleOne(ctx)
	if !ran {
		return out, errors.New("preemption was not asked")
	}
	return out, r.failed
}

// decide is the part of PostFilter before anything is carried out.
func (r *reference) decide(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader, all bool) (string, error) {
	if ok, why := r.all.PodEligibleToPreemptOthers(ctx, pod, m.Get(pod.Status.NominatedNodeName)); !ok {
		return "", errors.New(why)
	}
	potential, err := m.NodesForStatusCode(r.all.Evaluator.Handler.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil {
		return "", err
	}
	pdbs, err := r.all.Evaluator.PdbLister.List(everything)
	if err != nil {
		return "", err
	}
	offset, enough := r.all.GetOffsetAndNumCandidates(int32(len(potential)))
	if all {
		offset, enough = 0, int32(len(potential))
	}
	candidates, _, err := r.all.Evaluator.DryRunPreemption(ctx, state, pod, potential, pdbs, offset, enough)
	if err != nil {
		return "", err
	}
	best := r.all.Evaluator.SelectCandidate(ctx, candidates)
	if best == nil {
		return "", errors.New("no candidate")
	}
	return best.Name(), nil
}

// measureOutrank measures decisions about pods that were not asked about before:
// each has another priority.
func measureOutrank(snap *preemption.Snapshot, like *outrank.Pod, all bool) (time.Duration, string, error) {
	config := preemption.Config{}
	if !all {
		config.Sample = &preemption.Sample{}
	}
	eval, err := preemption.NewEvaluator(config)
	if err != nil {
		return 0, "", err
	}
	runtime.GC()
	node, began := "", cpuTime()
	for i := range decisions {
		p := *like
		p.Priority = outrank.Priority(like.PriorityValue() + int32(i))
		plan, err := eval.Preempt(context.Background(), snap, &p, clustergen.Now())
		if err != nil || plan.Outcome != preemption.Preempt {
			return 0, "", fmt.Errorf("no plan to preempt (%v)", err)
		}
		if i == 0 {
			node = plan.Node
		}
	}
	return (cpuTime() - began) / decisions, node, nil
}

// decisions is the number of decisions by outrank for one figure.
const decisions = 1000

// cpuTime is the processor time of the process. It does not depend on other
// processes that run at the same time.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// WriteMeasurements writes a table.
func WriteMeasurements(w io.Writer, ms []Measurement) {
	fmt.Fprintln(w, "| nodes | budgets | tried | kube-scheduler | outrank | ratio | conversion, once | snapshot, once |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for i := range ms {
		m := &ms[i]
		tried := "its sample"
		if m.All {
			tried = "all"
		}
		fmt.Fprintf(w, "| %d | %d | %s | %.2f ms | %.1f µs | %.0f | %.0f ms | %.0f ms |\n", m.Nodes, m.Budgets, tried,
			float64(m.Reference)/1e6, float64(m.Outrank)/1e3, m.Ratio(), float64(m.Conversion)/1e6, float64(m.Snapshot)/1e6)
	}
}
