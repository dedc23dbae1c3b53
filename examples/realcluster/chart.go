package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
	"github.com/outrank-go/outrank/examples/realcluster/internal/chart"
	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
	"github.com/outrank-go/outrank/examples/realcluster/internal/trial"
)

const (
	// deployModule has the chart and pins helm.
	deployModule = "../kubescheduler/deploy"
	// helmProgram is built only once. Its name has the version of that module.
	helmProgram = "helm-v3.22.0"
	helmPackage = "helm.sh/helm/v3/cmd/helm"
	// inImage is the scheduler as it is in the image: a static program.
	inImage = "kube-scheduler-outrank.static"
)

// chartPrograms returns the programs that the chart needs in addition to those of the trials.
func chartPrograms() []controlplane.Program {
	return []controlplane.Program{{Name: inImage, Package: schedulerPackage, Static: true}}
}

// errLost ends a run in which something was lost during a change of the release.
var errLost = fmt.Errorf("%w while the release changed", errWrong)

// onChart installs the chart in addition to the cluster's own scheduler and runs the trials with pods that ask
// for it. Then it upgrades the release during a burst of pods, and rolls it back during another.
func (j *job) onChart(ctx context.Context) error {
	begun := time.Now()
	c, err := controlplane.New(ctx, controlplane.Options{
		Program: j.program, Scheduler: programOf(stock), Dir: j.dir, Say: j.say, AuditPolicy: audit.Policy(chart.User, fill.TrialNamespace),
	})
	defer c.End()
	if err != nil {
		return err
	}

	w, err := newWorld(ctx, c, j.versions, habits{podsEndAfter: time.Second, trouble: func(err error) { j.say("%v", err) }}, j.say)
	if err != nil {
		return err
	}
	defer w.end()
	if err := w.fill(ctx); err != nil {
		return err
	}

	r := j.newRelease(c, w)
	following, stop := context.WithCancel(ctx)
	var followed sync.WaitGroup
	followed.Go(func() { r.pods.Follow(following) })
	defer followed.Wait()
	defer stop()

	err = r.run(ctx, begun)
	if j.keep && ctx.Err() == nil {
		stay(ctx, c, j.program, j.out)
	}
	return err
}

// newRelease returns the run of a release in a cluster. Its tables name the scheduler differently from the
// options.
func (j *job) newRelease(c *controlplane.Cluster, w *world) *releaseRun {
	named, own := *j, *j.options
	own.scheduler = "outrank by its chart, beside " + stock
	named.options = &own

	r := &releaseRun{job: &named, world: w, helm: &chart.Helm{
		Program: j.program(helmProgram), Chart: filepath.Join(deployModule, "chart"), Kubeconfig: c.Kubeconfig, Home: filepath.Join(j.dir, "helm"),
	}}
	r.pods = &chart.Pods{Cluster: c, Client: w.client, All: w.pods.All, Program: j.program(inImage), Dir: filepath.Join(j.dir, "pods"), Say: j.say}
	return r
}

// releaseRun is the run of a release, from its installation until kustomize replaces it.
type releaseRun struct {
	*job
	world *world
	helm  *chart.Helm
	pods  *chart.Pods
	// lost lists what was lost.
	lost []string
}

// run installs the release, tries it, changes it and replaces it, and writes what happened.
func (r *releaseRun) run(ctx context.Context, begun time.Time) error {
	if err := r.install(ctx); err != nil {
		return err
	}

	table, err := r.tried(ctx)
	if err != nil {
		return err
	}
	r.head(begun)
	if err := table.Write(r.out); err != nil {
		return err
	}

	// The refused calls are counted before the release is uninstalled, because it then loses its rights before
	// its pods end.
	if err := r.changes(ctx); err != nil {
		return err
	}
	forbidden, err := r.pods.Forbidden()
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, "\nCalls that the role does not allow: %d. Processes that ended by themselves: %d.\n", len(forbidden), r.pods.Restarts())
	r.lost = append(r.lost, forbidden...)
	if err := r.kustomized(ctx); err != nil {
		return err
	}

	switch {
	case len(r.lost) > 0:
		return fmt.Errorf("%w: %s; logs are in %s", errLost, strings.Join(r.lost, "; "), r.dir)
	case table.Total().Different > 0:
		return fmt.Errorf("%w: %d trials; dumps and pods are in %s", errDifferent, table.Total().Different, filepath.Join(r.dir, "different"))
	}
	return nil
}

// first and second are the helm values of the two revisions.
var (
	first  = []string{"image.tag=first"}
	second = []string{"image.tag=second", "args.planEvents=true", "clientConnection.qps=100"}
)

// install installs the release and waits until one of its pods leads. The release must not have more rights
// than the cluster's own scheduler.
func (r *releaseRun) install(ctx context.Context) error {
	if err := chart.AllowMetrics(ctx, r.world.client); err != nil {
		return err
	}

	r.say("installing the chart")
	if err := r.helm.Upgrade(ctx, first...); err != nil {
		return err
	}
	leader, err := r.pods.AwaitLeader(ctx, "")
	if err != nil {
		forbidden, _ := r.pods.Forbidden()
		return fmt.Errorf("%w; %d calls were refused, such as %q; logs are in %s", err, len(forbidden), forbidden[:min(1, len(forbidden))], r.dir)
	}
	r.say("pod %s leads", leader)

	beyond, err := chart.Beyond(ctx, r.world.client)
	for _, right := range beyond {
		r.lost = append(r.lost, "the release may "+right+", and the cluster's scheduler may not")
	}
	return err
}

// tried runs the trials with the release's scheduler. No trial deletes the release's pods. The metrics come
// from the pod that leads.
func (r *releaseRun) tried(ctx context.Context) (*trial.Table, error) {
	runner, err := r.world.runner(r.program, r.dir)
	if err != nil {
		return nil, err
	}
	if err := r.world.cluster.WriteProfiles(runner.Configuration, chart.Release); err != nil {
		return nil, err
	}

	runner.Keep = chart.Namespace
	runner.Metrics = func(ctx context.Context) (map[string]float64, error) {
		_, m, err := r.pods.Leader(ctx)
		return m, err
	}

	o := *r.options
	o.kinds = nil
	for _, kind := range r.kinds {
		o.kinds = append(o.kinds, kind.For(chart.Release))
	}
	return try(ctx, &o, runner, r.world.cluster, r.say)
}

// ownNodes is the number of nodes that only the pods of bursts use.
const ownNodes = 20

// changes upgrades the release and rolls it back, each during a burst of pods, and waits until all workloads
// are complete again.
func (r *releaseRun) changes(ctx context.Context) error {
	b := &chart.Bursts{
		Client: r.world.client, Pods: r.pods, All: r.world.pods.All, Seed: r.seed,
		Judge: audit.NewJudge(r.world.cluster.AuditLog(), chart.User, fill.TrialNamespace),
	}

	var own []string
	for i := range ownNodes {
		own = append(own, fmt.Sprintf("std-%02d", i))
	}
	if err := chart.TakeNodes(ctx, r.world.client, own...); err != nil {
		return err
	}

	fmt.Fprintf(r.out, "\n| burst | pods | bound | wait with a reason | seconds | victims | with an event | under way when the leader was told to end | told to go twice | lost |\n"+
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, change := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"upgrade", func(ctx context.Context) error { return r.helm.Upgrade(ctx, second...) }},
		{"rollback", func(ctx context.Context) error { return r.helm.Rollback(ctx, 1) }},
	} {
		if err := r.changeDuring(ctx, b, change.name, change.do); err != nil {
			return fmt.Errorf("%s: %w", change.name, err)
		}
	}
	return r.complete(ctx)
}

// changeDuring changes the release during a burst, and writes the row of the burst.
func (r *releaseRun) changeDuring(ctx context.Context, b *chart.Bursts, name string, do func(context.Context) error) error {
	r.say("a burst begins, and the %s", name)
	one, err := b.Run(ctx, name, do)
	if err != nil {
		return err
	}

	r.say("%s: pod %s leads after %s", name, one.To, one.From)
	fmt.Fprintf(r.out, "| %s | %d | %d | %d | %.1f | %d | %d | %d | %d | %d |\n", name, one.Created, one.Account.Bound, one.Pending, one.Seconds,
		one.Report.Victims, one.Account.Victims, one.UnderWay, len(one.Twice), len(one.Lost))
	for _, what := range one.Lost {
		r.lost = append(r.lost, name+": "+what)
	}
	return nil
}

// kustomized replaces the release by the kustomize folder. The objects, as the API server stores them, must be
// those of the chart with its defaults, and one of the pods must lead.
func (r *releaseRun) kustomized(ctx context.Context) error {
	r.say("kustomize in place of the chart")

	// The release with the defaults of the chart serves as the model.
	if err := r.helm.Upgrade(ctx, "image.tag="); err != nil {
		return err
	}
	folder := filepath.Join(deployModule, "kustomize", "base")
	kubectl := &chart.Kubectl{Program: r.program("kubectl"), Kubeconfig: r.world.cluster.Kubeconfig}
	want, err := kubectl.Stored(ctx, filepath.Join(folder, "scheduler.yaml"))
	if err != nil {
		return err
	}

	before, err := r.pods.AwaitLeader(ctx, "")
	if err != nil {
		return err
	}
	if err := r.helm.Uninstall(ctx); err != nil {
		return err
	}
	if err := kubectl.Apply(ctx, folder); err != nil {
		return err
	}
	leader, err := r.pods.AwaitLeader(ctx, before)
	if err != nil {
		return fmt.Errorf("kustomize: %w", err)
	}

	got, err := kubectl.Stored(ctx, filepath.Join(folder, "scheduler.yaml"))
	if err != nil {
		return err
	}
	apart := chart.Apart(want, got)
	for _, name := range apart {
		r.lost = append(r.lost, "kustomize: "+name+" is not that of the chart")
	}
	r.say("pod %s leads", leader)
	fmt.Fprintf(r.out, "\nObjects of kustomize in place of the chart: %d, of which %d are others.\n", len(got), len(apart))
	return nil
}

// complete waits until every workload has as many pods as it asks for. Pods that are still missing in the end
// are lost.
func (r *releaseRun) complete(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fillWithin)
	defer cancel()
	for {
		want, err := r.world.replicas(ctx)
		if err != nil {
			return err
		}
		counted, stop := context.WithTimeout(ctx, 10*time.Second)
		err = r.world.pods.Count(counted, want)
		stop()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			r.lost = append(r.lost, err.Error())
			return nil
		}
	}
}
