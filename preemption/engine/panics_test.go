package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// fuse panics at one of the calls of a caller's code, by any goroutine.
type fuse struct {
	left atomic.Int64 // calls until it does; below 0 it never does
}

var errBlown = errors.New("blown")

func (f *fuse) call() {
	runtime.Gosched() // so that other goroutines have their turn, on one core, too
	if f.left.Add(-1) == 0 {
		panic(errBlown)
	}
}

// blown counts the calls of f, and reports whether it panicked with what the fuse did.
func (f *fuse) blown(after int64, run func()) (calls int64, blown bool) {
	f.left.Store(after)
	defer func() {
		calls = after - f.left.Load()
		if p := recover(); p != nil {
			if p != errBlown {
				panic(p)
			}
			blown = true
		}
	}()
	run()
	return
}

// fused is every hook of a configuration, each with the fuse in it.
type fused struct{ *fuse }

func (f fused) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Fused", Start: f.start, Concerns: f.concerns}
}
func (f fused) concerns(p *outrank.Pod) bool {
	f.call()
	return len(p.Name)%2 == 0
}

func (f fused) tracker() *preemption.Tracker {
	return &preemption.Tracker{Concerns: f.concerns, New: func() preemption.ClusterState { return fusedCluster(f) }}
}

func (f fused) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	f.call()
	return &fusedState{fuse: f.fuse}, nil
}

type fusedState struct {
	*fuse
	away int
}

func (s *fusedState) Check(n *outrank.Node) preemption.Status {
	if s.call(); s.away == 0 && len(n.Name)%3 == 0 {
		return preemption.Unschedulable.Because("somebody has to leave")
	}
	return preemption.Status{}
}
func (s *fusedState) Remove(*outrank.Pod, *outrank.Node) { s.call(); s.away++ }
func (s *fusedState) Add(*outrank.Pod, *outrank.Node)    { s.call(); s.away-- }
func (s *fusedState) Clone() preemption.FilterState {
	s.call()
	c := *s
	return &c
}

type fusedCluster struct{ *fuse }

func (s fusedCluster) Add(*outrank.Pod, *outrank.Node)    { s.call() }
func (s fusedCluster) Remove(*outrank.Pod, *outrank.Node) { s.call() }
func (s fusedCluster) Clone() preemption.ClusterState     { s.call(); return s }

type fusedGuard struct{ *fuse }

func (g fusedGuard) guard() *preemption.Guard {
	return &preemption.Guard{Name: "FusedGuard", Start: g.start}
}
func (g fusedGuard) start([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
	g.call()
	return &fusedGuardState{fuse: g.fuse}, nil
}

type fusedGuardState struct {
	*fuse
	away int
}

func (s *fusedGuardState) Check() preemption.Status {
	if s.call(); s.away > 3 {
		return preemption.Unschedulable.Because("too many")
	}
	return preemption.Status{}
}
func (s *fusedGuardState) Remove(*outrank.Pod, *outrank.Node) { s.call(); s.away++ }
func (s *fusedGuardState) Add(*outrank.Pod, *outrank.Node)    { s.call(); s.away-- }
func (s *fusedGuardState) Rule(*outrank.Pod) string           { s.call(); return "" }
func (s *fusedGuardState) Clone() preemption.GuardState {
	s.call()
	c := *s
	return &c
}

// hooks are the callbacks of a configuration, each alone.
var hooks = map[string]func(f *fuse) preemption.Config{
	"filter": func(f *fuse) preemption.Config {
		return preemption.Config{Filters: []*preemption.Filter{fused{f}.filter()}}
	},
	"node rule": func(f *fuse) preemption.Config {
		return preemption.Config{Filters: []*preemption.Filter{{Name: "rule", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
			f.call()
			return preemption.Status{}
		}}}}
	},
	"keyed node rule": func(f *fuse) preemption.Config {
		key := func(p *outrank.Pod) string { f.call(); return p.Name }
		return preemption.Config{Filters: []*preemption.Filter{{Name: "rule", Key: key, Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
			f.call()
			return preemption.Status{}
		}}}}
	},
	"Refuse": func(f *fuse) preemption.Config {
		return preemption.Config{
			Eligibility: preemption.Eligibility{Refuse: func(_ *outrank.Pod, by preemption.Ineligibility, _ preemption.Status) preemption.Ineligibility {
				f.call()
				return by
			}},
		}
	},
	"selector of spread": func(f *fuse) preemption.Config {
		return preemption.Config{
			Profile: preemption.Profile{
				DefaultConstraints: []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: outrank.DoNotSchedule}},
				SpreadSelector: func(p *outrank.Pod) *outrank.LabelSelector {
					f.call()
					return &outrank.LabelSelector{MatchLabels: p.Labels}
				},
			},
		}
	},
	"Take": func(f *fuse) preemption.Config {
		return preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, v *outrank.Pod) (string, bool) { f.call(); return "", len(v.Name)%5 != 0 }}}
	},
	"Take of any priority": func(f *fuse) preemption.Config {
		return preemption.Config{Eligibility: preemption.Eligibility{AnyPriority: true, Take: func(p, v *outrank.Pod) (string, bool) { f.call(); return anyBody(p, v) }}}
	},
	"guard": func(f *fuse) preemption.Config { return preemption.Config{Guard: fusedGuard{f}.guard()} },
	"Importance": func(f *fuse) preemption.Config {
		return preemption.Config{Importance: func(a, b *outrank.Pod) int { f.call(); return len(a.Name) - len(b.Name) }}
	},
	"Cost": func(f *fuse) preemption.Config {
		return preemption.Config{
			Ranks: []preemption.Rank{{Name: "cost", Cost: func(v *outrank.Pod) int64 { f.call(); return int64(len(v.Name)) }}},
		}
	},
	"chooser": func(f *fuse) preemption.Config {
		return preemption.Config{
			Victims: preemption.Chooser{Name: "all", Choose: func(v preemption.NodeView) []*outrank.Pod {
				f.call()
				return v.Possible()
			}},
		}
	},
	"figure": func(f *fuse) preemption.Config {
		return preemption.Config{Ranks: []preemption.Rank{{Name: "s", Figure: func(c *preemption.Candidate) int64 { f.call(); return int64(len(c.Victims)) }}}}
	},
	"extender": func(f *fuse) preemption.Config {
		return preemption.Config{Extenders: []preemption.Extender{extender{name: "x", process: func(ps candidates) (candidates, error) {
			f.call()
			return ps, nil
		}}.extender()}}
	},
}

// Each place of a configuration that holds code of the caller's has a hook with a fuse.
func TestEveryHookCanBlow(t *testing.T) {
	blows := map[string]bool{}
	for _, hook := range hooks {
		holders(reflect.ValueOf(hook(&fuse{})), "", func(path string, set bool) { blows[path] = blows[path] || set })
	}
	var all []string
	holders(fullValue(reflect.TypeFor[preemption.Config]()), "", func(path string, _ bool) { all = append(all, path) })
	assert.Contains(t, all, "Eligibility.Refuse")
	assert.Contains(t, all, "Victims")
	for _, path := range all {
		assert.True(t, blows[path], "no hook has %s", path)
	}
}

// holders calls f with the path of each function and interface in a value, and whether it is
// set.
func holders(v reflect.Value, path string, f func(path string, set bool)) {
	switch v.Kind() {
	case reflect.Func, reflect.Interface:
		f(path, !v.IsNil())
	case reflect.Pointer:
		if !v.IsNil() {
			holders(v.Elem(), path, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			holders(v.Index(i), path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			holders(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), f)
		}
	}
}

// fullValue returns a value of a type without nil pointers and empty slices.
func fullValue(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Pointer:
		v.Set(fullValue(of.Elem()).Addr())
	case reflect.Slice:
		v.Set(reflect.Append(v, fullValue(of.Elem())))
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				v.Field(i).Set(fullValue(of.Field(i).Type))
			}
		}
	}
	return v
}

// asks is what can be asked of an evaluator about a pod.
var asks = map[string]func(ctx context.Context, e *engine.Evaluator, s *engine.Snapshot, p *outrank.Pod) (any, error){
	"Preempt": func(ctx context.Context, e *engine.Evaluator, s *engine.Snapshot, p *outrank.Pod) (any, error) {
		return e.Preempt(ctx, s, preemption.Request{Pod: p, Now: gen.Now})
	},
	"Explain": func(ctx context.Context, e *engine.Evaluator, s *engine.Snapshot, p *outrank.Pod) (any, error) {
		return e.Explain(ctx, s, preemption.Request{Pod: p, Now: gen.Now})
	},
	"Feasible": func(ctx context.Context, e *engine.Evaluator, s *engine.Snapshot, p *outrank.Pod) (any, error) {
		return e.Feasible(ctx, s, p)
	},
	"Candidates": func(ctx context.Context, e *engine.Evaluator, s *engine.Snapshot, p *outrank.Pod) (any, error) {
		var all []*preemption.Candidate
		for c, err := range e.Candidates(ctx, s, preemption.Request{Pod: p, Now: gen.Now}) {
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		return all, nil
	},
	"group": func(ctx context.Context, e *engine.Evaluator, s *engine.Snapshot, p *outrank.Pod) (any, error) {
		other := *p
		other.Name = "beside"
		return e.PreemptGroup(ctx, s, preemption.GroupRequest{Pods: []*outrank.Pod{p, &other}, Now: gen.Now})
	},
	"across": func(ctx context.Context, e *engine.Evaluator, s *engine.Snapshot, p *outrank.Pod) (any, error) {
		return e.Preempt(ctx, s, preemption.Request{Pod: p, Now: gen.Now})
	},
}

// A panic in the caller's code comes out of the caller's call, whichever goroutine it was
// in, and leaves nothing behind: neither in the snapshot nor in what is kept for later
// calls.
func TestPropertyPanicsReachTheCaller(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		t.Run(name, func(t *testing.T) {
			blown := 0
			rapid.Check(t, func(t *rapid.T) {
				shape := shapes[rapid.SampledFrom(slices.Sorted(maps.Keys(shapes))).Draw(t, "shape")]
				if rapid.Bool().Draw(t, "enough for several workers") {
					shape.Nodes = 24
				}
				c, p := gen.Cluster(shape).Draw(t, "cluster"), gen.Preemptor(shape).Draw(t, "preemptor")
				f := &fuse{}
				config := hooks[name](f)
				if rapid.Bool().Draw(t, "v1.36") {
					c.Release = outrank.V1_36
				}
				snap := newSnapshot(t, c)
				call := rapid.SampledFrom(slices.Sorted(maps.Keys(asks))).Draw(t, "call")
				if call == "across" {
					if config.Guard != nil || config.Extenders != nil || len(config.Ranks) > 0 && config.Ranks[0].Figure != nil {
						call = "Preempt" // refused with them
					} else {
						config.Victims = preemption.Across{}
					}
				}
				e := newEvaluator(t, config).Parallel(rapid.IntRange(1, 3).Draw(t, "workers"))
				setChunk(e, 1)
				ask := asks[call]
				run := func(snap *engine.Snapshot) (answer string) {
					got, err := ask(t.Context(), e, snap, p)
					return fmt.Sprint(asJSON(got), err)
				}
				calls, _ := f.blown(0, func() { run(snap) })
				if calls == 0 {
					return
				}
				at := standings(snap)
				for range 3 {
					if _, over := f.blown(rapid.Int64Range(1, calls).Draw(t, "at"), func() { run(snap) }); over {
						blown++
					}
					require.Equal(t, at, standings(snap))
					f.left.Store(0)
					require.Equal(t, run(newSnapshot(t, c)), run(snap))
				}
			})
			assert.Positive(t, blown)
		})
	}
}

// A tracker that panics while the snapshot changes leaves a snapshot that is
// whole, and whose changes can be taken back.
func TestPropertyTrackerPanics(t *testing.T) {
	t.Parallel()
	blown := 0
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		snap, f := newSnapshot(t, c), &fuse{}
		tracker := fused{f}.tracker()
		if _, over := f.blown(rapid.Int64Range(0, 10).Draw(t, "at"), func() { snap.Tracked(tracker) }); over {
			f.left.Store(0)
			snap.Tracked(tracker)
		}
		f.left.Store(0)
		before, mark := standings(snap), snap.Mark()
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			for q := range snap.Pods() {
				if _, over := f.blown(rapid.Int64Range(1, 8).Draw(t, "at"), func() { _ = snap.RemovePod(q.Key()) }); over {
					blown++
				}
				break
			}
			if _, over := f.blown(rapid.Int64Range(1, 8).Draw(t, "at"), func() { move(t, snap) }); over {
				blown++
			}
		}
		f.left.Store(0)
		require.NoError(t, snap.Undo(mark))
		require.Equal(t, before, standings(snap))
		want := newSnapshot(t, c)
		for n := range want.Nodes() {
			require.Equal(t, keys(want.PodsOn(n.Name)), keys(snap.PodsOn(n.Name)))
			require.Equal(t, want.Used(n.Name, "cpu"), snap.Used(n.Name, "cpu"))
		}
		e := newEvaluator(t, preemption.Config{})
		first, err := e.Preempt(t.Context(), want, preemption.Request{Pod: p, Now: gen.Now})
		second, again := e.Preempt(t.Context(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.Equal(t, fmt.Sprint(asJSON(first), err), fmt.Sprint(asJSON(second), again))
	})
	assert.Positive(t, blown)
}
