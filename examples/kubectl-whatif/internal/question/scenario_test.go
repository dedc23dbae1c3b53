package question_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// changed draws changes, and makes them by hand on a stage. pods are those that turns are about:
// recreated, new, and those of before.
func changed(t *rapid.T, s question.Setting) (_ []question.Change, walk *stage, pods map[outrank.Key]*outrank.Pod, priced func(*outrank.Pod, question.Origin) *outrank.Pod) {
	walk, pods = follow(t, s), map[outrank.Key]*outrank.Pod{}
	for p := range s.Snapshot.Pods() {
		pods[p.Key()] = p
	}
	classes := map[string]*outrank.PriorityClass{}
	then := map[outrank.Key]*outrank.Pod{} // as they were recreated by a change
	priced = func(p *outrank.Pod, of question.Origin) *outrank.Pod {
		if of == question.FromNode || of == question.Deleted {
			return then[p.Key()]
		}
		c := classes[p.PriorityClassName]
		if c == nil {
			return p
		}
		again := *p
		again.Priority = outrank.Priority(c.Value)
		return &again
	}
	var out []question.Change
	decided := map[string]bool{}
	for i := range rapid.IntRange(1, 4).Draw(t, "changes") {
		walk.kubelets()
		of := fmt.Sprintf("change %d", i)
		var nodes []*outrank.Node
		for n := range walk.snap.Nodes() {
			if !decided[n.Name] {
				nodes = append(nodes, n)
			}
		}
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			if len(nodes) < 2 {
				continue
			}
			n := rapid.SampledFrom(nodes).Draw(t, "goes")
			decided[n.Name] = true
			out = append(out, &question.RemoveNodes{Of: of, Names: []string{n.Name}})
			for _, p := range walk.snap.PodsOn(n.Name) {
				require.NoError(t, walk.snap.RemovePod(p.Key()))
				then[p.Key()] = priced(pods[p.Key()], question.New)
				decided[string(p.Key())] = true
			}
			require.NoError(t, walk.snap.RemoveNode(n.Name))
			for p := range s.Snapshot.Pods() {
				if walk.snap.NominationOf(p.Key()) == n.Name {
					require.NoError(t, walk.snap.Nominate(p.Key(), ""))
				}
			}
		case 1:
			if len(nodes) == 0 {
				continue
			}
			more := *rapid.SampledFrom(nodes).Draw(t, "like")
			more.Name = fmt.Sprintf("more-%d", i)
			decided[more.Name] = true
			out = append(out, &question.AddNodes{Of: of, Nodes: []*outrank.Node{&more}})
			require.NoError(t, walk.snap.PutNode(&more))
		case 2:
			name := rapid.SampledFrom([]string{"low", "high"}).Draw(t, "class")
			if classes[name] != nil {
				continue
			}
			classes[name] = &outrank.PriorityClass{Name: name, Value: rapid.Int32Range(1, 2000).Draw(t, "value")}
			out = append(out, &question.PutClasses{Of: of, Classes: []*outrank.PriorityClass{classes[name]}})
		case 3:
			var running []*outrank.Pod
			for p := range walk.snap.Pods() {
				if on := walk.snap.NodeOf(p.Key()); on != "" && !p.Terminating() && !decided[on] && !decided[string(p.Key())] {
					running = append(running, p)
				}
			}
			if len(running) == 0 {
				continue
			}
			p := rapid.SampledFrom(running).Draw(t, "deleted")
			decided[string(p.Key())] = true
			out = append(out, &question.DeletePods{Of: of, Keys: []outrank.Key{p.Key()}})
			require.NoError(t, walk.snap.RemovePod(p.Key()))
			then[p.Key()] = priced(pods[p.Key()], question.New)
		case 5:
			if c := walk.resize(of, decided); c != nil {
				out = append(out, c)
			}
		case 4:
			one, err := clustergen.Preemptor(clustergen.Shape{}, rapid.Uint64().Draw(t, "new"))
			require.NoError(t, err)
			one.Group, one.NominatedNodeName, one.Namespace = "", "", "default"
			w := question.Workload{Kind: "Deployment", Namespace: "default", Name: fmt.Sprintf("new-%d", i), Pod: one, Replicas: rapid.IntRange(1, 3).Draw(t, "replicas"), Ordinal: -1}
			out = append(out, &question.AddPods{Of: of, Workload: w})
			for k := range w.Replicas {
				made := *one
				made.Name, made.UID = fmt.Sprintf("new-%d-%d", i, k+1), ""
				pods[made.Key()] = &made
			}
		}
	}
	walk.kubelets()
	for _, p := range pods {
		if node := walk.snap.NodeOf(p.Key()); node != "" && p.Terminating() {
			require.NoError(t, walk.snap.RemovePod(p.Key()))
		}
	}
	walk.kubelets()
	return out, walk, pods, priced
}

// Whatever changes in whatever order, each turn is possible when it comes: a pod that is said to
// fit does, one that pushes others out fits once they are gone and not before, and one that
// stays pending fits nowhere. Every new pod has a turn.
func TestPropertyAftermathIsTrue(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		changes, walk, pods, priced := changed(t, s)
		sc, err := question.NewScenario(context.Background(), s, changes...)
		require.NoError(t, err)
		r := stable(t, sc.Aftermath)
		walk.moves(r, pods, priced)
		made := 0
		for _, c := range changes {
			if add, ok := c.(*question.AddPods); ok {
				made += add.Replicas
			}
		}
		require.Equal(t, made, r.Totals.New)
		stranded := 0
		for _, m := range r.Moves {
			if !m.Aside && m.Origin != question.PushedOut && (m.Outcome == question.Waits || m.InVain != nil) {
				stranded++
			}
		}
		require.Equal(t, stranded, r.Totals.Stranded)
		require.Len(t, r.Resizes, len(walk.asks))
		open := 0
		for i, a := range walk.asks {
			require.Equal(t, a.outcome, r.Resizes[i].Outcome, "%s", r.Resizes[i])
			if a.outcome == question.Deferred || a.outcome == question.NeverDone {
				open++
			}
		}
		require.Equal(t, open, r.Totals.Unresized)
		for _, d := range r.Displaced {
			_, there := s.Snapshot.Pod(d.Key)
			require.True(t, there)
		}
		// A fork of it says the same, and what is made of the fork changes nothing.
		fork := sc.Fork()
		if err := fork.Apply(&question.Recreate{Of: "again"}); err == nil {
			again, err := sc.Aftermath()
			require.NoError(t, err)
			require.Equal(t, r, again)
		}
	})
}

// The drain of nodes can be played by hand, one pod after the other, each budget's pods counted
// anew, and it ends as was foretold.
func TestPropertyDrainsEndAsForetold(t *testing.T) {
	stuck, freed, waited, through, grown := 0, 0, 0, 0, 0
	overShapes(t, func(t *rapid.T, s question.Setting) {
		for _, b := range s.Cluster.Budgets {
			b.DesiredHealthy = rapid.Int32Range(0, 3).Draw(t, "desired")
			switch rapid.IntRange(0, 3).Draw(t, "spec") {
			case 0:
				b.MinAvailable = &outrank.IntOrPercent{Value: b.DesiredHealthy}
			case 1:
				b.MinAvailable = &outrank.IntOrPercent{Value: rapid.Int32Range(0, 100).Draw(t, "share"), Percent: true}
			case 2:
				b.MaxUnavailable = &outrank.IntOrPercent{Value: rapid.Int32Range(0, 2).Draw(t, "most")}
			case 3:
				b.MaxUnavailable = &outrank.IntOrPercent{Value: rapid.Int32Range(0, 100).Draw(t, "share"), Percent: true}
			}
			b.CurrentHealthy = b.DesiredHealthy + b.DisruptionsAllowed
			if b.DisruptionsAllowed == 0 {
				b.CurrentHealthy -= rapid.Int32Range(0, b.DesiredHealthy).Draw(t, "missing")
			}
		}
		s.Snapshot, _ = engine.NewSnapshot(s.Cluster)
		var going []string
		for _, n := range s.Cluster.Nodes {
			if rapid.IntRange(0, 2).Draw(t, "goes") == 0 {
				going = append(going, n.Name)
			}
		}
		if len(going) == 0 {
			going = []string{s.Cluster.Nodes[0].Name}
		}
		var changes []question.Change
		hand := &drainByHand{stage: follow(t, s), another: map[outrank.Key]bool{}, grown: map[outrank.Key]int{}}
		if rapid.Bool().Draw(t, "new pods") {
			changes = append(changes, hand.deploy(rapid.IntRange(1, 3).Draw(t, "replicas")))
		}
		sc, err := question.NewScenario(context.Background(), s, append(changes, &question.RemoveNodes{Of: "the question", Names: going})...)
		require.NoError(t, err)
		r, err := sc.Aftermath()
		require.NoError(t, err)
		require.Len(t, r.Drains, 1)
		d := r.Drains[0]
		for _, more := range hand.grown {
			grown += more
		}
		hand.begin(going)
		at := ""
		for _, n := range going {
			if !hand.drain(n) {
				at = n
				break
			}
		}
		require.Equal(t, at, d.StuckAt)
		require.Equal(t, at != "", d.Stuck)
		require.Equal(t, hand.evicted, d.Evicted)
		require.Equal(t, hand.waits, d.Waits)
		require.Len(t, d.Held, len(hand.held))
		for _, h := range d.Held {
			require.Contains(t, hand.held, h.Pod.Key)
		}
		if d.Freed != nil {
			require.True(t, d.Stuck)
			other, err := question.NewScenario(context.Background(), s, changes...)
			require.NoError(t, err)
			for _, a := range d.Freed {
				require.NoError(t, other.Apply(&question.PutBudget{Of: "a budget", Key: a.Budget, Allowed: a.Allowed}))
			}
			require.NoError(t, other.Apply(&question.RemoveNodes{Of: "nodes", Names: going}))
			r, err := other.Aftermath()
			require.NoError(t, err)
			require.False(t, r.Drains[0].Stuck, "%v", d.Freed)
			freed++
		}
		switch {
		case d.Stuck:
			stuck++
		case d.Waits > 0:
			waited++
		default:
			through++
		}
	})
	require.Positive(t, grown)
	require.Positive(t, stuck)
	require.Positive(t, freed)
	require.Positive(t, waited)
	require.Positive(t, through)
}

// drainByHand drains with nothing but the evaluator, and counts healthy pods anew each time.
type drainByHand struct {
	*stage
	before         map[outrank.Key]int // ready pods of each budget at first
	budgets        []*outrank.PodDisruptionBudget
	evicted, waits int
	pushed         int // by others who wait
	empty          []string
	held           []outrank.Key
	another        map[outrank.Key]bool // pods of a name that another had
	grown          map[outrank.Key]int  // how many more pods of a budget have to be healthy
}

// deploy adds new pods, and lets the budgets that cover them want more pods to be healthy.
func (d *drainByHand) deploy(n int) question.Change {
	one, err := clustergen.Preemptor(clustergen.Shape{}, rapid.Uint64().Draw(d.T, "new"))
	require.NoError(d, err)
	one.Group, one.NominatedNodeName, one.Namespace, one.Owner = "", "", rapid.SampledFrom([]string{"default", "team-a", "team-b"}).Draw(d.T, "namespace"), outrank.Owner{Kind: "ReplicaSet", Name: "new"}
	one.Labels = map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(d.T, "app")}
	covered := func(b *outrank.PodDisruptionBudget) (n int) {
		for p := range d.snap.Pods() {
			n += len(pdb.New([]*outrank.PodDisruptionBudget{b}).Covering(p))
		}
		return n
	}
	wants := func(b *outrank.PodDisruptionBudget, all int) int {
		share := func(f *outrank.IntOrPercent) int {
			if f.Percent {
				return (int(f.Value)*all + 99) / 100
			}
			return int(f.Value)
		}
		if b.MaxUnavailable != nil {
			return max(0, all-share(b.MaxUnavailable))
		}
		return share(b.MinAvailable)
	}
	before := make([]int, len(d.Cluster.Budgets))
	for i, b := range d.Cluster.Budgets {
		before[i] = covered(b)
	}
	for i := range n {
		made := *one
		made.Name, made.UID = fmt.Sprintf("new-%d", i+1), ""
		require.NoError(d, errOf(d.snap.PutPod(&made)))
	}
	for i, b := range d.Cluster.Budgets {
		d.grown[b.Key()] = wants(b, covered(b)) - wants(b, before[i])
	}
	return &question.AddPods{Of: "new", Workload: question.Workload{Kind: "ReplicaSet", Namespace: one.Namespace, Name: "new", Pod: one, Replicas: n, Ordinal: -1}}
}

// cordon keeps pods from nodes.
func (d *drainByHand) cordon(nodes []string) {
	for _, name := range nodes {
		n, _ := d.snap.Node(name)
		c := *n
		c.Unschedulable = true
		require.NoError(d, d.snap.PutNode(&c))
	}
}

func (d *drainByHand) begin(nodes []string) {
	d.cordon(nodes)
	for _, p := range d.Cluster.Pods {
		if d.snap.NodeOf(p.Key()) == "" || !p.Terminating() {
			continue
		}
		node := d.snap.NodeOf(p.Key())
		require.NoError(d, d.snap.RemovePod(p.Key()))
		if p.Owner.Kind == "DaemonSet" {
			d.wait(p, node)
		}
	}
	d.budgets = d.Cluster.Budgets
	d.before = d.ready()
}

// wait puts the pod that is recreated for another among those that wait.
func (d *drainByHand) wait(p *outrank.Pod, node string) {
	next := again(p)
	next.Ready = false
	if next.NodeName = ""; p.Owner.Kind == "DaemonSet" {
		next.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchFields: []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.In, Values: []string{node}}},
		}}}
		if has := p.Affinity.NodeAffinity; has != nil {
			next.Affinity.NodeAffinity.NodeSelectorTerms = nil
			for _, term := range has.NodeSelectorTerms {
				term.MatchFields = []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.In, Values: []string{node}}}
				next.Affinity.NodeAffinity.NodeSelectorTerms = append(next.Affinity.NodeAffinity.NodeSelectorTerms, term)
			}
		}
	}
	next.StartTime, next.DeletionTimestamp = time.Time{}, time.Time{}
	d.another[next.Key()] = true
	require.NoError(d, errOf(d.snap.PutPod(next)))
}

// ready counts the ready pods of each budget.
func (d *drainByHand) ready() map[outrank.Key]int {
	out := map[outrank.Key]int{}
	all := pdb.New(d.budgets)
	for p := range d.snap.Pods() {
		if d.snap.NodeOf(p.Key()) != "" && p.Ready && !p.Terminating() {
			for _, i := range all.Covering(p) {
				if _, counted := all.At(i).DisruptedPods[p.Name]; !counted || d.another[p.Key()] {
					out[all.At(i).Key()]++
				}
			}
		}
	}
	return out
}

// spare is how many pods of a budget may go now.
func (d *drainByHand) spare(b *outrank.PodDisruptionBudget) int {
	first := int(b.DisruptionsAllowed)
	if first == 0 {
		first = min(0, int(b.CurrentHealthy-b.DesiredHealthy))
	}
	first -= d.grown[b.Key()]
	return first + d.ready()[b.Key()] - d.before[b.Key()]
}

func (d *drainByHand) may(p *outrank.Pod, healthy map[outrank.Key]int) bool {
	var covering []*outrank.PodDisruptionBudget
	for _, b := range d.budgets {
		if len(pdb.New([]*outrank.PodDisruptionBudget{b}).Covering(p)) > 0 {
			covering = append(covering, b)
		}
	}
	switch {
	case len(covering) == 0 || p.Phase == outrank.PhasePending:
		return true
	case len(covering) > 1:
		return false
	}
	b := covering[0]
	free := b.UnhealthyPodEvictionPolicy == outrank.AlwaysAllow || int(b.DesiredHealthy)+d.grown[b.Key()] > 0 && healthy[b.Key()] >= 0
	return !p.Ready && free || d.spare(b) > 0
}

// drain empties a node, and reports whether it could.
func (d *drainByHand) drain(node string) bool {
	var rest []*outrank.Pod
	for _, p := range d.snap.PodsOn(node) {
		if p.Owner.Kind != "DaemonSet" && p.Owner.Kind != "Node" && !p.Mirror && !p.Static {
			rest = append(rest, p)
		}
	}
	states := map[string]bool{}
	for {
		healthy := map[outrank.Key]int{}
		for _, b := range d.budgets {
			healthy[b.Key()] = d.spare(b)
		}
		var left []*outrank.Pod
		for _, p := range rest {
			if now, ok := d.snap.Pod(p.Key()); !ok || now != p {
				d.evicted++ // by another pod
				continue
			}
			if !d.may(p, healthy) {
				left = append(left, p)
				continue
			}
			d.evicted++
			require.NoError(d, d.snap.RemovePod(p.Key()))
			if p.Owner != (outrank.Owner{}) {
				d.wait(p, node)
			}
		}
		changed := d.schedule()
		if len(left) == 0 {
			return true
		}
		state := ""
		for p := range d.snap.Pods() {
			state += fmt.Sprintln(p.Key(), d.snap.NodeOf(p.Key()), d.snap.NominationOf(p.Key()), p.Ready)
		}
		if len(left) < len(rest) {
			clear(states)
		} else if states[state] {
			changed = false
		} else {
			states[state] = true
		}
		if len(left) == len(rest) && !changed {
			for _, p := range left {
				d.held = append(d.held, p.Key())
			}
			return false
		}
		rest = left
		d.waits++
	}
}

// schedule lets everybody who waits take a turn, and those who found a place become ready.
func (d *drainByHand) schedule() (changed bool) {
	tried := map[outrank.Key]bool{}
	var placed []outrank.Key
	for {
		d.recount()
		var next *outrank.Pod
		for p := range d.snap.Pods() {
			if d.snap.NodeOf(p.Key()) != "" || tried[p.Key()] || p.NodeName != "" {
				continue
			}
			if next == nil || queue.CompareEntries(&queue.Entry{Pod: p}, &queue.Entry{Pod: next}) < 0 {
				next = p
			}
		}
		if next == nil {
			break
		}
		tried[next.Key()] = true
		if next.Gated() || next.Terminating() || next.Scheduler() != outrank.DefaultScheduler {
			continue
		}
		runs, pushed := d.turn(next, tried)
		changed = changed || pushed
		if runs {
			placed = append(placed, next.Key())
		}
	}
	for _, key := range placed {
		p, _ := d.snap.Pod(key)
		if d.snap.NodeOf(key) == "" || p.Ready {
			continue // pushed out again
		}
		changed = true
		ready := *p
		ready.Ready, ready.NodeName = true, d.snap.NodeOf(key)
		require.NoError(d, errOf(d.snap.PutPod(&ready)))
	}
	d.recount()
	return changed
}

// recount gives every budget its status.
func (d *drainByHand) recount() {
	for _, b := range d.budgets {
		now := *b
		now.DisruptionsAllowed, now.DisruptedPods = int32(max(0, d.spare(b))), map[string]time.Time{}
		for name, at := range b.DisruptedPods {
			if !d.another[outrank.NewKey(b.Namespace, name)] {
				now.DisruptedPods[name] = at
			}
		}
		require.NoError(d, d.snap.PutBudget(&now))
	}
}

// turn lets a pod take its turn, and puts whoever leaves for it among those that wait.
func (d *drainByHand) turn(p *outrank.Pod, tried map[outrank.Key]bool) (runs, pushed bool) {
	ctx := context.Background()
	plan, err := d.Evaluator.Preempt(ctx, d.snap, preemption.Request{Pod: p, Now: d.Now})
	require.NoError(d, err)
	switch plan.Outcome {
	case preemption.Fits:
		nodes, err := d.Evaluator.Feasible(ctx, d.snap, p)
		require.NoError(d, err)
		require.NoError(d, d.snap.Bind(p.Key(), nodes[0].Name))
		return true, false
	case preemption.Preempts:
		d.pushed += len(plan.Victims)
		for _, v := range plan.Victims {
			require.NoError(d, d.snap.RemovePod(v.Pod.Key()))
		}
		for _, c := range plan.ClearedNominations {
			require.NoError(d, d.snap.Nominate(c.Key(), ""))
		}
		fits := d.fits(p, plan.Node)
		if fits {
			require.NoError(d, d.snap.Bind(p.Key(), plan.Node))
		}
		for _, v := range plan.Victims {
			if v.Pod.Owner != (outrank.Owner{}) && v.Pod.Owner.Kind != "Node" && !(v.Pod.Owner.Kind != "DaemonSet" && (v.Pod.Mirror || v.Pod.Static)) {
				delete(tried, v.Pod.Key())
				d.wait(v.Pod, plan.Node)
			}
		}
		return fits, true
	}
	return false, false
}

// A node that goes takes the room along that was promised on it.
func TestNominationsToNodesThatGo(t *testing.T) {
	s := set(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{
		pod("waits", "", 5, "1", func(p *outrank.Pod) { p.NominatedNodeName = "n1" }), pod("other", "", 5, "1", func(p *outrank.Pod) { p.NominatedNodeName = "n2" }),
	}})
	sc, err := question.NewScenario(context.Background(), s, &question.RemoveNodes{Of: "it", Names: []string{"n1"}})
	require.NoError(t, err)
	require.Empty(t, sc.Snapshot().NominationOf("shop/waits"))
	require.Equal(t, "n2", sc.Snapshot().NominationOf("shop/other"))
}

// So many nodes more are enough, and one less is not.
func TestPropertyMoreNodesAreEnough(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		like := s.Cluster.Nodes[0]
		sc, err := question.NewScenario(context.Background(), s)
		require.NoError(t, err)
		r := stable(t, func() (*question.MoreNodes, error) { return sc.MoreNodes(like.Name, 9) })
		after := func(n int) (pending, victims int) {
			more, err := question.NewScenario(context.Background(), s)
			require.NoError(t, err)
			require.NoError(t, more.Apply(&question.AddNodes{Of: "by hand", Nodes: more.NodesLike(like, n)}))
			a, err := more.Aftermath()
			require.NoError(t, err)
			for _, m := range a.Moves {
				if m.Outcome == question.Waits || m.InVain != nil {
					pending++
				}
			}
			for p := range s.Snapshot.Pods() {
				if s.Snapshot.NodeOf(p.Key()) == "" && (p.Gated() || p.Terminating() || p.Scheduler() != outrank.DefaultScheduler) {
					pending-- // nobody here tries it
				}
			}
			return pending + a.StillPending, a.Totals.Victims + a.Totals.Aside
		}
		for _, found := range []struct {
			n      *int
			enough func(pending, victims int) bool
		}{
			{r.ForAll, func(pending, _ int) bool { return pending == 0 }},
			{r.ForNobody, func(pending, victims int) bool { return pending+victims == 0 }},
		} {
			if found.n == nil {
				continue
			}
			require.True(t, found.enough(after(*found.n)), "%d nodes are enough", *found.n)
			if *found.n > 0 {
				require.False(t, found.enough(after(*found.n-1)), "%d nodes are not", *found.n-1)
			}
		}
	})
}

// New pods under a budget that lets all but some be away make it let fewer go until they are
// ready: nothing is gained by them for a drain. One that somebody set stays as it was set.
func TestNewPodsUnderABudget(t *testing.T) {
	web := func(name, on string) *outrank.Pod {
		return pod(name, on, 5, "1", owned("ReplicaSet", "web"), labelled("app", "web"))
	}
	one := outrank.IntOrPercent{Value: 1}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")},
		Pods:  []*outrank.Pod{web("a", "n1"), web("b", "n1"), web("c", "n1")},
		Budgets: []*outrank.PodDisruptionBudget{{
			Namespace: "shop", Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			MaxUnavailable: &one, DisruptionsAllowed: 1, CurrentHealthy: 3, DesiredHealthy: 2,
		}},
	}
	more := question.Workload{Kind: "ReplicaSet", Namespace: "shop", Name: "more", Pod: pod("more", "", 5, "1", owned("ReplicaSet", "more"), labelled("app", "web")), Replicas: 2, Ordinal: -1}
	drain := func(changes ...question.Change) *question.Drain {
		sc, err := question.NewScenario(context.Background(), set(t, c), append(changes, &question.RemoveNodes{Of: "drain", Names: []string{"n1"}})...)
		require.NoError(t, err)
		a, err := sc.Aftermath()
		require.NoError(t, err)
		return &a.Drains[0]
	}
	require.Equal(t, 2, drain().Waits)
	with := drain(&question.AddPods{Of: "more", Workload: more})
	require.Equal(t, 3, with.Waits, "first until the new ones are ready, then one by one")
	require.False(t, with.Stuck)
	again := &question.PutBudget{Of: "set", Key: "shop/web", Allowed: 3}
	require.Zero(t, drain(again, &question.AddPods{Of: "more", Workload: more}).Waits)
	require.Zero(t, drain(&question.AddPods{Of: "more", Workload: more}, again).Waits)
	other := more
	other.Pod = pod("more", "", 5, "1", owned("ReplicaSet", "more"), labelled("app", "other"))
	require.Equal(t, 2, drain(&question.AddPods{Of: "more", Workload: other}).Waits)
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
