// Package trial answers whether a scheduler does what was predicted: it predicts, lets the scheduler act, and
// compares.
package trial

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// Kind is a kind of trial: how the pod looks, and the circumstances in which it comes.
type Kind struct {
	Name, About string
	// Pod makes a pod of the kind. All its random values come from r.
	Pod func(r *rand.Rand, name string) *corev1.Pod
	// Before is the state of the cluster before the pod comes.
	Before Circumstances
	// Profiles says that pods name any of the profiles, so that kubectl-whatif needs the configuration.
	Profiles bool
}

// Circumstances say how the cluster differs from a full one at rest.
type Circumstances struct {
	// Leaving is the number of pods that are being deleted.
	Leaving int
	// Nominated are pods that wait while room is being made for them.
	Nominated []func(r *rand.Rand, name string) *corev1.Pod
	// Unstarted is the number of pods without a start time.
	Unstarted int
}

func (c *Circumstances) any() bool { return c.Leaving > 0 || len(c.Nominated) > 0 || c.Unstarted > 0 }

// Profiles are the profiles of the scheduler. A pod that names none uses the first.
var Profiles = []string{"default-scheduler", "second-scheduler"}

// Kinds returns all kinds, in the order of the table.
func Kinds() []Kind {
	return slices.Concat(resourceKinds(), placeKinds(), neighbourKinds(), circumstanceKinds(), hopelessKinds())
}

// Choose returns the kinds in a comma-separated list of names, or all kinds if it is empty.
func Choose(names string) ([]Kind, error) {
	all := Kinds()
	if names == "" {
		return all, nil
	}
	var out []Kind
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no kind %q; there are %s", name, strings.Join(namesOf(all), ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

// For returns the kind with pods that name the given profile.
func (k Kind) For(profile string) Kind {
	asks := func(make func(*rand.Rand, string) *corev1.Pod) func(*rand.Rand, string) *corev1.Pod {
		return func(r *rand.Rand, name string) *corev1.Pod {
			p := make(r, name)
			p.Spec.SchedulerName = profile
			return p
		}
	}
	k.Pod, k.Profiles = asks(k.Pod), true
	earlier := k.Before.Nominated
	k.Before.Nominated = nil
	for _, make := range earlier {
		k.Before.Nominated = append(k.Before.Nominated, asks(make))
	}
	return k
}

func namesOf(kinds []Kind) []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.Name)
	}
	return out
}

// Schedule returns n kinds to try, in random order. The numbers of trials of two kinds differ by at most one.
func Schedule(kinds []Kind, n int, r *rand.Rand) []Kind {
	var out []Kind
	for len(out) < n {
		round := slices.Clone(kinds)
		r.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		out = append(out, round[:min(len(round), n-len(out))]...)
	}
	return out
}

// newPod returns a pod with one container. requests are alternating names and amounts.
func newPod(name, class string, requests ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: fill.TrialNamespace, Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			PriorityClassName: class,
			Containers: []corev1.Container{{
				Name: "main", Image: fill.Image, Resources: corev1.ResourceRequirements{Requests: fill.Amounts(requests...)},
			}},
		},
	}
}

// onPool makes the pod require a node of a pool, and tolerate the pool's taint.
func onPool(p *corev1.Pod, pool string) *corev1.Pod {
	if pool == "" {
		return p
	}
	p.Spec.NodeSelector = map[string]string{fill.PoolLabel: pool}
	switch pool {
	case "gpu":
		p.Spec.Tolerations = append(p.Spec.Tolerations, fill.GPUToleration)
	case "infra":
		p.Spec.Tolerations = append(p.Spec.Tolerations, fill.InfraToleration)
	}
	return p
}

// pick draws one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// milli draws an amount in thousandths between two bounds.
func milli(r *rand.Rand, low, high int) string { return fmt.Sprintf("%dm", low+r.IntN(high-low+1)) }

// gibi draws an amount in GiB between two bounds.
func gibi(r *rand.Rand, low, high int) string { return fmt.Sprintf("%dGi", low+r.IntN(high-low+1)) }
