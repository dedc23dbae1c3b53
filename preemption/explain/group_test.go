package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
)

// gangs is a cluster where a group of two pods stands in the way of another.
func gangs(amount string) (*engine.Snapshot, *preemption.GroupPlan, error) {
	return gangsBy(amount, preemption.Config{})
}

// gangsBy is gangs by other rules.
func gangsBy(amount string, config preemption.Config) (*engine.Snapshot, *preemption.GroupPlan, error) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{machine("n1"), machine("n2")},
		Pods: []*outrank.Pod{
			running("shop-0", "n1", 50, takes("cpu", "2")), running("shop-1", "n2", 50, takes("cpu", "1")),
			running("batch", "n2", 10, takes("cpu", "3")), running("tiny", "n1", 5, takes("cpu", "100m")),
		},
		Groups: []*outrank.PodGroup{
			{Namespace: "shop", Name: "shop", DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(50)},
			{Namespace: "shop", Name: "train", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(1000)},
		},
		Budgets: []*outrank.PodDisruptionBudget{{Namespace: "shop", Name: "batch", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}}}},
	}
	c.Pods[0].Group, c.Pods[1].Group = "shop", "shop"
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		return nil, nil, err
	}
	c.Release = release
	snap, err := engine.NewSnapshot(c)
	if err != nil {
		return nil, nil, err
	}
	e, err := engine.New(config)
	if err != nil {
		return nil, nil, err
	}
	var pods []*outrank.Pod
	for i := range 2 {
		p := running(fmt.Sprint("train-", i), "", 1000, takes("cpu", amount))
		p.Group = "train"
		pods = append(pods, p)
	}
	plan, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: now})
	return snap, plan, err
}

func ExampleGroup() {
	snap, plan, err := gangs("3")
	if err != nil {
		log.Fatal(err)
	}
	report, err := explain.Group(snap, plan, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(report.Text())
	// Output:
	// 3 pods have to leave so that group shop/train can run, in 2 units that leave together; budget violations: 1.
	// As things are there is no place for shop/train-0 (2 nodes: NodeResourcesFit: Insufficient cpu; minCount (2) cannot be satisfied: 0 scheduled, 1 remaining).
	// Why each victim, the most important first; each was put back in its turn:
	//   group shop/shop (priority 50): shop/shop-0 (priority 50), shop/shop-1 (priority 50): with it back there was no place for shop/train-0 (1 node: NodeResourcesFit: Insufficient cpu).
	//   shop/batch (priority 10): with it back there was no place for shop/train-1 (1 node: NodeResourcesFit: Insufficient cpu); losing it breaks shop/batch.
	// Where its pods go:
	//   shop/train-0 on node n1
	//   shop/train-1 on node n2
}

func TestGoldenGroupReports(t *testing.T) {
	for name, amount := range map[string]string{"fits": "500m", "preempts": "3", "in-vain": "5"} {
		snap, plan, err := gangs(amount)
		require.NoError(t, err)
		r, err := explain.Group(snap, plan, explain.Options{})
		require.NoError(t, err)
		compare(t, "group-"+name+".txt", []byte(r.Text()))
		text, err := json.MarshalIndent(r, "", "  ")
		require.NoError(t, err)
		compare(t, "group-"+name+".json", append(text, '\n'))
	}
	_, err := explain.Group(nil, nil, explain.Options{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	one := explain.GroupReport{GroupName: explain.GroupName{Group: "shop/train"}, Outcome: preemption.Preempts, VictimPods: 2, Victims: explain.List[explain.GroupVictim]{Items: []explain.GroupVictim{{GroupName: explain.GroupName{Group: "shop/old"}}}}}
	assert.Equal(t, "2 pods have to leave so that group shop/train can run, in 1 unit that leaves together.", one.Summary())
	for _, r := range []explain.GroupReport{{}, {Outcome: preemption.NotEligible}, {Outcome: preemption.NothingHelps, Unhelpful: &explain.NoPlace{}}, {Outcome: preemption.Preempts, Victims: explain.List[explain.GroupVictim]{Items: []explain.GroupVictim{{}}}}} {
		assert.NotEmpty(t, r.Text())
	}
}

// atLeast is the state of a guard that lets pods go down to a priority, but not the group shop alone.
type atLeast struct {
	priority int32
	gone     map[*outrank.Pod]bool
	silent   bool
}

func (g atLeast) guard() *preemption.Guard {
	return &preemption.Guard{Name: "AtLeast", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
		g.gone = map[*outrank.Pod]bool{}
		return g, nil
	}}
}

func (g atLeast) Remove(p *outrank.Pod, _ *outrank.Node) { g.gone[p] = true }
func (g atLeast) Add(p *outrank.Pod, _ *outrank.Node)    { delete(g.gone, p) }
func (g atLeast) Clone() preemption.GuardState           { g.gone = maps.Clone(g.gone); return g }

func (g atLeast) Rule(p *outrank.Pod) string {
	if p.PriorityValue() < 50 {
		return "" // as MayTake says
	}
	return "by the guard"
}

func (g atLeast) Check() preemption.Status {
	alone := len(g.gone) > 0
	for p := range g.gone {
		if p.PriorityValue() < g.priority {
			return g.refuses("it is of too low a priority")
		}
		alone = alone && p.Group == "shop"
	}
	if alone {
		return g.refuses("shop does not leave alone")
	}
	return preemption.Status{}
}

func (g atLeast) refuses(why string) preemption.Status {
	s := preemption.Status{Code: preemption.Unschedulable}
	if !g.silent {
		s.Reasons = []string{why}
	}
	return s
}

// What a guard says of a group, and by which rule each unit may be taken, stands in the text and
// in JSON.
func TestGoldenGuardedGroupReports(t *testing.T) {
	anybody := preemption.Eligibility{AnyPriority: true, Take: func(_, victim *outrank.Pod) (rule string, ok bool) {
		return "whoever has " + victim.Containers[0].Requests.String(), true
	}}
	for _, tt := range []struct {
		name, amount string
		config       preemption.Config
	}{
		{"rules", "3", preemption.Config{Eligibility: anybody}},
		{"guard-keeps", "3", preemption.Config{Guard: atLeast{priority: 20}.guard()}},
		{"guard-is-silent", "3", preemption.Config{Guard: atLeast{priority: 20, silent: true}.guard()}},
		{"guard-and-rules", "1500m", preemption.Config{Guard: atLeast{priority: 6}.guard(), Eligibility: anybody}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			snap, plan, err := gangsBy(tt.amount, tt.config)
			require.NoError(t, err)
			r, err := explain.Group(snap, plan, explain.Options{})
			require.NoError(t, err)
			compare(t, "group-"+tt.name+".txt", []byte(r.Text()))
			text, err := json.MarshalIndent(r, "", "  ")
			require.NoError(t, err)
			compare(t, "group-"+tt.name+".json", append(text, '\n'))
			var again explain.GroupReport
			require.NoError(t, json.Unmarshal(text, &again))
			require.Equal(t, r.Text(), again.Text())
		})
	}
}

// With the victims gone every pod has the place that is told; with any of them back it has
// not, where filters only let pods take room. Nothing is told of a group that fits.
func TestPropertyGroupReportsAreTrue(t *testing.T) {
	withGate, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	for _, name := range []string{"alike", "resources", "units"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shapes[name]).Draw(t, "cluster")
				c.Release = withGate
				pods := gen.PreemptorGroup(shapes[name]).Draw(t, "pods")
				for _, p := range pods {
					p.Group = "gang" // and no group of the cluster, whose pods may be of another priority
				}
				snap, err := engine.NewSnapshot(c)
				require.NoError(t, err)
				e, err := engine.New(preemption.Config{})
				require.NoError(t, err)
				plan, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
				require.NoError(t, err)
				r, err := explain.Group(snap, plan, explain.Options{Most: 1 << 20})
				require.NoError(t, err)
				text, err := json.Marshal(r)
				require.NoError(t, err)
				var again explain.GroupReport
				require.NoError(t, json.Unmarshal(text, &again))
				require.Equal(t, r.Text(), again.Text())
				require.Equal(t, plan.Outcome == preemption.Preempts || plan.Outcome == preemption.Fits, len(r.Seats.Items) > 0)
				require.Len(t, r.Victims.Items, len(slices.Collect(plan.Units())))
				require.Equal(t, len(plan.Victims), r.VictimPods)
				seats(t, e, snap, pods, r, -1)
				nominated := slices.ContainsFunc(pods, func(p *outrank.Pod) bool { return p.NominatedNodeName != "" || snap.NominationOf(p.Key()) != "" })
				for i := range r.Victims.Items {
					require.NotNil(t, r.Victims.Items[i].Blocks)
					if !nominated { // such a pod counts twice on its node (rule 12.9.9)
						seats(t, e, snap, pods, r, i)
					}
				}
			})
		})
	}
}

// seats tries the places with the victims gone, all but one if back is not below 0: somebody
// has no place then.
func seats(t *rapid.T, e *engine.Evaluator, from *engine.Snapshot, pods []*outrank.Pod, r *explain.GroupReport, back int) {
	snap := from.Clone()
	for i, v := range r.Victims.Items {
		for _, p := range v.Pods.Items {
			require.Equal(t, from.NodeOf(p.Key), p.Node)
			if i != back {
				require.NoError(t, snap.RemovePod(p.Key))
			}
		}
	}
	for _, p := range pods {
		if _, ok := snap.Pod(p.Key()); ok {
			require.NoError(t, snap.RemovePod(p.Key()))
		}
	}
	placed := 0
	for _, s := range r.Seats.Items {
		p := *pods[slices.IndexFunc(pods, func(p *outrank.Pod) bool { return p.Key() == s.Key })]
		p.Group, p.NodeName, p.NominatedNodeName = "", "", ""
		status, err := e.Check(snap, &p, s.Node)
		require.NoError(t, err)
		if status.Code == preemption.Success {
			placed++
		} else if back < 0 {
			require.Fail(t, "no place", "%s on %s: %s", s.Key, s.Node, status)
		}
		p.NodeName = s.Node
		require.NoError(t, errOf(snap.PutPod(&p)))
	}
	if back >= 0 {
		require.Less(t, placed, len(r.Seats.Items), "victim %d leaves in vain", back)
	}
}
