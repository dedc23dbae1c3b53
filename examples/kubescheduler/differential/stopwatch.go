package differential

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	kubepreemption "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// stopwatch has a time per round for each figure that is measured.
type stopwatch map[*time.Duration][]time.Duration

// time makes the calls and notes their average processor time as the figure's time in this round. The figure
// becomes the median of its rounds.
func (s stopwatch) time(figure *time.Duration, calls int, call func(i int) error) error {
	began := CPUTime()
	for i := range calls {
		if err := call(i); err != nil {
			return err
		}
	}

	s.note(figure, (CPUTime()-began)/time.Duration(calls))
	return nil
}

// note notes a figure's time in this round.
func (s stopwatch) note(figure *time.Duration, taken time.Duration) {
	s[figure] = append(s[figure], taken)
	rounds := slices.Sorted(slices.Values(s[figure]))
	*figure = rounds[len(rounds)/2]
}

// timedAttempt is an attempt of the reference that is measured, with the figures to note its times as.
type timedAttempt struct {
	watch  stopwatch
	rounds int
	// build is the time to take all objects up, and filters the time to ask the filters about all nodes.
	build, filters *time.Duration
}

// decider makes a decision of the reference with a look at all nodes or at its sample of them.
type decider func(all bool) (kubepreemption.Candidate, error)

// run lets the reference try the preemptor, and calls instead in place of its preemption. The two sides take turns
// there: if other programs slow the machine down, they slow both sides down.
func (a *timedAttempt) run(c *Case, instead func(r *reference, decide decider) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var r *reference
	if err := a.watch.time(a.build, 1, func(int) (err error) {
		r, err = newReference(ctx, c, Instead{})
		return err
	}); err != nil {
		return err
	}

	ran := false
	r.instead = func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, answers fwk.NodeToStatusReader) error {
		ran = true
		return instead(r, func(all bool) (kubepreemption.Candidate, error) {
			return r.decide(ctx, state, pod, answers, all)
		})
	}
	a.timeFilters(r)
	r.sched.ScheduleOne(ctx)
	if !ran {
		return errors.New("preemption was not asked")
	}
	return r.failed
}

// timeFilters lets the reference measure its filters. Each time they begin with a new state, and the last run, which is
// not measured, leaves its state to the attempt.
func (a *timedAttempt) timeFilters(r *reference) {
	schedule := r.sched.SchedulePod
	r.sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		for range a.rounds {
			goruntime.GC()
			if err := a.watch.time(a.filters, 1, func(int) error {
				_, err := schedule(ctx, f, framework.NewCycleState(), pod)
				if err == nil {
					return errFits
				}
				return nil
			}); err != nil {
				return scheduler.ScheduleResult{}, err
			}
		}
		return schedule(ctx, f, state, pod)
	}
}

// decide makes the decision that PostFilter makes, and carries nothing out. The candidate is nil if nothing helps.
// With all it tries every node and not a sample.
func (r *reference) decide(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader, all bool) (kubepreemption.Candidate, error) {
	if ok, why := r.all.PodEligibleToPreemptOthers(ctx, pod, m.Get(pod.Status.NominatedNodeName)); !ok {
		return nil, errors.New(why)
	}
	potential, err := m.NodesForStatusCode(r.all.Evaluator.Handler.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil || len(potential) == 0 {
		return nil, err
	}

	pdbs, err := r.all.Evaluator.PdbLister.List(everything)
	if err != nil {
		return nil, err
	}
	offset, enough := r.all.GetOffsetAndNumCandidates(int32(len(potential)))
	if all {
		offset, enough = 0, int32(len(potential))
	}
	candidates, _, err := r.all.Evaluator.DryRunPreemption(ctx, state, pod, potential, pdbs, offset, enough)
	if err != nil || len(candidates) == 0 {
		return nil, err
	}
	return r.all.Evaluator.SelectCandidate(ctx, candidates), nil
}

// CPUTime returns the processor time that this process has used. It does not depend on what other processes do at
// the same time.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
