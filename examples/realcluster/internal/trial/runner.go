package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
)

// Runner runs trials in a cluster, one after the other.
type Runner struct {
	Client kubernetes.Interface
	Pods   *observe.Pods
	// Dump is the command that takes a dump.
	Dump []string
	// Whatif is the kubectl-whatif program.
	Whatif string
	// Configuration is the file with the profiles for kubectl-whatif.
	Configuration string
	// Keep is a namespace whose pods no trial deletes.
	Keep string
	// Hold, called with true, makes the kubelets keep pods that are being deleted as they are.
	Hold func(bool)
	// Idle, called with true, makes the kubelets keep bound pods from starting.
	Idle func(bool)
	// Pause suspends the controllers, and Resume lets them continue.
	Pause, Resume func() error
	// Metrics asks the scheduler for its metrics.
	Metrics func(context.Context) (map[string]float64, error)
	// Dir is the folder for the files of trials. The files of a trial with differences are kept.
	Dir string
	// Say prints a line of progress.
	Say func(format string, args ...any)

	away  []*corev1.Pod      // the pods that the trial has created
	steps map[string]float64 // the duration of each finished step, in seconds
	since time.Time          // the beginning of the current step
}

// Report is the result of a trial.
type Report struct {
	Trial   int      `json:"trial"`
	Kind    string   `json:"kind"`
	Pod     string   `json:"pod"`
	Result  Result   `json:"result"`
	Texts   []string `json:"texts,omitempty"`
	Outcome string   `json:"outcome"`
	Node    string   `json:"node,omitempty"`
	Victims []string `json:"victims,omitempty"`
	Cleared []string `json:"cleared,omitempty"`
	Seconds float64  `json:"seconds"`
	// Steps has the duration of each step, in seconds.
	Steps map[string]float64 `json:"steps"`
	Seen  *Observed          `json:"-"`
}

const (
	// restFor is how long the cluster has to be at rest before a trial.
	restFor = 1500 * time.Millisecond
	// restWithin, decideIn, writtenIn and arriveIn are the time limits of the steps.
	restWithin = 90 * time.Second
	decideIn   = 20 * time.Second
	writtenIn  = 8 * time.Second
	arriveIn   = 20 * time.Second
	// settleAfter is how long nothing may change before a step counts as finished.
	settleAfter = 500 * time.Millisecond
)

// Run runs one trial, and reverts its changes as far as possible: pods that had to leave come back wherever
// there is room. A trial that could not be finished counts as disturbed. The error is the context's, or that of
// writing the report.
func (r *Runner) Run(ctx context.Context, n int, kind *Kind, source *rand.Rand) (*Report, error) {
	begun := time.Now()
	pod := kind.Pod(source, fmt.Sprintf("%s-%d", kind.Name, n))
	report := &Report{Trial: n, Kind: kind.Name, Pod: key(pod), Seen: &Observed{}}
	r.steps, r.since = map[string]float64{}, begun

	err := r.judge(ctx, report, pod, kind, source)
	if again := r.takeBack(ctx); err == nil {
		err = again
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	// On a busy machine a server may not answer in time.
	if err != nil {
		report.Result, report.Texts = Disturbed, []string{err.Error()}
	}
	report.Seconds, report.Steps = time.Since(begun).Seconds(), r.steps
	return report, r.file(report)
}

// step records that a step has ended.
func (r *Runner) step(name string) {
	now := time.Now()
	r.steps[name] += now.Sub(r.since).Seconds()
	r.since = now
}

// judge brings the cluster into the state that the kind asks for, tries the pod, and compares.
func (r *Runner) judge(ctx context.Context, report *Report, pod *corev1.Pod, kind *Kind, source *rand.Rand) error {
	if err := r.rest(ctx, observe.Stillness{For: restFor}); err != nil {
		return err
	}
	r.step("rest")
	if err := r.circumstances(ctx, report.Trial, kind, source); err != nil {
		return err
	}
	r.step("circumstances")

	forecast, seen, err := r.try(ctx, pod, kind)
	if err != nil {
		return err
	}
	report.Seen, report.Outcome, report.Node = seen, seen.Outcome(), seen.Nominated+seen.Bound
	report.Victims, report.Cleared = slices.Sorted(maps.Keys(seen.Evicted)), seen.Cleared
	if len(seen.Before) > 0 {
		report.Result, report.Texts = Disturbed, seen.Before
		return nil
	}
	report.Result, report.Texts, err = Compare(ctx, forecast, seen)
	return err
}

// rest waits until the cluster is at rest.
func (r *Runner) rest(ctx context.Context, s observe.Stillness) error {
	ctx, cancel := context.WithTimeout(ctx, restWithin)
	defer cancel()
	return r.Pods.Wait(ctx, s)
}

// try predicts what happens to the pod, creates it and watches. What it observes includes the growth of the
// scheduler's metrics.
func (r *Runner) try(ctx context.Context, pod *corev1.Pod, kind *Kind) (*Forecast, *Observed, error) {
	r.Pods.Forget()
	forecast, err := r.foretell(ctx, pod, kind)
	if err != nil {
		return nil, nil, err
	}
	r.step("foretell")

	before, err := r.Metrics(ctx)
	if err != nil {
		return nil, nil, err
	}
	created, err := r.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return nil, nil, err
	}
	r.away = append(r.away, created)
	seen, err := r.watch(ctx, created)
	if err != nil {
		return nil, nil, err
	}
	r.step("watch")

	after, err := r.Metrics(ctx)
	if err != nil {
		return nil, nil, err
	}
	seen.Metrics = map[string]float64{}
	for name, value := range after {
		seen.Metrics[name] = value - before[name]
	}

	if seen.Nominated != "" {
		seen.Arrived = r.arrive(ctx, created)
		r.step("arrive")
	}
	return forecast, seen, nil
}

func (r *Runner) dumpFile() string     { return filepath.Join(r.Dir, "dump.json") }
func (r *Runner) manifestFile() string { return filepath.Join(r.Dir, "pod.json") }

// foretell takes a dump and asks about the pod in the form in which the API server would store it.
func (r *Runner) foretell(ctx context.Context, pod *corev1.Pod, kind *Kind) (*Forecast, error) {
	made, err := r.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return nil, err
	}
	made.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	text, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(r.manifestFile(), text, 0o644); err != nil {
		return nil, err
	}
	dump, err := output(ctx, r.Dump[0], r.Dump[1:]...)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(r.dumpFile(), dump, 0o644); err != nil {
		return nil, err
	}
	q := Question{Whatif: r.Whatif, Dump: r.dumpFile(), Manifest: r.manifestFile()}
	if kind.Profiles {
		q.Configuration = r.Configuration
	}
	return Foretell(ctx, q)
}

// watch waits for the first attempt, and for everything that is written because of it.
func (r *Runner) watch(ctx context.Context, pod *corev1.Pod) (*Observed, error) {
	seen := &Observed{UID: pod.UID}
	var first *corev1.Pod
	if !until(ctx, decideIn, func() bool { first = decided(r.Pods.History(pod.UID)); return first != nil }) {
		return nil, fmt.Errorf("the scheduler has not tried %s within %v", key(pod), decideIn)
	}
	seen.Bound, seen.Nominated = first.Spec.NodeName, first.Status.NominatedNodeName
	seen.Condition = observe.Condition(first, corev1.PodScheduled)

	// The writes are complete when all events are there and nothing was added for a while.
	var trouble error
	stable, last := time.Now(), -1
	until(ctx, writtenIn, func() bool {
		if trouble = seen.look(ctx, r.Pods, r.Client); trouble != nil {
			return false
		}
		if n := len(seen.Evicted) + len(seen.Preempted) + len(seen.Failed) + len(seen.Cleared); n != last {
			stable, last = time.Now(), n
		}
		return seen.complete() && time.Since(stable) > settleAfter
	})
	return seen, errors.Join(trouble, ctx.Err())
}

// until asks done repeatedly. It reports whether done returned true before the time was up.
func until(ctx context.Context, within time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(within); ; {
		if done() {
			return true
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// arrive lets the victims end and returns the node that the pod was bound to.
func (r *Runner) arrive(ctx context.Context, pod *corev1.Pod) (node string) {
	r.Hold(false)
	r.Idle(false)
	until(ctx, arriveIn, func() bool {
		for _, v := range r.Pods.History(pod.UID) {
			node = v.Pod.Spec.NodeName
		}
		return node != ""
	})
	return node
}

// takeBack deletes the objects of the trial and lets controllers and kubelets continue.
func (r *Runner) takeBack(ctx context.Context) error {
	now := int64(0)
	for _, p := range r.away {
		r.Client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	}
	r.away = nil
	r.Hold(false)
	r.Idle(false)
	return r.Resume()
}

// file writes a line about the trial. It keeps the dump and the pod of a trial with differences.
func (r *Runner) file(report *Report) error {
	line, err := json.Marshal(report)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(r.Dir, "trials.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	if _, err := log.Write(append(line, '\n')); err != nil {
		return err
	}

	if report.Result != Different {
		return nil
	}
	dir := filepath.Join(r.Dir, "different", strings.ReplaceAll(report.Pod, "/", "_"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range []string{r.dumpFile(), r.manifestFile()} {
		if err := os.Rename(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			return err
		}
	}
	return nil
}
