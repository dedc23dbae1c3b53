package differential

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

const foreignName = "Foreign"

// Foreign is somebody else's plugin, whose answers a hash gives. The zero value has no say.
type Foreign struct {
	// Seed changes all answers.
	Seed uint64
	// PreFilter, Hears and Filter are its parts: whether it begins attempts, hears which pods come
	// and go in dry runs, and is asked about nodes.
	PreFilter, Hears, Filter bool
	// Counts makes its answers about a node depend on how often it was asked about the node, and
	// Remembers on what it has heard.
	Counts, Remembers bool
	// No, Never, Breaks and Clings say how many of 64 answers about a node refuse it, refuse it for
	// good or are errors, and how many of 64 pods it cannot let go. Skips leaves the preemptor alone.
	No, Never, Breaks, Clings uint64
	Skips                     bool
}

// GenerateForeign draws a plugin for a case.
func GenerateForeign(seed uint64) *Foreign {
	r := rand.New(rand.NewPCG(seed, 45))
	one := func(of int) bool { return r.IntN(of) == 0 }
	f := &Foreign{Seed: seed, PreFilter: !one(4), Counts: one(2), Remembers: one(2), Skips: one(10)}
	f.Hears, f.Filter = f.PreFilter && !one(4), !f.PreFilter || !one(3)
	some := func(most ...uint64) uint64 { return most[r.IntN(len(most))] }
	f.No, f.Never, f.Breaks, f.Clings = some(0, 8, 24, 40), some(0, 0, 4), some(0, 0, 2), some(0, 0, 4, 16)
	return f
}

// foreignPlugin is the plugin in one scheduler.
type foreignPlugin struct {
	*Foreign
	mu    sync.Mutex
	asked map[string]int // by node
}

// foreignHeard is what it has heard in an attempt, or in a dry run.
type foreignHeard struct{ changes []string }

func (h *foreignHeard) Clone() fwk.StateData { return &foreignHeard{slices.Clone(h.changes)} }

// at64 is a number below 64 that depends on all of these.
func (f *Foreign) at64(of ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, f.Seed, of)
	return h.Sum64() >> 20 % 64
}

// at is the plugin at the points where it has a part.
func (p *foreignPlugin) at() fwk.Plugin {
	begins, filters := foreignBegins{p}, foreignFilters{p}
	switch {
	case p.Foreign.PreFilter && p.Foreign.Filter:
		return foreignBoth{begins, filters}
	case p.Foreign.PreFilter:
		return begins
	}
	return filters
}

// foreignBoth is a plugin at both points.
type foreignBoth struct {
	foreignBegins
	filters foreignFilters
}

func (b foreignBoth) Filter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, on fwk.NodeInfo) *fwk.Status {
	return b.filters.Filter(ctx, state, pod, on)
}

func (*foreignPlugin) Name() string { return foreignName }

type foreignBegins struct{ *foreignPlugin }

func (p foreignBegins) PreFilter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if p.Skips {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	state.Write(foreignName, &foreignHeard{})
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
	data, err := state.Read(foreignName)
	if err != nil {
		return fwk.AsStatus(err)
	}
	heard := data.(*foreignHeard)
	heard.changes = append(heard.changes, change)
	return nil
}

type foreignFilters struct{ *foreignPlugin }

func (p foreignFilters) Filter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, on fwk.NodeInfo) *fwk.Status {
	node, times, heard := on.Node().Name, 0, ""
	if p.Counts {
		p.mu.Lock()
		p.asked[node]++
		times = p.asked[node]
		p.mu.Unlock()
	}
	if data, err := state.Read(foreignName); err == nil && p.Remembers {
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
		return fwk.NewStatus(fwk.Unschedulable, contraryText)
	}
	return nil
}
