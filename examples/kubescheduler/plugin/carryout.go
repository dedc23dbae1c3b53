package plugin

import (
	"context"
	"time"

	"k8s.io/klog/v2"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
)

// fly carries a plan out in the background. The preemptor is under way until then. A plan
// that comes while an earlier one of the same preemptor is in its last breath waits for it.
func (p *Plugin) fly(f *flight, by execution.PreemptorType, run func(context.Context) (*execution.Report, error)) {
	p.background.Go(func() {
		defer close(f.done)
		defer p.under.land(f)
		if f.before != nil {
			select {
			case <-f.before:
			case <-p.ctx.Done():
				return
			}
		}
		log, begun := klog.FromContext(p.ctx), time.Now()
		report, err := p.timed(p.ctx, by, run)
		p.options.Metrics.AddGoroutine(time.Since(begun), err != nil)
		if err != nil {
			log.Error(err, "A preemption was not carried out to its end", "report", report.String())
			return
		}
		log.V(2).Info("A preemption was carried out", "report", report.String())
	})
}

// timed carries a plan out and counts how long that took.
func (p *Plugin) timed(ctx context.Context, by execution.PreemptorType, run func(context.Context) (*execution.Report, error)) (*execution.Report, error) {
	begun := time.Now()
	report, err := run(ctx)
	step := execution.PreemptionStep{By: by, Result: preemption.Success}
	if err != nil {
		step.Result = preemption.Contradiction // the code that the reference calls Error
	}
	p.options.Metrics.Counts.AddExecutionDuration(step, time.Since(begun))
	return report, err
}
