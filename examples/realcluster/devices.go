package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
	"github.com/outrank-go/outrank/examples/realcluster/internal/devicetrial"
)

// onDevices starts a cluster whose scheduler preempts for devices, runs the trials in it, and ends it.
func (j *job) onDevices(ctx context.Context) error {
	begun := time.Now()
	c, err := controlplane.New(ctx, controlplane.Options{
		Program: j.program, Scheduler: programOf(outrank), Plugin: plugin, DRAPreemption: true, Dir: j.dir, Say: j.say,
	})
	defer c.End()
	if err != nil {
		return err
	}
	w, err := newWorld(ctx, c, j.versions, habits{podsEndAfter: 500 * time.Millisecond, trouble: func(err error) { j.say("%v", err) }}, j.say)
	if err != nil {
		return err
	}
	defer w.end()

	runner := &devicetrial.Runner{
		Client: w.client, Pods: w.pods, Kubectl: []string{j.program("kubectl"), "--kubeconfig", c.Kubeconfig},
		Pause: c.PauseControllers, Resume: c.ResumeControllers, Dir: j.dir, Say: j.say,
	}
	if err := runner.Prepare(ctx); err != nil {
		return errors.Join(err, c.Failure())
	}

	source := rand.New(rand.NewPCG(j.seed, 5690))
	var reports []*devicetrial.Report
	for n := range j.options.trials {
		report, err := runner.Run(ctx, n, source)
		if err != nil {
			return errors.Join(err, c.Failure())
		}
		reports = append(reports, report)
		j.say("%d of %d: %s: victims %v, devices %v, wrong: %v", n+1, j.options.trials, report.Outcome, report.Victims, report.Devices, report.Wrong)
	}

	j.head(begun)
	if err := devicetrial.Write(j.out, reports); err != nil {
		return err
	}
	if wrong := devicetrial.Wrong(reports); len(wrong) > 0 {
		return fmt.Errorf("%w: %s; logs are in %s", errDifferent, strings.Join(wrong, "; "), j.dir)
	}
	return nil
}
