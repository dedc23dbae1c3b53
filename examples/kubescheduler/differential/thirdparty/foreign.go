package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// ForeignName is the name of a [Foreign] as a plugin.
const ForeignName = "Foreign"

// Foreign is a plugin of the scheduler's profile that outrank cannot ask. A hash gives its answers. The zero value
// refuses nothing.
type Foreign struct {
	// Seed changes all answers.
	Seed uint64
	// PreFilter says that the plugin begins attempts.
	PreFilter bool
	// Hears says that it hears which pods come and go in dry runs.
	Hears bool
	// Filter says that it is asked about nodes.
	Filter bool
	// Counts makes its answers about a node depend on how often it was asked about the node.
	Counts bool
	// Remembers makes its answers depend on what it has heard.
	Remembers bool
	// No, Never and Breaks say how many of 64 answers about a node refuse it, refuse it for good, and are errors.
	No, Never, Breaks uint64
	// Clings says how many of 64 pods make it fail when they are removed.
	Clings uint64
	// Skips makes its PreFilter return Skip, so that it has no say about the preemptor.
	Skips bool
}

// GenerateForeign draws a plugin for a case.
func GenerateForeign(seed uint64) *Foreign {
	r := rand.New(rand.NewPCG(seed, 45))
	one := func(of int) bool { return r.IntN(of) == 0 }
	f := &Foreign{Seed: seed, PreFilter: !one(4), Counts: one(2), Remembers: one(2), Skips: one(10)}
	f.Hears, f.Filter = f.PreFilter && !one(4), !f.PreFilter || !one(3)
	some := func(most ...uint64) uint64 { return most[r.IntN(len(most))] }
	f.No, f.Never = some(0, 8, 24, 40), some(0, 0, 4)
	f.Breaks, f.Clings = some(0, 0, 2), some(0, 0, 4, 16)
	return f
}

// foreignPlugin is the plugin in one scheduler.
type foreignPlugin struct {
	*Foreign
	mu    sync.Mutex
	asked map[string]int // by node
}

// foreignHeard lists the changes that the plugin has heard of in an attempt, or in a dry run.
type foreignHeard struct{ changes []string }

func (h *foreignHeard) Clone() fwk.StateData { return &foreignHeard{slices.Clone(h.changes)} }

// at64 returns a number below 64 that depends on the seed and on all of the values.
func (f *Foreign) at64(of ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, f.Seed, of)
	return h.Sum64() >> 20 % 64
}

// Plugin returns a new plugin for one scheduler, with the extension points that f has.
func (f *Foreign) Plugin() fwk.Plugin {
	p := &foreignPlugin{Foreign: f, asked: map[string]int{}}
	begins, filters := foreignBegins{p}, foreignFilters{p}
	switch {
	case f.PreFilter && f.Filter:
		return foreignBoth{begins, filters}
	case f.PreFilter:
		return begins
	}
	return filters
}

// foreignBoth is a plugin at both extension points.
type foreignBoth struct {
	foreignBegins
	filters foreignFilters
}

func (b foreignBoth) Filter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, on fwk.NodeInfo) *fwk.Status {
	return b.filters.Filter(ctx, state, pod, on)
}

func (*foreignPlugin) Name() string { return ForeignName }

type foreignBegins struct{ *foreignPlugin }

func (p foreignBegins) PreFilter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if p.Skips {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	state.Write(ForeignName, &foreignHeard{})
	return nil, nil
}

func (p foreignBegins) PreFilterExtensions() fwk.PreFilterExtensions {
	if !p.Hears {
		return nil
	}
	return p
}

func (p foreignBegins) AddPod(_ context.Context, state fwk.CycleState, _ *corev1.Pod, pod fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	return p.hear(state, "+"+podKey(pod.GetPod()))
}

func (p foreignBegins) RemovePod(_ context.Context, state fwk.CycleState, _ *corev1.Pod, pod fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	if key := podKey(pod.GetPod()); p.at64("clings", key) < p.Clings {
		return fwk.AsStatus(errors.New(key + " clings"))
	}
	return p.hear(state, "-"+podKey(pod.GetPod()))
}

func (p foreignBegins) hear(state fwk.CycleState, change string) *fwk.Status {
	data, err := state.Read(ForeignName)
	if err != nil {
		return fwk.AsStatus(err)
	}
	heard := data.(*foreignHeard)
	heard.changes = append(heard.changes, change)
	return nil
}

type foreignFilters struct{ *foreignPlugin }

func (p foreignFilters) Filter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, on fwk.NodeInfo) *fwk.Status {
	// The answer is a hash of the node and its pods, and of what the plugin counts and remembers.
	node, times, heard := on.Node().Name, 0, ""
	if p.Counts {
		p.mu.Lock()
		p.asked[node]++
		times = p.asked[node]
		p.mu.Unlock()
	}
	if data, err := state.Read(ForeignName); err == nil && p.Remembers {
		heard = fmt.Sprint(data.(*foreignHeard).changes)
	}
	var pods []string
	for _, info := range on.GetPods() {
		pods = append(pods, podKey(info.GetPod()))
	}
	slices.Sort(pods)

	switch n := p.at64(node, times, heard, pods); {
	case n < p.Breaks:
		return fwk.AsStatus(errors.New(brokenText))
	case n < p.Breaks+p.Never:
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, neverText)
	case n < p.Breaks+p.Never+p.No:
		return fwk.NewStatus(fwk.Unschedulable, noText)
	}
	return nil
}
