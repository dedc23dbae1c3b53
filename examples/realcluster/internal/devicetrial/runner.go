package devicetrial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
	"github.com/outrank-go/outrank/preemption"
)

// Runner runs trials in a cluster, one after the other.
type Runner struct {
	Client kubernetes.Interface
	Pods   *observe.Pods
	// Kubectl is the kubectl program, followed by its first arguments.
	Kubectl []string
	// Pause suspends the controllers, and Resume lets them continue.
	Pause, Resume func() error
	// Dir is the folder for the files of trials.
	Dir string
	Say func(format string, args ...any)
}

// Report is the result of a trial.
type Report struct {
	Number int
	// Today is the outcome predicted by the rules of v1.37, without the proposal.
	Today string
	// Outcome is what happened to the urgent pod.
	Outcome string
	Victims []string
	// Devices are the devices of the urgent pod.
	Devices []string
	// Foretold says that the pod got the predicted devices, and not others that were free.
	Foretold bool
	// Late is how long the controllers were paused after the victims were gone.
	Late time.Duration
	// Tries is how often the pod was tried in vain during that time.
	Tries int
	// Took is the time from the pod's creation until it was bound.
	Took time.Duration
	// Wrong lists what differed from the prediction.
	Wrong []string
}

const (
	// stepWithin is the time limit of each step.
	stepWithin = 90 * time.Second
	// restFor is how long the cluster has to be at rest before a dump is taken.
	restFor = 2 * time.Second
	// lateFor is how long the controllers are paused in a late trial.
	lateFor = 3 * time.Second
)

// Prepare creates the objects to which all trials refer.
func (r *Runner) Prepare(ctx context.Context) error {
	for _, o := range base() {
		if err := create(ctx, r.Client, o); err != nil {
			return err
		}
	}
	return r.until(ctx, "service account", func() bool {
		_, err := r.Client.CoreV1().ServiceAccounts(Namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
}

// Run runs one trial.
func (r *Runner) Run(ctx context.Context, n int, source *rand.Rand) (*Report, error) {
	d, report := draw(source, n), &Report{Number: n}
	err := r.try(ctx, d, report)
	if resumed := r.Resume(); err == nil {
		err = resumed
	}
	if err != nil {
		return report, fmt.Errorf("trial %d: %w", n, err)
	}
	return report, r.clear(ctx, d)
}

// try fills the cluster, predicts what happens to the urgent pod, creates it and compares. The controllers are
// paused from the dump until the decision is carried out, so that nothing else changes.
func (r *Runner) try(ctx context.Context, d *drawn, report *Report) error {
	if err := r.fill(ctx, d); err != nil {
		return err
	}
	if err := r.Pause(); err != nil {
		return err
	}

	f, err := r.foretell(ctx, d.urgent)
	if err != nil {
		return err
	}
	report.Today = string(f.today)

	r.Pods.Forget()
	pods := r.Client.CoreV1().Pods(Namespace)
	created, err := pods.Create(ctx, d.urgent, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := r.until(ctx, "decision", func() bool { return r.decided(created.Name) }); err != nil {
		return err
	}
	if f.outcome == preemption.Preempts {
		if err := r.wait(ctx, d, report); err != nil {
			return err
		}
	}

	if err := r.Resume(); err != nil {
		return err
	}
	if f.outcome != preemption.NothingHelps {
		if err := r.until(ctx, "urgent pod bound", func() bool { return r.pod(ctx, created.Name).Spec.NodeName != "" }); err != nil {
			report.Wrong = append(report.Wrong, fmt.Sprintf("the urgent pod has no node after %v", stepWithin))
		}
	}
	report.Took = time.Since(begun)

	time.Sleep(restFor) // if a victim were evicted twice, it would happen within this time
	return r.compare(ctx, d, f, report)
}

// foretell takes a dump and asks the library about the pod in the form in which the API server would store it.
func (r *Runner) foretell(ctx context.Context, urgent *corev1.Pod) (*forecast, error) {
	made, err := r.Client.CoreV1().Pods(Namespace).Create(ctx, urgent, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return nil, err
	}
	made.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	dump, err := r.dump(ctx)
	if err != nil {
		return nil, err
	}
	return foretell(dump, made)
}

// fill creates nodes, slices, claims and the pods that hold devices. It removes pods that find no devices
// again.
func (r *Runner) fill(ctx context.Context, d *drawn) error {
	for _, n := range d.nodes {
		if err := create(ctx, r.Client, n); err != nil {
			return err
		}
	}
	for _, s := range d.slices {
		if err := create(ctx, r.Client, s); err != nil {
			return err
		}
	}
	for _, c := range d.claims {
		if err := create(ctx, r.Client, c); err != nil {
			return err
		}
	}

	// The pods are created one by one, so that their start times differ.
	for _, p := range d.holders {
		if err := create(ctx, r.Client, p); err != nil {
			return err
		}
	}

	settled := func() bool {
		for _, p := range d.holders {
			if now := r.pod(ctx, p.Name); now.Status.StartTime == nil && !unschedulable(now) {
				return false
			}
		}
		return true
	}
	if err := r.until(ctx, "pods that hold devices", settled); err != nil {
		return err
	}

	for _, p := range d.holders {
		if r.pod(ctx, p.Name).Spec.NodeName == "" {
			if err := r.remove(ctx, p.Name); err != nil {
				return err
			}
		}
	}

	waiting, cancel := context.WithTimeout(ctx, stepWithin)
	defer cancel()
	return r.Pods.Wait(waiting, observe.Stillness{For: restFor})
}

func unschedulable(p *corev1.Pod) bool {
	c := observe.Condition(p, corev1.PodScheduled)
	return c != nil && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
}

// decided reports whether the pod has a node, or a condition that says why it has none.
func (r *Runner) decided(name string) bool {
	now := r.pod(context.Background(), name)
	return now.Spec.NodeName != "" || unschedulable(now)
}

// wait waits until the victims are gone, and then creates a rival. The claims of the victims are freed only
// when the controllers continue. In a late trial that takes a while, during which the urgent pod is tried
// again.
func (r *Runner) wait(ctx context.Context, d *drawn, report *Report) error {
	gone := func() bool {
		all, err := r.Client.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{})
		return err == nil && !slices.ContainsFunc(all.Items, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })
	}

	if err := r.until(ctx, "victims told to go", func() bool {
		return slices.ContainsFunc(r.Pods.Moves(), func(m observe.Move) bool { return m.Deleted })
	}); err != nil {
		return err
	}
	if err := r.until(ctx, "victims gone", gone); err != nil {
		return err
	}

	if err := create(ctx, r.Client, d.rival); err != nil {
		return err
	}

	if !d.late {
		return nil
	}
	begun := time.Now()
	for time.Since(begun) < lateFor {
		report.Tries++
		if err := r.touch(ctx, d.slices[0], report.Tries); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond)
	}
	report.Late = time.Since(begun)
	return nil
}

// touch publishes a slice again, upon which the scheduler tries pods that lack devices again.
func (r *Runner) touch(ctx context.Context, s *resourcev1.ResourceSlice, n int) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		now, err := r.Client.ResourceV1().ResourceSlices().Get(ctx, s.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		number := int64(n)
		now.Spec.Devices[0].Attributes["published"] = resourcev1.DeviceAttribute{IntValue: &number}
		_, err = r.Client.ResourceV1().ResourceSlices().Update(ctx, now, metav1.UpdateOptions{})
		return err
	})
}

// compare compares what happened with the prediction.
func (r *Runner) compare(ctx context.Context, d *drawn, f *forecast, report *Report) error {
	wrong := func(format string, args ...any) { report.Wrong = append(report.Wrong, fmt.Sprintf(format, args...)) }

	for _, m := range r.Pods.Moves() {
		if m.Deleted {
			report.Victims = append(report.Victims, m.Pod.Name)
		}
	}
	slices.Sort(report.Victims)
	if !slices.Equal(report.Victims, f.victims) {
		wrong("the victims are %v, foretold were %v", report.Victims, f.victims)
	}

	now := r.pod(ctx, d.urgent.Name)
	switch {
	case len(report.Victims) > 0:
		report.Outcome = string(preemption.Preempts)
	case now.Spec.NodeName != "":
		report.Outcome = string(preemption.Fits)
	default:
		report.Outcome = string(preemption.NothingHelps)
	}
	if report.Outcome != string(f.outcome) {
		wrong("it %s, foretold was %s", report.Outcome, f.outcome)
	}
	if f.outcome == preemption.Preempts && now.Spec.NodeName != f.node {
		wrong("it runs on %q, foretold was %s", now.Spec.NodeName, f.node)
	}
	return r.compareClaims(ctx, d, f, report)
}

// compareClaims compares the devices of the urgent pod with the predicted ones. No device may belong to two
// claims, and the rival must not get a device for which the pod was nominated.
func (r *Runner) compareClaims(ctx context.Context, d *drawn, f *forecast, report *Report) error {
	wrong := func(format string, args ...any) { report.Wrong = append(report.Wrong, fmt.Sprintf(format, args...)) }
	claims, err := r.Client.ResourceV1().ResourceClaims(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}

	holder := map[string]string{}
	for i := range claims.Items {
		c := &claims.Items[i]
		for _, device := range devicesOf(c) {
			if other := holder[device]; other != "" {
				wrong("claims %s and %s both have device %s", other, c.Name, device)
			}
			holder[device] = c.Name
		}
		if c.Name == d.urgent.Name {
			report.Devices = devicesOf(c)
		}
	}

	// The pod may get other devices than the predicted ones, but at least one from its victims. If it got the
	// predicted devices, it holds them itself.
	report.Foretold = slices.Equal(report.Devices, f.devices)
	if f.outcome != preemption.Preempts {
		return nil
	}
	if !slices.ContainsFunc(report.Devices, func(device string) bool { return slices.Contains(f.freed, device) }) {
		wrong("it has %v, of which its victims had none: %v", report.Devices, f.freed)
	}
	for _, device := range f.devices {
		if by := holder[device]; by != "" && by != d.urgent.Name && !report.Foretold {
			wrong("device %s, which the urgent pod was nominated for, went to claim %s", device, by)
		}
	}
	return nil
}

// dump takes a dump with kubectl.
func (r *Runner) dump(ctx context.Context) ([]byte, error) {
	args := append(slices.Clone(r.Kubectl[1:]), "get", "nodes,pods,priorityclasses,poddisruptionbudgets,namespaces,resourceclaims,resourceslices,deviceclasses,devicetaintrules", "-A", "-o", "json")
	cmd := exec.CommandContext(ctx, r.Kubectl[0], args...)
	var trouble strings.Builder
	cmd.Stderr = &trouble
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kubectl get: %w: %s", err, trouble.String())
	}
	return text, os.WriteFile(filepath.Join(r.Dir, "dump.json"), text, 0o600)
}

// pod returns the pod as the API server has it. It is empty if the pod is gone.
func (r *Runner) pod(ctx context.Context, name string) *corev1.Pod {
	p, err := r.Client.CoreV1().Pods(Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return &corev1.Pod{}
	}
	return p
}

func (r *Runner) remove(ctx context.Context, name string) error {
	at := int64(0)
	err := r.Client.CoreV1().Pods(Namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &at})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// clear removes the objects of a trial, and waits until no claim is left.
func (r *Runner) clear(ctx context.Context, d *drawn) error {
	for _, p := range append(slices.Clone(d.holders), d.urgent, d.rival) {
		if err := r.remove(ctx, p.Name); err != nil {
			return err
		}
	}

	claims := r.Client.ResourceV1().ResourceClaims(Namespace)
	if err := claims.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	err := r.until(ctx, "claims gone", func() bool {
		left, err := claims.List(ctx, metav1.ListOptions{})
		return err == nil && len(left.Items) == 0
	})
	if err != nil {
		return err
	}

	for i := range d.nodes {
		if err := r.Client.ResourceV1().ResourceSlices().Delete(ctx, d.slices[i].Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := r.Client.CoreV1().Nodes().Delete(ctx, d.nodes[i].Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// until waits until is returns true. what names the step in errors.
func (r *Runner) until(ctx context.Context, what string, is func() bool) error {
	for deadline := time.Now().Add(stepWithin); !is(); time.Sleep(100 * time.Millisecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: not within %v", what, stepWithin)
		}
	}
	return nil
}
