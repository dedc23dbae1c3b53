package inverse_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/drawn"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/inverse"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// priced is a pod with a priority, and its copies with it, beside which it is asked about.
func priced(t *rapid.T, s question.Setting, pod *outrank.Pod, value int32) (*outrank.Pod, question.Setting) {
	one := *pod
	one.Priority = &value
	s.Snapshot = s.Snapshot.Clone()
	for p := range s.Snapshot.Clone().Pods() {
		if p.Owner != pod.Owner || p.NamespaceName() != pod.NamespaceName() || p.PriorityValue() < pod.PriorityValue() || p.PriorityValue() >= value {
			continue
		}
		again := *p
		again.Priority = &value
		again.NodeName, again.NominatedNodeName = s.Snapshot.NodeOf(p.Key()), s.Snapshot.NominationOf(p.Key())
		require.NoError(t, errOf(s.Snapshot.PutPod(&again)))
	}
	return &one, s
}

// With the least priority a pod finds a place, and with no lower one that was drawn; with nobody
// leaving the same. The class that is named will do, and none of a lower value that has as much.
func TestPropertyLeastPriorityIsTrue(t *testing.T) {
	found, free, none := 0, 0, 0
	overShapes(t, func(t *rapid.T, s question.Setting) {
		pod := drawPod(t, clustergen.Shape{})
		if rapid.IntRange(0, 3).Draw(t, "polite") == 0 {
			pod.PreemptionPolicy = outrank.PreemptNever
		}
		r := stable(t, func() (*inverse.LeastPriority, error) {
			return inverse.AskLeastPriority(scenario(t, s), inverse.Asked{Pod: pod})
		})
		with := func(value int32) (bool, int) {
			one, set := priced(t, s, pod, value)
			return places(t, set, set.Snapshot, one)
		}
		lower := func(below int32) int32 {
			near := []int32{math.MinInt32, below - 1}
			for p := range s.Snapshot.Pods() {
				near = append(near, min(p.PriorityValue(), below-1), min(p.PriorityValue()+1, below-1), min(p.PriorityValue()-1, below-1))
			}
			return rapid.SampledFrom(near).Draw(t, "lower")
		}
		require.Zero(t, r.Untried)
		for _, least := range []struct {
			*inverse.Enough
			nobody bool
		}{{r.ForPlace, false}, {r.ForNobody, true}} {
			enough := func(value int32) bool {
				ok, leave := with(value)
				return ok && (!least.nobody || leave == 0)
			}
			if least.Enough == nil {
				require.False(t, enough(min(lower(math.MaxInt32), priority.UserMax)))
				require.False(t, enough(priority.UserMax))
				none++
				continue
			}
			require.True(t, enough(least.Priority))
			if least.Priority > math.MinInt32 {
				require.False(t, enough(least.Priority-1))
				require.False(t, enough(lower(least.Priority)))
			}
			classes := s.Cluster.Classes
			want := ""
			for _, c := range []string{"low", "polite", "high"} {
				at := slices.IndexFunc(classes, func(class *outrank.PriorityClass) bool { return class.Name == c })
				one, set := priced(t, s, pod, classes[at].Value)
				one.PreemptionPolicy = classes[at].PreemptionPolicy
				ok, leave := places(t, set, set.Snapshot, one)
				if want == "" && classes[at].Value >= least.Priority && ok && (!least.nobody || leave == 0) {
					want = c
				}
			}
			require.Equal(t, want, least.Class)
			if least.nobody {
				free++
			}
			found++
		}
		for _, level := range r.Levels {
			ok, leave := with(level.Priority)
			require.Equal(t, ok, level.Placed == 1)
			if ok {
				fresh := 0
				for _, v := range level.Victims {
					if !v.Terminating {
						fresh++
					}
				}
				require.Equal(t, leave, fresh)
			}
		}
	})
	require.Positive(t, found)
	require.Positive(t, free)
	require.Positive(t, none)
}

// After changes a pod has its turn when its priority lets it, and so have all pods of a workload.
func TestPropertyLeastPriorityAfterChanges(t *testing.T) {
	pods, workloads := 0, 0
	overShapes(t, func(t *rapid.T, s question.Setting) {
		pod := drawPod(t, clustergen.Shape{})
		pod.Owner = outrank.Owner{}
		var changes []question.Change
		if len(s.Cluster.Nodes) > 1 {
			changes = append(changes, &question.RemoveNodes{Of: "nodes", Names: []string{s.Cluster.Nodes[0].Name}})
		}
		other := drawPod(t, clustergen.Shape{})
		changes = append(changes, &question.AddPods{Of: "others", Workload: question.Workload{
			Kind: "Deployment", Namespace: other.NamespaceName(), Name: "other", Pod: other, Replicas: 2, Ordinal: -1,
		}})
		asked := inverse.Asked{Pod: pod}
		if rapid.Bool().Draw(t, "workload") {
			asked.Workload = &question.Workload{Kind: "Deployment", Namespace: pod.NamespaceName(), Name: "asked", Pod: pod, Replicas: rapid.IntRange(1, 4).Draw(t, "replicas"), Ordinal: -1}
		}
		r := stable(t, func() (*inverse.LeastPriority, error) {
			return inverse.AskLeastPriority(scenario(t, s, changes...), asked)
		})
		enough := func(value int32) bool {
			sc := scenario(t, s, changes...)
			one := *pod
			one.Priority = &value
			if asked.Workload == nil {
				_, err := sc.Before(&one)
				require.NoError(t, err)
				ok, _ := places(t, s, sc.Snapshot(), &one)
				return ok
			}
			w := *asked.Workload
			w.Pod = &one
			require.NoError(t, sc.Apply(&question.AddPods{Of: "asked", Workload: w}))
			a, err := sc.Aftermath()
			require.NoError(t, err)
			fate := a.Workloads[len(a.Workloads)-1]
			return fate.Placed+fate.PushesOut == w.Replicas
		}
		if r.ForPlace == nil {
			require.False(t, enough(rapid.Int32Range(-10, priority.UserMax).Draw(t, "value")))
			return
		}
		require.True(t, enough(r.ForPlace.Priority))
		if r.ForPlace.Priority > math.MinInt32 {
			require.False(t, enough(r.ForPlace.Priority-1))
			if asked.Workload != nil {
				workloads++
			} else {
				pods++
			}
		}
	})
	require.Positive(t, pods)
	require.Positive(t, workloads)
}

// full is a node that pods of these priorities fill.
func full(priorities ...int32) *outrank.Cluster {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "1000", "cpu", strconv.Itoa(len(priorities)))}}}
	for i, p := range priorities {
		c.Pods = append(c.Pods, podOf(fmt.Sprintf("p%03d", i), "n", p))
	}
	return c
}

func podOf(name, on string, priority int32) *outrank.Pod {
	return &outrank.Pod{
		Name: name, NodeName: on, Priority: &priority, Ready: on != "", Owner: outrank.Owner{Kind: "ReplicaSet", Name: name},
		Containers: []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", "1")}},
	}
}

// Of too many priorities some are tried, and the least that was found is the least of those next to
// it all the same: one less is not enough.
func TestLeastOfManyPriorities(t *testing.T) {
	var all []int32
	for i := range int32(400) {
		all = append(all, 10*i+7)
	}
	one := podOf("new", "", 5)
	one.Containers[0].Requests = resource.MustList("cpu", "200")
	s := drawn.Setting(t, full(all...))
	r := stable(t, func() (*inverse.LeastPriority, error) {
		return inverse.AskLeastPriority(scenario(t, s), inverse.Asked{Pod: one})
	})
	require.Positive(t, r.Untried)
	require.EqualValues(t, 10*199+8, r.ForPlace.Priority, "above 200 pods of one cpu each")
	require.Nil(t, r.ForNobody)
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text, 3))
	require.Contains(t, text.String(), "There are too many priorities to try: 274 levels were left out, and a lower one may do.")
	require.Contains(t, text.String(), "With none of those that were tried it goes without anybody leaving.")
}

// A class with exactly the least priority serves, and one whose policy is Never does not.
func TestLeastPriorityNamesAClass(t *testing.T) {
	c := full(10)
	c.Classes = []*outrank.PriorityClass{{Name: "waits", Value: 11, PreemptionPolicy: outrank.PreemptNever}, {Name: "enough", Value: 11}, {Name: "more", Value: 12}}
	r, err := inverse.AskLeastPriority(scenario(t, drawn.Setting(t, c)), inverse.Asked{Pod: podOf("new", "", 5)})
	require.NoError(t, err)
	require.EqualValues(t, 11, r.ForPlace.Priority)
	require.Equal(t, "enough", r.ForPlace.Class)
	polite := podOf("new", "", 5)
	polite.PreemptionPolicy = outrank.PreemptNever
	r, err = inverse.AskLeastPriority(scenario(t, drawn.Setting(t, c)), inverse.Asked{Pod: polite})
	require.NoError(t, err)
	require.Nil(t, r.ForPlace)
	require.Equal(t, "enough", r.Instead.Class)
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text, 3))
	require.Contains(t, strings.ReplaceAll(text.String(), "\n", " "), "Its policy is Never. With class enough (11), which may push others out, it finds a place: on n, and 1 pod has to leave.")
}

// A pod that no scheduler tries by itself has no answer, and neither has none.
func TestNobodyToAskAbout(t *testing.T) {
	s := drawn.Setting(t, full(10))
	gated, leaving, resized := podOf("gated", "", 5), podOf("leaving", "", 5), podOf("resized", "", 5)
	gated.SchedulingGates, leaving.DeletionTimestamp, resized.ResizeDeferred = []string{"g"}, clustergen.Now(), true
	bare := podOf("bare", "", 5)
	bare.Containers = nil
	for _, p := range []*outrank.Pod{nil, gated, leaving, resized} {
		_, err := inverse.AskLeastPriority(scenario(t, s), inverse.Asked{Pod: p})
		require.ErrorIs(t, err, outrank.ErrInvalid)
		_, err = inverse.AskLargest(scenario(t, s), p)
		require.ErrorIs(t, err, outrank.ErrInvalid)
	}
	_, err := inverse.AskLargest(scenario(t, s), bare)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
