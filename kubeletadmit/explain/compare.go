package explain

import (
	"context"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Difference lists the pods that go by one answer alone, the kubelet's or the one by settings that
// go beyond it ([kubeletadmit.Config]). It belongs to the caller, and holds pointers to the
// caller's pods.
type Difference struct {
	// Faithful is the kubelet's answer, and Chosen that by the settings. They differ in
	// nothing but the pods that go.
	Faithful, Chosen kubeletadmit.Admission
	// Spared are the pods that the kubelet would evict and that stay, and Instead those
	// that go though it would not, each in the order of eviction. A pod that is listed
	// twice among the active ones is two pods.
	Spared, Instead []*outrank.Pod
}

// ofKubelet is the configuration by which a kubelet decides: of the same release and
// operation, and without the settings that go beyond.
func ofKubelet(config kubeletadmit.Config) kubeletadmit.Config {
	return kubeletadmit.Config{Release: config.Release, Operation: config.Operation}
}

// Compare decides as a kubelet does, by the Release and the Operation alone, and as the configuration
// of the question says, and returns both with what they differ in. Errors are those of
// [kubeletadmit.AdmitContext]. Time is that of the two decisions.
func Compare(ctx context.Context, q Question) (Difference, error) {
	chosen, err := q.admit(ctx, q.Config)
	if err != nil {
		return Difference{}, err
	}
	faithful, err := q.admit(ctx, ofKubelet(q.Config))
	if err != nil {
		return Difference{}, err
	}
	return differenceOf(faithful, chosen), nil
}

// differenceOf compares two answers to the same question. Time is linear in the evictions.
func differenceOf(faithful, chosen kubeletadmit.Admission) Difference {
	return Difference{
		Faithful: faithful, Chosen: chosen,
		Spared:  missingFrom(chosen.Evictions, faithful.Evictions),
		Instead: missingFrom(faithful.Evictions, chosen.Evictions),
	}
}

// missingFrom lists the pods that are evicted by the second list and not by the first.
func missingFrom(list, of []kubeletadmit.EvictedPod) (pods []*outrank.Pod) {
	there := map[*outrank.Pod]int{}
	for _, e := range list {
		there[e.Pod]++
	}
	for _, e := range of {
		if there[e.Pod]--; there[e.Pod] < 0 {
			pods = append(pods, e.Pod)
		}
	}
	return pods
}

// same reports whether the same pods go.
func (d *Difference) same() bool { return len(d.Spared)+len(d.Instead) == 0 }

// String says in a line for people what differs, as in "2 pods go, where the kubelet
// evicts 3; default/a is spared".
func (d *Difference) String() string {
	if d.same() {
		if len(d.Chosen.Evictions) == 0 {
			return "nobody goes, as with the kubelet"
		}
		return "the same pods go as with the kubelet"
	}
	parts := []string{fmt.Sprintf("%s go, where the kubelet evicts %d", prose.Plural(len(d.Chosen.Evictions), "pod"), len(d.Faithful.Evictions))}
	if len(d.Chosen.Evictions) == 1 {
		parts[0] = strings.Replace(parts[0], " go,", " goes,", 1)
	}
	if len(d.Spared) > 0 {
		parts = append(parts, podNames(d.Spared)+be(len(d.Spared), " is spared", " are spared"))
	}
	if len(d.Instead) > 0 {
		parts = append(parts, podNames(d.Instead)+be(len(d.Instead), " goes instead", " go instead"))
	}
	return strings.Join(parts, "; ")
}

// be picks a form of a verb.
func be(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// podNames lists pods for a sentence.
func podNames(pods []*outrank.Pod) string {
	names := make([]string, len(pods))
	for i, p := range pods {
		if names[i] = "no pod"; p != nil {
			names[i] = string(p.Key())
		}
	}
	return strings.Join(names, ", ")
}
