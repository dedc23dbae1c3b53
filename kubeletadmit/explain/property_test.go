package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

var (
	cpus     = rapid.SampledFrom([]string{"100m", "200m", "300m", "400m"})
	memories = rapid.SampledFrom([]string{"1Gi", "2Gi", "3Gi"})
)

// somePod draws a pod of any class that asks for little.
func somePod(t *rapid.T, name string) *outrank.Pod {
	p := &outrank.Pod{Name: name, Namespace: "default", Priority: outrank.Priority(rapid.Int32Range(0, 3).Draw(t, "priority")), Containers: make([]outrank.Container, 1)}
	c := &p.Containers[0]
	switch class := rapid.SampledFrom([]outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}).Draw(t, "class"); class {
	case outrank.Burstable:
		c.Requests = resource.MustList("cpu", cpus.Draw(t, "cpu"))
	case outrank.Guaranteed:
		c.Requests = resource.MustList("cpu", cpus.Draw(t, "cpu"), "memory", memories.Draw(t, "memory"))
		c.Limits = c.Requests
	}
	if rapid.IntRange(0, 5).Draw(t, "stays") == 0 {
		p.Priority = outrank.Priority(2_000_000_000)
	}
	if rapid.IntRange(0, 5).Draw(t, "port") == 0 {
		c.Ports = []outrank.Port{{HostPort: 80}}
	}
	return p
}

// scene is a question to the kubelet with its answer and the reasons.
type scene struct {
	node   *outrank.Node
	active []*outrank.Pod
	pod    *outrank.Pod
	adm    kubeletadmit.Admission
	report *explain.Report
}

func overScenes(t *testing.T, property func(t *rapid.T, s *scene)) {
	rapid.Check(t, func(t *rapid.T) {
		s := &scene{node: &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "2", "memory", "8Gi"), Labels: map[string]string{"disk": "hdd"}}}
		s.node.Allocatable["pods"] = resource.New(rapid.Int64Range(1, 12).Draw(t, "pods"))
		for i := range rapid.IntRange(0, 10).Draw(t, "active") {
			s.active = append(s.active, somePod(t, fmt.Sprint("p", i)))
		}
		s.pod = somePod(t, "asks")
		s.pod.Priority = outrank.Priority(2_000_001_000)
		s.pod.Containers[0].Requests = resource.MustList("cpu", rapid.SampledFrom([]string{"500m", "1", "1900m", "3"}).Draw(t, "asks for"), "memory", memories.Draw(t, "memory"))
		if rapid.IntRange(0, 4).Draw(t, "plain") == 0 {
			s.pod.Priority = outrank.Priority(2)
		}
		if rapid.IntRange(0, 4).Draw(t, "selects") == 0 {
			s.pod.NodeSelector = map[string]string{"disk": "ssd"}
			s.node.Taints = []outrank.Taint{{Key: "gone", Effect: outrank.NoExecute}}
		}
		var err error
		s.adm, err = kubeletadmit.Admit(s.node, s.active, s.pod, kubeletadmit.Config{})
		require.NoError(t, err)
		s.report, err = explain.Ask(context.Background(), explain.Question{Node: s.node, Active: s.active, Pod: s.pod, Most: 1 << 20})
		require.NoError(t, err)
		property(t, s)
	})
}

func (s *scene) admitWith(t *rapid.T, grow resource.List, active []*outrank.Pod) kubeletadmit.Admission {
	node := *s.node
	node.Allocatable = resource.List{}
	for name, q := range s.node.Allocatable {
		node.Allocatable[name] = q.Add(grow[name])
	}
	adm, err := kubeletadmit.Admit(&node, active, s.pod, kubeletadmit.Config{})
	require.NoError(t, err)
	return adm
}

// What is said to be short is short by exactly that: with so much more on the node no amount
// is short, and with one less of one that one is.
func TestPropertyWhatIsShortIsShort(t *testing.T) {
	overScenes(t, func(t *rapid.T, s *scene) {
		grow := resource.List{}
		for _, f := range s.report.Failures {
			if c := f.Check; c.Resource != "" {
				grow[c.Resource] = prose.Quantity(c.Resource, c.Shortage())
			}
		}
		for _, f := range s.admitWith(t, grow, s.active).Failures {
			require.False(t, f.Resource != "", "%v", f)
		}
		for name, q := range grow {
			one := resource.New(1)
			if name == resource.CPU {
				one = resource.NewMilli(1)
			}
			grow[name] = q.Sub(one)
			failures := s.admitWith(t, grow, s.active).Failures
			require.True(t, slices.ContainsFunc(failures, func(f kubeletadmit.CheckFailure) bool { return f.Resource == name && f.Shortage() == 1 }))
			grow[name] = q
		}
	})
}

// Tier by tier and round by round the figures are those of the decision: what a tier has to
// cover is what its first round needs; each round is nearer than the next best, which is
// chosen where the first is not there.
func TestPropertyRoundsAreTheChoice(t *testing.T) {
	overScenes(t, func(t *rapid.T, s *scene) {
		var chosen []outrank.Key
		for i, class := range []outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed} {
			if len(s.report.Tiers.Items) == 0 {
				break
			}
			tier := s.report.Tiers.Items[2-i]
			require.Equal(t, class, tier.Class)
			for j, r := range tier.Rounds.Items {
				chosen = append(chosen, r.Pod.Key)
				if j == 0 {
					require.Len(t, tier.Covers, len(r.Frees))
					for k, c := range tier.Covers {
						require.Equal(t, c.Amount, r.Frees[k].Needed)
					}
				}
				if r.RunnerUp == nil {
					require.Equal(t, tier.Pods, j+1, "the last of its class")
					continue
				}
				require.LessOrEqual(t, r.Distance, r.RunnerUpDistance)
				require.Equal(t, r.Distance < r.RunnerUpDistance, r.DecidedBy == "distance")
				if j == 0 {
					s.runnerUpIsNext(t, &r, class)
				}
			}
			require.Equal(t, len(tier.Rounds.Items) > 0, len(tier.Covers) > 0)
		}
		require.Len(t, chosen, len(s.adm.Evictions))
		for i, e := range s.adm.Evictions {
			require.Equal(t, e.Pod.Key(), chosen[i])
		}
	})
}

// runnerUpIsNext takes the chosen pod away and leaves what it held short.
func (s *scene) runnerUpIsNext(t *rapid.T, r *explain.Round, class outrank.QOSClass) {
	rest := slices.DeleteFunc(slices.Clone(s.active), func(p *outrank.Pod) bool { return p.Key() == r.Pod.Key })
	adm, err := kubeletadmit.Resolve(s.pod, rest, s.adm.Failures, kubeletadmit.Config{})
	require.NoError(t, err)
	i := slices.IndexFunc(adm.Evictions, func(e kubeletadmit.EvictedPod) bool { return e.Tier == class })
	if i < 0 || class != outrank.Guaranteed {
		return // what this tier has to cover depends on those above it
	}
	require.Equal(t, r.RunnerUpDistance, adm.Evictions[i].Distance)
}

// Nobody is left out: each active pod is in a tier or stays, and those said to stay may not
// be evicted. What is said to be missing is what the decision says.
func TestPropertyEverybodyIsTold(t *testing.T) {
	overScenes(t, func(t *rapid.T, s *scene) {
		if len(s.report.Tiers.Items) == 0 {
			require.Empty(t, s.adm.Evictions)
			require.Empty(t, s.adm.Missing)
			return
		}
		total := s.report.Stay.Len()
		for _, tier := range s.report.Tiers.Items {
			total += tier.Pods
		}
		require.Equal(t, len(s.active), total)
		for _, stay := range s.report.Stay.Items {
			i := slices.IndexFunc(s.active, func(p *outrank.Pod) bool { return p.Key() == stay.Key })
			require.False(t, kubeletadmit.Preemptable(s.pod, s.active[i]))
		}
		require.Equal(t, len(s.adm.Missing) > 0, len(s.report.Missing) > 0)
	})
}

// A holder of a port holds it, a label that is missing is, and a toleration helps.
func TestPropertyThingsAreNamed(t *testing.T) {
	overScenes(t, func(t *rapid.T, s *scene) {
		for _, f := range s.report.Failures {
			switch f.Check.Predicate {
			case kubeletadmit.NodePorts:
				require.NotEmpty(t, f.Ports)
				i := slices.IndexFunc(s.active, func(p *outrank.Pod) bool { return p.Key() == f.Ports[0].Holder.Key })
				require.Equal(t, int32(80), s.active[i].Containers[0].Ports[0].HostPort)
			case kubeletadmit.NodeAffinity:
				have := "hdd"
				require.Equal(t, []explain.Label{{Key: "disk", Value: "ssd", Have: &have}}, f.Labels)
			case kubeletadmit.TaintToleration:
				require.NotEmpty(t, f.Taints)
				for _, taint := range f.Taints {
					require.True(t, taint.Toleration().Tolerates(taint))
				}
			}
		}
	})
}

// A report that was written and read back is the same, and says the same.
func TestPropertyReportsReadBack(t *testing.T) {
	overScenes(t, func(t *rapid.T, s *scene) {
		text, err := json.Marshal(s.report)
		require.NoError(t, err)
		var again explain.Report
		require.NoError(t, json.Unmarshal(text, &again))
		second, err := json.Marshal(&again)
		require.NoError(t, err)
		require.Equal(t, string(text), string(second))
		require.Equal(t, s.report.Text(), again.Text())
	})
}

// By options, too, the rounds are the evictions, and what the kubelet would do is what it
// does.
func TestPropertyOptionsAreTold(t *testing.T) {
	overScenes(t, func(t *rapid.T, s *scene) {
		a := kubeletadmit.Config{PriorityFirst: rapid.Bool().Draw(t, "priority first"), Exact: rapid.Bool().Draw(t, "exact")}
		r, err := explain.Ask(context.Background(), explain.Question{Node: s.node, Active: s.active, Pod: s.pod, Config: a, Most: 1 << 20})
		require.NoError(t, err)
		adm, err := kubeletadmit.Admit(s.node, s.active, s.pod, a)
		require.NoError(t, err)
		goes, rounds := map[outrank.Key]bool{}, 0
		for _, e := range adm.Evictions {
			goes[e.Pod.Key()] = true
		}
		for _, tier := range r.Tiers.Items {
			for _, round := range tier.Rounds.Items {
				rounds++
				require.True(t, goes[round.Pod.Key])
				require.Equal(t, a.Exact, round.DecidedBy == "search")
			}
		}
		require.Equal(t, len(goes), rounds)
		if a == (kubeletadmit.Config{}) {
			require.Equal(t, s.report, r)
			return
		}
		require.NotEmpty(t, r.Choice)
		require.Equal(t, len(goes) > 0, r.Kubelet != nil)
		if r.Kubelet == nil {
			return
		}
		require.Equal(t, len(s.adm.Evictions), r.Kubelet.Evicts)
		for _, p := range r.Kubelet.Spared.Items {
			require.False(t, goes[p.Key])
		}
		require.Equal(t, len(s.adm.Evictions)-r.Kubelet.Spared.Len()+len(r.Kubelet.Instead.Items), len(goes))
	})
}
