package backward_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/backward"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/drawn"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// drawnSetting is a setting about a drawn cluster in which some pods wait, none is being deleted, and
// every pod has a UID.
func drawnSetting(t *rapid.T, shape clustergen.Shape) question.Setting {
	shape.Nodes = rapid.IntRange(1, 5).Draw(t, "nodes")
	shape.Budgets, shape.Nominated = rapid.IntRange(0, 4).Draw(t, "budgets"), rapid.IntRange(0, 3).Draw(t, "nominated")
	c, err := clustergen.Cluster(shape, rapid.Uint64().Draw(t, "seed"))
	require.NoError(t, err)
	c.Classes = []*outrank.PriorityClass{{Name: "low", Value: 10}, {Name: "high", Value: 1000}, {Name: "polite", Value: 500, PreemptionPolicy: outrank.PreemptNever}}
	for i, p := range c.Pods {
		if i%4 > 0 {
			p.Owner = outrank.Owner{Kind: []string{"ReplicaSet", "DaemonSet", "Job"}[i%3], Name: fmt.Sprint(i % 5)}
		}
		p.Ready = i%5 > 0 && p.NodeName != ""
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "waiting") {
		p, err := clustergen.Preemptor(shape, rapid.Uint64().Draw(t, "pod"))
		require.NoError(t, err)
		p.Name, p.NominatedNodeName = fmt.Sprintf("waiting-%d", i), ""
		c.Pods = append(c.Pods, p)
	}
	for i, p := range c.Pods {
		p.UID = fmt.Sprint("uid-", i)
	}
	s := set(t, c)
	s.Now = clustergen.Now()
	return s
}

// told is an answer that is the same again, to the byte.
func told(t *rapid.T, s question.Setting, in backward.Input) *backward.Answer {
	var texts []string
	var out *backward.Answer
	for range 2 {
		sc, err := question.NewScenario(context.Background(), s)
		require.NoError(t, err)
		out, err = backward.Ask(sc, in)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, out.WriteText(&b, 3))
		require.NotNil(t, out.Overview(nil, nil))
		require.NoError(t, json.NewEncoder(&b).Encode(out))
		require.NotContains(t, b.String(), "null")
		texts = append(texts, b.String())
	}
	require.Equal(t, texts[0], texts[1])
	return out
}

// decide returns the victims of a pod's turn on a snapshot, by the evaluator alone.
func decide(t *rapid.T, s question.Setting, snap *engine.Snapshot, pod *outrank.Pod) []outrank.Key {
	ctx := context.Background()
	plan, err := s.Evaluator.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: s.Now})
	require.NoError(t, err)
	if plan.Outcome != preemption.Preempts {
		return nil
	}
	var out []outrank.Key
	for i := range plan.Victims {
		out = append(out, plan.Victims[i].Pod.Key())
	}
	return out
}

// A pod that somebody pushes out in a play of all turns was pushed out by that pod, whether or
// not an event says so, and each way that would have spared it does, by hand on the snapshot and
// with nothing but the evaluator; each that would not, does not.
func TestPropertyWhyPreemptedIsTrue(t *testing.T) {
	for name, shape := range drawn.Shapes() {
		t.Run(name, func(t *testing.T) {
			asked, byHand := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				s := drawnSetting(t, shape)
				// The first eviction of the play, where nothing was recreated before.
				sc, err := question.NewScenario(context.Background(), s)
				require.NoError(t, err)
				after, err := sc.Aftermath()
				require.NoError(t, err)
				at := slices.IndexFunc(after.Moves, func(m question.Move) bool { return len(m.Victims) > 0 })
				if at < 0 {
					for p := range s.Snapshot.Pods() {
						if node := s.Snapshot.NodeOf(p.Key()); node != "" && !p.Terminating() {
							require.Equal(t, backward.Nobody, told(t, s, backward.Input{Pod: p.Key()}).Verdict)
							return
						}
					}
					return
				}
				move := after.Moves[at]
				victim := rapid.SampledFrom(move.Victims).Draw(t, "victim")
				if known, _ := s.Snapshot.Pod(victim.Key); known.Terminating() {
					return
				}
				asked++
				plain := told(t, s, backward.Input{Pod: victim.Key, Classes: s.Cluster.Classes})
				require.Equal(t, backward.ByTheRules, plain.Verdict)
				require.Equal(t, move.Pod.Key, plain.By.Key)
				require.Equal(t, move.Node, plain.Turn.Node)
				if move.Origin != question.Waiting {
					return // it was recreated on the way
				}
				by, _ := s.Snapshot.Pod(move.Pod.Key)
				events, err := backward.ReadEvents(strings.NewReader(fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"reason":"Preempted",`+
					`"involvedObject":{"kind":"Pod","namespace":%q,"name":%q},"message":"Preempted by pod %s on node %s"}`, nameOf(victim.Key, 0), nameOf(victim.Key, 1), by.UID, move.Node)))
				require.NoError(t, err)
				said := told(t, s, backward.Input{Pod: victim.Key, Classes: s.Cluster.Classes, Events: events})
				require.NotNil(t, said.Event)
				require.Equal(t, backward.ByTheRules, said.Verdict)
				require.Equal(t, plain.By, said.By)
				require.Equal(t, plain.Turn, said.Turn)
				require.Equal(t, plain.Trials, said.Trials)

				// By hand: those before found a place or none, and nobody had left.
				snap := s.Snapshot.Clone()
				for p := range s.Snapshot.Pods() {
					if snap.NodeOf(p.Key()) != "" && p.Terminating() {
						require.NoError(t, snap.RemovePod(p.Key()))
					}
				}
				recreated := false
				for _, m := range after.Moves[:at] {
					if m.Outcome != question.Placed {
						continue
					}
					if m.Origin != question.Waiting {
						recreated = true
						break
					}
					require.NoError(t, snap.Bind(m.Pod.Key, m.Node))
				}
				if recreated || slices.ContainsFunc(after.Moves, func(m question.Move) bool { return m.Origin == question.Ending }) {
					return // these take turns of their own
				}
				byHand++
				require.Contains(t, decide(t, s, snap, by), victim.Key)
				for i := range plain.Trials {
					trialIsTrue(t, s, snap, plain, &plain.Trials[i])
				}
				for i := range plain.Also {
					other, _ := s.Snapshot.Pod(plain.Also[i].Pod.Key)
					require.Contains(t, decide(t, s, s.Snapshot, other), victim.Key)
				}
			})
			t.Logf("%d victims were asked about, %d of them followed by hand", asked, byHand)
			require.Positive(t, byHand)
		})
	}
}

func nameOf(key outrank.Key, part int) string {
	namespace, name := key.Split()
	return []string{namespace, name}[part]
}

// trialIsTrue makes the change of a trial by hand.
func trialIsTrue(t *rapid.T, s question.Setting, at *engine.Snapshot, a *backward.Answer, trial *backward.Trial) {
	if trial.Impossible != "" {
		return
	}
	snap := at.Clone()
	pod, _ := snap.Pod(a.Pod.Key)
	by, _ := snap.Pod(a.By.Key)
	switch trial.Way {
	case backward.ByBudget:
		for b := range snap.Budgets() {
			if slices.Contains(trial.Budgets, b.Key()) {
				strict := *b
				strict.DisruptionsAllowed = 0
				require.NoError(t, snap.PutBudget(&strict))
			}
		}
		if len(trial.Budgets) == 0 {
			require.NotEmpty(t, trial.Labels)
			require.True(t, maps.Equal(trial.Labels, pod.Labels), "they have no labels that controllers add")
			require.NoError(t, snap.PutBudget(&outrank.PodDisruptionBudget{Namespace: pod.Namespace, Name: "by-hand", Selector: &outrank.LabelSelector{MatchLabels: trial.Labels}}))
		}
	case backward.ByClass, backward.ByPriority:
		spares := func(value int32) bool {
			with := at.Clone()
			other := *pod
			other.Priority = outrank.Priority(value)
			require.NoError(t, errOf(with.PutPod(&other)))
			return !slices.Contains(decide(t, s, with, by), pod.Key())
		}
		require.Equal(t, trial.Spared, spares(*trial.Priority), "%s: %d", trial.Way, *trial.Priority)
		if trial.Way == backward.ByPriority && trial.Spared {
			require.False(t, spares(*trial.Priority-1), "one less is enough, too")
		}
		for _, class := range s.Cluster.Classes {
			if trial.Way == backward.ByClass && class.Value > pod.PriorityValue() && (class.Value < *trial.Priority || !trial.Spared) {
				require.False(t, spares(class.Value), "class %s spares it", class.Name)
			}
		}
		return
	case backward.ByNode:
		like, _ := snap.Node(trial.Like)
		one := *like
		one.Name, one.Unschedulable, one.Labels = "by-hand", false, maps.Clone(like.Labels)
		if _, has := one.Labels["kubernetes.io/hostname"]; has {
			one.Labels["kubernetes.io/hostname"] = one.Name
		}
		one.Taints = slices.DeleteFunc(slices.Clone(like.Taints), func(taint outrank.Taint) bool { return strings.HasPrefix(taint.Key, "node.kubernetes.io/") })
		require.NoError(t, snap.PutNode(&one))
	case backward.ByPolicy:
		polite := *by
		polite.PreemptionPolicy = outrank.PreemptNever
		require.NoError(t, errOf(snap.PutPod(&polite)))
		by = &polite
	}
	victims := decide(t, s, snap, by)
	require.Equal(t, trial.Spared, !slices.Contains(victims, pod.Key()), "%s", trial.Way)
	var told []outrank.Key
	for _, v := range trial.Turn.Victims {
		told = append(told, v.Key)
	}
	require.Equal(t, victims, told, "who leaves instead")
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
