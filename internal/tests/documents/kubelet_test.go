package documents

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// short is how much of a resource is missing (admissionRequirement).
type short struct {
	name resource.Name
	left int64
}

// shorts are what is missing (admissionRequirementList).
type shorts []short

// gives is what a pod frees.
func gives(p *outrank.Pod, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return asks(p, name)
}

// without is what is still missing once these pods are gone (subtract).
func (s shorts) without(pods ...*outrank.Pod) (left shorts) {
	for _, x := range s {
		for _, p := range pods {
			x.left -= gives(p, x.name)
		}
		if x.left > 0 {
			left = append(left, x)
		}
	}
	return left
}

// distance is the sum of the squares of the parts that a pod leaves missing.
func (s shorts) distance(p *outrank.Pod) (sum float64) {
	for _, x := range s {
		if part := float64(x.left-gives(p, x.name)) / float64(x.left); part > 0 {
			sum += part * part
		}
	}
	return sum
}

// String is the list as the kubelet prints it.
func (s shorts) String() string {
	text := "["
	for _, x := range s {
		text += fmt.Sprintf("(res: %s, q: %d), ", x.name, x.left)
	}
	return text + "]"
}

// nearest takes the pod with the least distance until nothing is missing (getPodsToPreemptByDistance). Of two at
// one distance it takes that with the smaller request, and of equal ones the later. The last pod takes the place
// of the one taken.
func (s shorts) nearest(tier []*outrank.Pod) (taken []*outrank.Pod) {
	tier = slices.Clone(tier)
	for len(s) > 0 {
		best, at := float64(len(s)+1), 0
		for i, p := range tier {
			if far := s.distance(p); far < best || far == best && noLarger(p, tier[at]) {
				best, at = far, i
			}
		}
		s, taken = s.without(tier[at]), append(taken, tier[at])
		tier[at] = tier[len(tier)-1]
		tier = tier[:len(tier)-1]
	}
	return taken
}

// noLarger reports whether a pod requests no more than another, memory before cpu (smallerResourceRequest).
func noLarger(p, q *outrank.Pod) bool {
	return cmp.Or(cmp.Compare(asks(p, resource.Memory), asks(q, resource.Memory)), cmp.Compare(asks(p, resource.CPU), asks(q, resource.CPU))) <= 0
}

// critical is IsCriticalPod.
func critical(p *outrank.Pod) bool { return p.Static || p.Mirror || rank(p) >= 2_000_000_000 }

// mayPreempt is Preemptable.
func mayPreempt(p, victim *outrank.Pod) bool {
	return critical(p) && !critical(victim) || p.Priority != nil && victim.Priority != nil && rank(p) > rank(victim)
}

// tierOf is the QoS class of a pod with one container: 0 is BestEffort, 1 Burstable, 2 Guaranteed.
func tierOf(p *outrank.Pod) int {
	c, any, all := p.Containers[0], false, true
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		request, limit := c.Requests.Amount(name), c.Limits.Amount(name)
		any, all = any || request > 0 || limit > 0, all && limit > 0 && request == limit
	}
	switch {
	case !any:
		return 0
	case all:
		return 2
	}
	return 1
}

// admitted is what becomes of a pod that failed checks.
type admitted struct {
	outcome  kubeletadmit.Outcome
	evicted  []string // in order
	returned []kubeletadmit.CheckFailure
	missing  string
}

// handle is HandleAdmissionFailure.
func handle(p *outrank.Pod, active []*outrank.Pod, failures []kubeletadmit.CheckFailure) admitted {
	if !critical(p) && len(failures) > 0 {
		return admitted{outcome: kubeletadmit.Rejected, returned: failures}
	}

	var missing shorts
	var others []kubeletadmit.CheckFailure
	for _, f := range failures {
		if f.Resource == "" {
			others = append(others, f)
			continue
		}
		missing = append(missing, short{f.Resource, f.Requested - (f.Capacity - f.Used)})
	}
	if len(others) > 0 {
		return admitted{outcome: kubeletadmit.Rejected, returned: others}
	}
	return evict(p, active, missing)
}

// evict chooses who has to leave (getPodsToPreempt): of the Guaranteed pods those needed when all others are gone,
// of the Burstable ones those needed besides, and so on.
func evict(p *outrank.Pod, active []*outrank.Pod, missing shorts) admitted {
	var tiers [3][]*outrank.Pod
	for _, q := range active {
		if mayPreempt(p, q) {
			tiers[tierOf(q)] = append(tiers[tierOf(q)], q)
		}
	}
	if left := missing.without(slices.Concat(tiers[:]...)...); len(left) > 0 {
		return admitted{outcome: kubeletadmit.Rejected, missing: left.String()}
	}

	guaranteed := missing.without(slices.Concat(tiers[0], tiers[1])...).nearest(tiers[2])
	burstable := missing.without(slices.Concat(tiers[0], guaranteed)...).nearest(tiers[1])
	least := missing.without(slices.Concat(burstable, guaranteed)...).nearest(tiers[0])
	a := admitted{outcome: kubeletadmit.Admitted}
	for _, q := range slices.Concat(least, burstable, guaranteed) {
		a.outcome, a.evicted = kubeletadmit.AdmittedAfterEvicting, append(a.evicted, q.Name)
	}
	return a
}

func TestPreemptionOfTheKubelet(t *testing.T) {
	seen := map[string]int{}
	for i := range *cases {
		p, active, failures := drawAdmission(uint64(i))
		want := handle(p, active, failures)
		adm, err := kubeletadmit.Resolve(p, active, failures, kubeletadmit.Config{})
		require.NoError(t, err)

		got := admitted{outcome: adm.Outcome, returned: adm.Returned}
		for _, e := range adm.Evictions {
			got.evicted = append(got.evicted, e.Pod.Name)
		}
		if len(adm.Missing) > 0 {
			var left shorts
			for _, n := range adm.Missing {
				left = append(left, short{n.Resource, n.Amount})
			}
			got.missing = left.String()
			require.Contains(t, adm.ReferenceMessage(), "no set of running pods found to reclaim resources: "+want.missing)
		}
		require.Equal(t, want, got, "case %d: %v", i, failures)
		seen[fmt.Sprint(want.outcome, len(want.evicted) > 1, want.missing != "")]++
	}
	require.Len(t, seen, 5, "kinds of answers: %v", seen)
}
