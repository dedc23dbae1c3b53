package plugin

import (
	"context"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	schedulermetrics "github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// fly carries a plan out in the background. The preemptor is under way until the plan is carried out. If an
// earlier plan of the same preemptor is about to end, the new one waits for it. By names the preemptor in the
// metrics: a pod, a group or a tree of groups.
func (p *Plugin) fly(f *flight, preemptor *v1.Pod, by string, run func(context.Context) (*execution.Report, error)) {
	f.unbound = p.anyUnbound(f.victims)
	ctx, devices := p.process.ctx, p.process.devices
	told := 0
	p.process.flying.Add(1)
	p.process.background.Go(func() {
		defer p.process.flying.Add(-1)
		defer close(f.done)

		// In two cases no event may be left that lets the preemptor in again, so that it is activated by hand. The
		// scheduler does not ask PreEnqueue again when a victim ends that was not bound. And the event that freed
		// the devices may have found the preemptor kept out; the plugin for claims registers no event of pods that
		// would come later.
		defer func() {
			p.process.under.land(f)
			if (f.unbound || told > 0 && devices.has(preemptor.UID)) && ctx.Err() == nil {
				p.activate(preemptor)
			}
		}()

		if f.before != nil {
			select {
			case <-f.before:
			case <-ctx.Done():
				return
			}
		}

		log, begun := klog.FromContext(ctx), time.Now()
		report, err := p.timed(ctx, by, run)
		told = toldToGo(report)
		p.options.Metrics.AddGoroutine(time.Since(begun), err != nil)
		if err != nil {
			log.Error(err, "A preemption was not carried out to its end", "report", report.String())
			devices.drop(preemptor.UID)
			return
		}
		log.V(2).Info("A preemption was carried out", "report", report.String())
	})
}

// Busy reports whether a plan of any profile of the scheduler is being carried out. PreEnqueue does not say that: it
// lets a preemptor in once all victims are leaving, for whatever reason, and its plan may have more of them to tell.
func (p *Plugin) Busy() bool { return p.process.flying.Load() > 0 }

// timed calls run, which carries a plan out, and counts the time that it takes.
func (p *Plugin) timed(ctx context.Context, by string, run func(context.Context) (*execution.Report, error)) (*execution.Report, error) {
	begun := time.Now()
	report, err := run(asProfile(ctx, p.handle.ProfileName()))
	step := schedulermetrics.PreemptionStep{By: by, Result: preemption.Success}
	if err != nil {
		step.Result = preemption.Contradiction // the code that the reference calls Error
	}
	p.options.Metrics.Counts.AddExecutionDuration(step, time.Since(begun))
	return report, err
}

// anyUnbound reports whether one of the pods is on its node in the scheduler's memory alone, and not in the API.
func (p *Plugin) anyUnbound(pods []*outrank.Pod) bool {
	return slices.ContainsFunc(pods, func(pod *outrank.Pod) bool {
		now, err := p.pods.Pods(pod.NamespaceName()).Get(pod.Name)
		return err == nil && now.Spec.NodeName == ""
	})
}

// activate lets the pod be tried again at once, with its group.
func (p *Plugin) activate(pod *v1.Pod) {
	p.handle.Activate(klog.FromContext(p.process.ctx), map[string]*v1.Pod{pod.Name: pod})
}
