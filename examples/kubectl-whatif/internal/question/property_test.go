package question_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/drawn"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// draw is a setting about a drawn cluster.
func draw(t *rapid.T, shape clustergen.Shape) question.Setting {
	c := drawn.Cluster(t, shape)
	s := set(t, c)
	s.Now = clustergen.Now()
	return s
}

func overShapes(t *testing.T, property func(t *rapid.T, s question.Setting)) {
	for name, shape := range drawn.Shapes() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := draw(t, shape)
				unchanged(t, s, func() { property(t, s) })
			})
		})
	}
}

// stage follows a result step by step by hand, and checks that each is possible.
type stage struct {
	*rapid.T
	question.Setting
	snap *engine.Snapshot
	// asks are resizes, in the order of the changes.
	asks []*ask
}

func follow(t *rapid.T, s question.Setting) *stage {
	return &stage{T: t, Setting: s, snap: s.Snapshot.Clone()}
}

func (s *stage) fits(pod *outrank.Pod, node string) bool {
	status, err := s.Evaluator.Check(s.snap, pod, node)
	require.NoError(s, err)
	return status.Code == preemption.Success
}

func (s *stage) feasible(pod *outrank.Pod) int {
	nodes, err := s.Evaluator.Feasible(context.Background(), s.snap, pod)
	require.NoError(s, err)
	return len(nodes)
}

// run lets a pod run on a node, and requires that it fits there.
func (s *stage) run(pod *outrank.Pod, node string) {
	require.True(s, s.fits(pod, node), "%s is said to fit on %s", pod.Key(), node)
	placed := *pod
	placed.NodeName, placed.NominatedNodeName = node, ""
	require.NoError(s, errOf(s.snap.PutPod(&placed)))
}

func (s *stage) remove(victims []question.Victim) {
	for _, v := range victims {
		require.NoError(s, s.snap.RemovePod(v.Key))
	}
}

// stable requires that a question has the same answer again, to the byte, that
// its JSON can be read back, and that its text has no control character.
func stable[T answer](t require.TestingT, again func() (T, error)) T {
	one, err := again()
	require.NoError(t, err)
	two, err := again()
	require.NoError(t, err)
	a, err := json.Marshal(one)
	require.NoError(t, err)
	b, err := json.Marshal(two)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
	require.NotContains(t, string(a), "null", "lists are never null")
	for _, limit := range []int{0, 1, 10} {
		var first, second bytes.Buffer
		require.NoError(t, one.WriteText(&first, limit))
		require.NoError(t, two.WriteText(&second, limit))
		require.Equal(t, first.String(), second.String())
		require.NotContains(t, first.String(), "\x1b")
	}
	return one
}

// A replica that is reported to fit fits at its turn, without evictions where
// none is reported; the victims of one that pushes others out make room and are
// needed, and the last one has no room anywhere and pushes nobody out.
func TestPropertyReplicasAreTrue(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		p := drawPod(t, s)
		r := stable(t, func() (*question.Replicas, error) { return question.AskReplicas(context.Background(), s, p, 30) })
		walk := follow(t, s)
		if walk.snap.NodeOf(p.Key()) == "" {
			_ = walk.snap.RemovePod(p.Key())
		}
		for i, turn := range r.Turns {
			one := *p
			_, one.Name = turn.Pod.Key.Split()
			one.UID, one.NominatedNodeName = "", ""
			switch turn.Outcome {
			case question.Placed:
				require.Equal(t, walk.feasible(&one), turn.Fits)
			case question.PushesOut:
				require.Zero(t, walk.feasible(&one), "a pod is pushed out in vain")
				require.NotEmpty(t, turn.Victims)
				for _, v := range turn.Victims {
					require.Less(t, v.Priority, turn.Pod.Priority)
				}
				walk.remove(turn.Victims)
				if turn.InVain != nil {
					require.True(t, r.Stopped)
					require.False(t, walk.fits(&one, turn.Node))
					continue
				}
			default:
				require.True(t, r.Stopped)
				require.Equal(t, len(r.Turns)-1, i)
				require.Equal(t, r.Running, i)
				require.Zero(t, walk.feasible(&one))
				plan, err := s.Evaluator.Preempt(context.Background(), walk.snap, preemption.Request{Pod: &one, Now: s.Now})
				require.NoError(t, err)
				require.NotEqual(t, preemption.Preempts, plan.Outcome)
				require.Equal(t, plan.Outcome, r.Why.Outcome)
				continue
			}
			walk.run(&one, turn.Node)
		}
		if !r.Stopped {
			require.Equal(t, 30, r.Running)
		}
		free := slices.IndexFunc(r.Turns, func(t question.Turn) bool { return t.Outcome != question.Placed })
		if free < 0 {
			free = len(r.Turns)
		}
		require.Equal(t, free, r.Free)
	})
}

func drawPod(t *rapid.T, s question.Setting) *outrank.Pod {
	p, err := clustergen.Preemptor(clustergen.Shape{}, rapid.Uint64().Draw(t, "asked"))
	require.NoError(t, err)
	p.Name, p.Group, p.NominatedNodeName = "asked", "", ""
	return p
}

// The outcomes of all pending pods can be followed step by step: a placed pod fits, one
// that pushes others out fits once its victims are gone, and one that waits fits nowhere.
func TestPropertyPendingIsTrue(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		r := stable(t, func() (*question.Pending, error) { return question.AllPending(context.Background(), s) })
		waiting := 0
		for p := range s.Snapshot.Pods() {
			if p.NodeName == "" {
				waiting++
			}
		}
		require.Len(t, r.Turns, waiting)
		walk := follow(t, s)
		for i, turn := range r.Turns {
			if i > 0 {
				require.GreaterOrEqual(t, r.Turns[i-1].Pod.Priority, turn.Pod.Priority, "the order of the queue")
			}
			pod, _ := walk.snap.Pod(turn.Pod.Key)
			switch turn.Outcome {
			case question.Placed:
				require.True(t, walk.fits(pod, turn.Node))
				require.NoError(t, walk.snap.Bind(pod.Key(), turn.Node))
			case question.PushesOut:
				require.Zero(t, walk.feasible(pod))
				mark := walk.snap.Mark()
				walk.remove(turn.Victims)
				require.Equal(t, turn.InVain == nil, walk.fits(pod, turn.Node), "%s fits on %s without its victims", pod.Key(), turn.Node)
				require.NoError(t, walk.snap.Undo(mark))
				walk.announce(&turn)
			case question.Waits:
				require.Zero(t, walk.feasible(pod))
			}
		}
	})
}

// announce makes the victims of a turn begin to leave.
func (s *stage) announce(turn *question.Turn) {
	for _, v := range turn.Victims {
		known, _ := s.snap.Pod(v.Key)
		require.Equal(s, known.Terminating(), v.Terminating)
		if !v.Terminating {
			leaving := *known
			leaving.NodeName, leaving.DeletionTimestamp, leaving.DisruptionReason = s.snap.NodeOf(v.Key), s.Now, outrank.PreemptionByScheduler
			require.NoError(s, errOf(s.snap.PutPod(&leaving)))
		}
	}
	for _, key := range turn.ClearedNominations {
		require.NoError(s, s.snap.Nominate(key, ""))
	}
	require.NoError(s, s.snap.Nominate(turn.Pod.Key, turn.Node))
}

// A pod is in the reach of a class exactly if it is a possible victim of a pod of
// the class that may go nowhere but to its node.
func TestPropertyReachIsTrue(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		changed := []*outrank.PriorityClass{{
			Name: rapid.SampledFrom([]string{"low", "high", "polite", "new"}).Draw(t, "class"), Value: rapid.Int32Range(-10, 2000).Draw(t, "value"),
			GlobalDefault: rapid.Bool().Draw(t, "default"), PreemptionPolicy: rapid.SampledFrom([]outrank.PreemptionPolicy{"", outrank.PreemptNever}).Draw(t, "policy"),
		}}
		r := stable(t, func() (*question.ClassImpact, error) { return question.AskClasses(context.Background(), s, changed) })
		for _, class := range r.Classes {
			before, after := reach(t, s, class.Before), reach(t, s, class.After)
			require.Equal(t, len(before), class.Now)
			require.Equal(t, len(after), class.AsTheyStand.Pods, "class %q", class.Class)
			gained := 0
			for key := range after {
				if !before[key] {
					gained++
				}
			}
			require.Equal(t, gained, class.AsTheyStand.Gained)
			require.Equal(t, len(before)-len(after)+gained, class.AsTheyStand.Lost)
			for _, key := range class.AsTheyStand.Names {
				require.True(t, after[key] && !before[key], "%s is new within reach of %q", key, class.Class)
			}
		}
		all := func(of func(*question.ClassReach) *question.ClassValue) map[outrank.Key]bool {
			out := map[outrank.Key]bool{}
			for i := range r.Classes {
				if !strings.HasPrefix(r.Classes[i].Class, "system-") {
					maps.Copy(out, reach(t, s, of(&r.Classes[i])))
				}
			}
			return out
		}
		before := all(func(c *question.ClassReach) *question.ClassValue { return c.Before })
		after := all(func(c *question.ClassReach) *question.ClassValue { return c.After })
		gained := 0
		for key := range after {
			if !before[key] {
				gained++
			}
		}
		require.Equal(t, []int{len(before), len(after), gained}, []int{r.Anybody.Now, r.Anybody.AsTheyStand.Pods, r.Anybody.AsTheyStand.Gained})
		later := remade(t, s, r)
		for _, class := range r.Classes {
			require.Len(t, reach(t, later, class.After), class.Again.Pods, "class %q once all are made again", class.Class)
		}
		for _, p := range r.Pending {
			turnIs(t, s, p, &p.AsTheyStand, s.Snapshot)
			turnIs(t, s, p, &p.Again, later.Snapshot)
			walk := follow(t, s)
			pod, _ := walk.snap.Pod(p.Pod.Key)
			if p.Now.Outcome == question.PushesOut {
				walk.remove(p.Now.Victims)
				require.Equal(t, p.Now.InVain == nil, walk.fits(pod, p.Now.Node))
			}
		}
	})
}

// remade is the cluster once controllers have made their pods again.
func remade(t *rapid.T, s question.Setting, r *question.ClassImpact) question.Setting {
	c := *s.Cluster
	c.Pods = nil
	for _, p := range s.Cluster.Pods {
		for _, class := range r.Classes {
			other := class.After != nil && (class.Before == nil || class.Before.Value != class.After.Value || class.Before.Policy != class.After.Policy)
			if class.Class == p.PriorityClassName && other && p.NodeName != "" && p.Owner != (outrank.Owner{}) && !p.Mirror && !p.Static && !p.Terminating() {
				again := *p
				again.Priority, again.PreemptionPolicy = outrank.Priority(class.After.Value), class.After.Policy
				p = &again
			}
		}
		c.Pods = append(c.Pods, p)
	}
	later := set(t, &c)
	later.Now = s.Now
	return later
}

// turnIs compares a turn of a waiting pod with a decision about it as it would be
// created again.
func turnIs(t *rapid.T, s question.Setting, p question.PendingImpact, turn *question.Turn, snap *engine.Snapshot) {
	known, _ := snap.Pod(p.Pod.Key)
	again := *known
	again.Priority = outrank.Priority(p.After)
	if p.After != p.Pod.Priority {
		again.PreemptionPolicy = ""
	}
	if turn.Ineligible != "" || known.PreemptionPolicy == outrank.PreemptNever {
		return
	}
	plan, err := s.Evaluator.Preempt(context.Background(), snap, preemption.Request{Pod: &again, Now: s.Now})
	require.NoError(t, err)
	switch plan.Outcome {
	case preemption.Fits:
		require.Equal(t, question.Placed, turn.Outcome)
	case preemption.Preempts:
		require.Equal(t, question.PushesOut, turn.Outcome)
		require.Equal(t, plan.Node, turn.Node)
		require.Len(t, turn.Victims, len(plan.Victims))
	default:
		require.Equal(t, question.Waits, turn.Outcome)
	}
}

// reach are the possible victims of a pod with the values of a class, node by node.
func reach(t *rapid.T, s question.Setting, v *question.ClassValue) map[outrank.Key]bool {
	out := map[outrank.Key]bool{}
	if v == nil || v.Policy == outrank.PreemptNever {
		return out
	}
	probe := &outrank.Pod{Name: "probe", Priority: outrank.Priority(v.Value), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	lookAt, err := s.Evaluator.LookAt(s.Snapshot, preemption.Request{Pod: probe, Now: s.Now})
	require.NoError(t, err)
	for _, n := range s.Cluster.Nodes {
		view, err := lookAt(n.Name)
		require.NoError(t, err)
		for _, p := range view.Possible() {
			out[p.Key()] = true
		}
	}
	return out
}

// The fates of the pods of removed nodes can be followed step by step, and every
// pod of the nodes has one entry.
func TestPropertyWithoutIsTrue(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		going := []string{}
		for _, n := range s.Cluster.Nodes {
			if rapid.IntRange(0, 2).Draw(t, "goes") == 0 || len(going) == 0 {
				going = append(going, n.Name)
			}
		}
		r := stable(t, func() (*question.Aftermath, error) { return askWithout(context.Background(), s, going) })
		walk := follow(t, s)
		originals, on := map[outrank.Key]*outrank.Pod{}, 0
		for p := range s.Snapshot.Pods() {
			originals[p.Key()] = p
		}
		for _, name := range going {
			for _, p := range walk.snap.PodsOn(name) {
				on++
				require.NoError(t, walk.snap.RemovePod(p.Key()))
			}
			require.NoError(t, walk.snap.RemoveNode(name))
		}
		require.LessOrEqual(t, on, len(r.Lost)+len(r.Tied)+len(r.Leaving)+r.Totals.Own)
		for _, p := range originals {
			if node := walk.snap.NodeOf(p.Key()); node != "" && p.Terminating() {
				require.NoError(t, walk.snap.RemovePod(p.Key()))
			} else if slices.Contains(going, walk.snap.NominationOf(p.Key())) {
				require.NoError(t, walk.snap.Nominate(p.Key(), ""))
			}
		}
		walk.moves(r, originals, func(p *outrank.Pod, _ question.Origin) *outrank.Pod { return p })
	})
}

// moves follows turns to their ends. pods are those of the cluster before, and the new ones;
// priced gives one the priority that it has once it is recreated.
func (s *stage) moves(r *question.Aftermath, pods map[outrank.Key]*outrank.Pod, priced func(*outrank.Pod, question.Origin) *outrank.Pod) {
	seen := map[outrank.Key]bool{}
	var last *question.Move
	for i, m := range r.Moves {
		if last != nil && last.Origin != question.PushedOut && m.Origin != question.PushedOut {
			require.True(s, last.Pod.Priority > m.Pod.Priority || last.Pod.Priority == m.Pod.Priority && last.Pod.Key < m.Pod.Key, "the order of the queue")
		}
		if last != nil && r.Classes == nil {
			require.GreaterOrEqual(s, last.Pod.Priority, m.Pod.Priority, "who is recreated waits for a turn")
		}
		last = &r.Moves[i]
		require.False(s, seen[m.Pod.Key] && m.Origin != question.PushedOut, "%s takes two turns", m.Pod.Key)
		seen[m.Pod.Key] = true
		pod := pods[m.Pod.Key]
		if m.Origin != question.Waiting && m.Origin != question.New {
			pod = again(priced(pod, m.Origin))
		}
		require.Equal(s, pod.PriorityValue(), m.Pod.Priority)
		switch m.Outcome {
		case question.Placed:
			s.run(pod, m.Node)
		case question.PushesOut:
			require.Zero(s, s.feasible(pod))
			s.remove(m.Victims)
			for _, key := range m.ClearedNominations {
				require.NoError(s, s.snap.Nominate(key, ""))
			}
			if m.InVain != nil {
				require.False(s, s.fits(pod, m.Node))
				s.kubelets()
				continue
			}
			s.run(pod, m.Node)
			s.kubelets()
		case question.Waits:
			require.Zero(s, s.feasible(pod))
		}
	}
}

// again is a pod as its controller makes it anew.
func again(p *outrank.Pod) *outrank.Pod {
	c := *p
	c.UID, c.NominatedNodeName, c.Phase, c.DisruptionReason, c.DeletionTimestamp = "", "", "", "", time.Time{}
	if c.NodeName = ""; c.Owner.Kind == "DaemonSet" {
		c.NodeName = p.NodeName
	}
	c.AllocatedResources, c.Actual, c.Reported, c.ResizeDeferred, c.ResizeInfeasible = nil, nil, false, false, false
	for _, list := range []*[]outrank.Container{&c.Containers, &c.InitContainers} {
		fresh := append([]outrank.Container(nil), *list...)
		for i := range fresh {
			fresh[i].AllocatedResources, fresh[i].Actual, fresh[i].Reported = nil, nil, false
		}
		*list = fresh
	}
	return &c
}
