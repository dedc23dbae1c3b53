package trial

import (
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// circumstanceKinds returns the kinds of trials in which something is going on when the pod comes.
func circumstanceKinds() []Kind {
	type maker = func(*rand.Rand, string) *corev1.Pod
	crowd := make([]maker, 5)
	for i := range crowd {
		crowd[i] = func(r *rand.Rand, name string) *corev1.Pod {
			return onPool(newPod(name, pick(r, fill.Low, fill.Medium, fill.High), "cpu", milli(r, 1500, 7000)), pick(r, "std", "big"))
		}
	}

	sized := func(r *rand.Rand, name string) *corev1.Pod {
		pool := pick(r, "std", "big")
		if pool == "std" {
			return onPool(newPod(name, pick(r, fill.Medium, fill.High, fill.Critical), "cpu", milli(r, 2000, 7500)), pool)
		}
		return onPool(newPod(name, pick(r, fill.Medium, fill.High, fill.Critical), "cpu", milli(r, 4000, 24000)), pool)
	}

	anyProfile := func(make maker) maker {
		return func(r *rand.Rand, name string) *corev1.Pod {
			p := make(r, name)
			p.Spec.SchedulerName = pick(r, Profiles...)
			return p
		}
	}
	mixed := make([]maker, len(crowd))
	for i := range crowd {
		mixed[i] = anyProfile(crowd[i])
	}

	return []Kind{
		{Name: "leaving", About: "some pods are on their way out", Pod: sized, Before: Circumstances{Leaving: 40}},
		{Name: "all-leaving", About: "so many are on their way out that victims are among them", Pod: sized, Before: Circumstances{Leaving: 250}},
		{Name: "nominated", About: "others have room made for them and wait for it", Pod: sized, Before: Circumstances{Nominated: crowd}},
		{Name: "nominated-leaving", About: "both at once", Pod: sized, Before: Circumstances{Leaving: 60, Nominated: crowd[:3]}},
		{Name: "profiles", About: "others have room made for them, by any profile of the scheduler", Pod: anyProfile(sized), Before: Circumstances{Nominated: mixed}, Profiles: true},
		{Name: "unstarted", About: "many pods have not started: start times are missing", Pod: sized, Before: Circumstances{Unstarted: 120}},
	}
}

// hopelessKinds returns the kinds of trials whose pods can push nobody out.
func hopelessKinds() []Kind {
	return []Kind{
		{Name: "never", About: "a class that preempts nobody", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return newPod(name, fill.Never, "cpu", milli(r, 2500, 7000))
		}},
		{Name: "too-large", About: "larger than any node", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			return onPool(newPod(name, fill.Critical, "cpu", milli(r, 33000, 64000)), pick(r, "", "std"))
		}},
		{Name: "nothing-helps", About: "nobody less important is in the way", Pod: func(r *rand.Rand, name string) *corev1.Pod {
			if r.IntN(2) == 0 {
				return newPod(name, fill.Batch, "cpu", milli(r, 3000, 7000))
			}
			return onPool(newPod(name, pick(r, fill.Low, fill.Medium), "cpu", milli(r, 7700, 8000)), "std")
		}},
	}
}
