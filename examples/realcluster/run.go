package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
	"github.com/outrank-go/outrank/examples/realcluster/internal/trial"
)

// The packages of the project that are built into programs.
const (
	whatifPackage    = "github.com/outrank-go/outrank/examples/kubectl-whatif"
	schedulerPackage = "github.com/outrank-go/outrank/examples/kubescheduler/cmd/kube-scheduler-outrank"
	// plugin is the name of the plugin in that scheduler.
	plugin = "Outrank"
	// readme has the command that takes a dump.
	readme = "../../README.md"
)

// run builds the programs and runs what the options ask for: trials, the load, the chart or devices.
func run(ctx context.Context, o *options, out, progress io.Writer) (err error) {
	say := func(format string, args ...any) {
		fmt.Fprintf(progress, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
	}
	if o.chart && !controlplane.HasContainers() {
		return fmt.Errorf("-chart: %w", controlplane.ErrContainer)
	}

	noticeLostConnections()
	versions, err := controlplane.ReadVersions(ctx)
	if err != nil {
		return err
	}
	program, err := build(ctx, o, versions, say)
	if err != nil {
		return err
	}

	removed, err := clearRuns(o.dir)
	if err != nil {
		return err
	}
	if len(removed) > 0 {
		say("removed the folders of %d earlier runs: %s", len(removed), strings.Join(removed, ", "))
	}

	dir, lock, err := newRun(o.dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	say("logs and files of this run are in %s", dir)
	defer func() {
		if err == nil {
			err = os.RemoveAll(dir) // after a success the files are not needed
		}
	}()

	j := &job{options: o, versions: versions, program: program, dir: dir, out: out, say: say}
	switch {
	case o.load > 0:
		return j.underLoad(ctx)
	case o.chart:
		return j.onChart(ctx)
	case o.devices:
		return j.onDevices(ctx)
	}
	return j.trials(ctx)
}

// job has what every run needs.
type job struct {
	*options
	versions controlplane.Versions
	program  func(string) string
	dir      string
	out      io.Writer
	say      func(string, ...any)
}

// trials starts a cluster, fills it, runs the trials in it, and ends it.
func (j *job) trials(ctx context.Context) error {
	begun, o, say := time.Now(), j.options, j.say
	c, err := controlplane.New(ctx, controlplane.Options{
		Program: j.program, Scheduler: programOf(o.scheduler), Plugin: pluginOf(o.scheduler), Profiles: trial.Profiles, Dir: j.dir, Say: say,
	})
	defer c.End()
	if err != nil {
		return err
	}

	w, err := newWorld(ctx, c, j.versions, habits{podsEndAfter: 500 * time.Millisecond, trouble: func(err error) { say("%v", err) }}, say)
	if err != nil {
		return err
	}
	defer w.end()
	if err := w.fill(ctx); err != nil {
		return err
	}

	runner, err := w.runner(j.program, j.dir)
	if err != nil {
		return err
	}

	// The table is written even if the trials ended early.
	table, err := try(ctx, o, runner, c, say)
	if table != nil {
		j.head(begun)
		err = errors.Join(err, table.Write(j.out))
	}
	if err == nil && table.Total().Different > 0 {
		err = fmt.Errorf("%w: %d trials; dumps and pods are in %s", errDifferent, table.Total().Different, filepath.Join(j.dir, "different"))
	}

	if o.keep && ctx.Err() == nil {
		stay(ctx, c, j.program, j.out)
	}
	return err
}

// head writes the line above the tables: versions, scheduler, seed, date and duration.
func (j *job) head(begun time.Time) {
	fmt.Fprintf(j.out, "\n%v; scheduler: %s; seed %d; %s, %v\n\n", j.versions, j.scheduler, j.seed,
		begun.UTC().Format(time.DateOnly), time.Since(begun).Round(time.Second))
}

// noticeLostConnections makes the clients of all programs, including this one, notice a silent API server after
// 10 seconds instead of 45.
func noticeLostConnections() {
	os.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "5")
	os.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "5")
}

// build builds the missing programs of Kubernetes, and the programs of the project from their present sources.
// It returns a function that maps the name of a program to its path.
func build(ctx context.Context, o *options, v controlplane.Versions, say func(string, ...any)) (func(string) string, error) {
	b := &controlplane.Builder{Dir: filepath.Join(o.dir, v.Folder()), Versions: v, Say: say}
	once := controlplane.Kubernetes
	if o.chart {
		once = append(once[:len(once):len(once)], controlplane.Program{Name: helmProgram, Package: helmPackage, Module: deployModule})
	}
	if err := b.Once(ctx, once); err != nil {
		return nil, err
	}

	var own []controlplane.Program
	if o.load == 0 && !o.devices {
		own = append(own, controlplane.Program{Name: "whatif", Package: whatifPackage})
	}
	if o.chart {
		own = append(own, chartPrograms()...)
	}
	if o.scheduler != stock {
		own = append(own, controlplane.Program{Name: programOf(outrank), Package: schedulerPackage})
	}
	return b.File, b.Always(ctx, own)
}

// programOf returns the program of a scheduler.
func programOf(scheduler string) string {
	if scheduler == outrank {
		return "kube-scheduler-outrank"
	}
	return "kube-scheduler"
}

// pluginOf returns the plugin that is enabled in a scheduler. It is empty for DefaultPreemption.
func pluginOf(scheduler string) string {
	if scheduler == outrank {
		return plugin
	}
	return ""
}

// repeats is how often a disturbed trial is repeated.
const repeats = 5

// try runs the trials. It repeats a trial that was disturbed.
func try(ctx context.Context, o *options, r *trial.Runner, c *controlplane.Cluster, say func(string, ...any)) (*trial.Table, error) {
	source := rand.New(rand.NewPCG(o.seed, 0))
	table := trial.NewTable(o.kinds)

	n := 0 // counts repetitions too
	for i, kind := range trial.Schedule(o.kinds, o.trials, source) {
		// A disturbed trial is repeated with a new pod of the same kind.
		for again := 0; ; again++ {
			n++
			report, err := r.Run(ctx, n, &kind, source)
			if err != nil {
				return table, errors.Join(err, c.Failure())
			}
			table.Add(kind.Name, report.Result, report.Seen)
			say("%d of %d: %s: %s %s, %d victims: %s (%.1f s)", i+1, o.trials, report.Pod, report.Outcome, report.Node, len(report.Victims), report.Result, report.Seconds)
			for _, text := range report.Texts[:min(5, len(report.Texts))] {
				say("    %s", text)
			}

			if report.Result != trial.Disturbed {
				break
			}
			if err := c.Failure(); err != nil {
				return table, err
			}
			if again == repeats {
				return table, fmt.Errorf("trial %s was disturbed %d times: %s", report.Pod, again+1, strings.Join(report.Texts, "; "))
			}
		}
	}
	return table, nil
}

// stay keeps the cluster up until Ctrl-C.
func stay(ctx context.Context, c *controlplane.Cluster, program func(string) string, out io.Writer) {
	fmt.Fprintf(out, "\nThe cluster is up until Ctrl-C:\n  %s --kubeconfig %s get pods -A\n  %s -cluster DUMP -cpu 4 -class high\n",
		program("kubectl"), c.Kubeconfig, program("whatif"))
	<-ctx.Done()
}
