package execution_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// withGroups is v1.37 with groups.
func withGroups(t require.TestingT) outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true})
	require.NoError(t, err)
	return r
}

func gangPod(name string) *outrank.Pod {
	return &outrank.Pod{Name: name, UID: "uid-" + name, Group: "gang", Priority: outrank.Priority(100)}
}

// gang is the entry of a group with these waiting pods.
func gang(names ...string) queue.Entry {
	g := &queue.Group{PodGroup: &outrank.PodGroup{Name: "gang", UID: "uid-gang", Priority: outrank.Priority(100)}}
	for _, name := range names {
		g.Members = append(g.Members, queue.Entry{Pod: gangPod(name)})
	}
	return queue.Entry{Group: g}
}

// gangPlan has the pods nominated to n1, n2 and so on, and units leave.
func gangPlan(pods []string, units ...string) *preemption.GroupPlan {
	plan := &preemption.GroupPlan{
		Group: "default/gang", Release: outrank.V1_37, Outcome: preemption.Preempts,
		TurnedDown: &preemption.Refusal{Reason: "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"},
		Status:     preemption.Success.Because("pod group preemption: found a placement for podgroup, preempting 2 victims"),
	}
	for i, name := range pods {
		plan.Placement = append(plan.Placement, preemption.Assignment{Pod: gangPod(name), Node: fmt.Sprintf("n%d", i+1)})
	}
	plan.Nominations = plan.Placement
	for _, u := range units {
		for _, p := range victimsNamed(u) {
			plan.Victims = append(plan.Victims, preemption.Victim{Pod: p})
		}
	}
	return plan
}

func textsOf(r *executiontest.Recorder) []string {
	var out []string
	for _, c := range r.Calls() {
		out = append(out, c.String())
	}
	return out
}

func TestExecuteGroup(t *testing.T) { // rules 14.6.1 to 14.6.3
	evicted := func(name string) string {
		return "evict default/" + name + " (DisruptionTarget=True PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority podgroup)"
	}
	event := func(name string) string {
		return "event Normal Preempted default/" + name + ": Preempted by podgroup uid-gang on node cluster"
	}
	cluster := &executiontest.Recorder{}
	meter, nominator := &metrics.Meter{}, &execution.Nominator{}
	lower := pendingPod("lower")
	nominator.Add(lower, "n1")
	odd := pendingPod("odd")
	nominator.Add(odd, "cluster") // which may be the name of a node
	e := newExecutor(t, execution.Config{
		Actions: cluster.Actions(), Order: execution.Asynchronous, Parallel: 1, Nominator: nominator,
	})
	plan := gangPlan([]string{"a", "b"}, "v1 v2", "v3")
	report, err := e.ExecuteGroup(context.Background(), gang("a", "b", "c").Group, plan)
	require.NoError(t, err)
	meter.AddExecution(report, err)
	assert.Equal(t, []string{
		"latest default/a", "latest default/b", "nominate default/a to n1", "nominate default/b to n2",
		evicted("v1"), event("v1"), evicted("v2"), event("v2"), evicted("v3"), event("v3"),
	}, textsOf(cluster))
	assert.Equal(t, "default/gang on cluster: completed; default/v1 evicted; default/v2 evicted; default/v3 evicted; nominated", report.String())
	assert.Equal(t, []execution.Result{execution.Completed, execution.Completed}, []execution.Result{report.Members[0].Result, report.Members[1].Result})
	assert.Equal(t, "n1", nominator.NodeOf(lower.Key()), "no lower nomination is cleared")
	assert.Equal(t, "cluster", nominator.NodeOf(odd.Key()))
	assert.Equal(t, []string{"n1", "n2"}, []string{nominator.NodeOf("default/a"), nominator.NodeOf("default/b")})
	assert.Zero(t, meter.Values().PreemptionVictims.Sum, "pods alone are counted as preemptors there")
	for _, c := range cluster.Calls() {
		if c.Op == "evict" {
			assert.Equal(t, outrank.Key("default/gang"), c.Eviction.Group.Key())
			assert.Equal(t, "cluster", c.Node)
		}
		assert.Nil(t, c.Event.Related)
	}
	// The same in the synchronous order: the pods are nominated in the end.
	cluster = &executiontest.Recorder{}
	e = newExecutor(t, execution.Config{Actions: cluster.Actions(), Parallel: 1, Order: execution.Synchronous})
	composite := gang("a", "b")
	tree := &queue.Group{Composite: &outrank.CompositePodGroup{Name: "gang"}, Members: composite.Group.Members}
	_, err = e.ExecuteGroup(context.Background(), tree, gangPlan([]string{"a", "b"}, "v1"))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"latest default/a", "latest default/b",
		"evict default/v1 (DisruptionTarget=True PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority compositepodgroup)",
		"event Normal Preempted default/v1: Preempted by compositepodgroup default/gang on node cluster",
		"nominate default/a to n1", "nominate default/b to n2",
	}, textsOf(cluster))
}

// Nobody has to leave, or everybody does already: the pods are nominated all the same.
func TestExecuteGroupWithoutVictims(t *testing.T) { // rule 14.6.5
	for _, order := range []execution.Order{execution.Synchronous, execution.Asynchronous} {
		cluster := &executiontest.Recorder{Waiting: func(p *outrank.Pod) bool { return p.Name == "w" }}
		e := newExecutor(t, execution.Config{Actions: cluster.Actions(), Order: order, Parallel: 1})
		report, err := e.ExecuteGroup(context.Background(), gang("a").Group, gangPlan([]string{"a"}))
		require.NoError(t, err)
		assert.Equal(t, execution.Completed, report.Result)
		assert.Equal(t, []string{"latest default/a", "nominate default/a to n1"}, textsOf(cluster))
		_, err = e.ExecuteGroup(context.Background(), gang("a").Group, gangPlan([]string{"a"}, "w"))
		require.NoError(t, err)
		assert.Equal(t, "Preempted by podgroup uid-gang on node cluster (in kube-scheduler memory).", eventsOf(cluster)[0].Message)
	}
}

func TestExecuteGroupMembersGone(t *testing.T) { // rule 14.6.1
	gone := map[outrank.Key]bool{"default/a": true}
	find := func(key outrank.Key) (*outrank.Pod, bool) {
		p := gangPod(string(key)[len("default/"):])
		switch p.Name {
		case "bound":
			p.NodeName = "n9"
		case "leaving":
			withDeletion(p)
		}
		return p, !gone[key]
	}
	cluster := &executiontest.Recorder{Find: find}
	e := newExecutor(t, execution.Config{Actions: cluster.Actions(), Parallel: 1})
	report, err := e.ExecuteGroup(context.Background(), gang("a", "b").Group, gangPlan([]string{"a", "bound", "leaving", "b"}, "v"))
	require.NoError(t, err)
	var results []execution.Result
	for _, m := range report.Members {
		results = append(results, m.Result)
	}
	assert.Equal(t, []execution.Result{execution.Gone, execution.Bound, execution.Gone, execution.Completed}, results)
	assert.Equal(t, "b", report.Preemptor.Name)
	cluster = &executiontest.Recorder{Find: find}
	e = newExecutor(t, execution.Config{Actions: cluster.Actions(), Parallel: 1})
	report, err = e.ExecuteGroup(context.Background(), gang("a").Group, gangPlan([]string{"bound", "a"}, "v"))
	require.NoError(t, err)
	assert.Equal(t, execution.Bound, report.Result)
	assert.Nil(t, report.Plan, "nothing was begun")
	assert.Equal(t, []string{"latest default/bound", "latest default/a"}, textsOf(cluster))
	// Gone between the two.
	cluster = &executiontest.Recorder{Do: failOn(preemption.ErrNotFound, "nominate a", "nominate b")}
	e = newExecutor(t, execution.Config{Actions: cluster.Actions(), Order: execution.Asynchronous})
	report, err = e.ExecuteGroup(context.Background(), gang("a", "b").Group, gangPlan([]string{"a", "b"}, "v"))
	require.NoError(t, err)
	assert.Equal(t, execution.Gone, report.Result)
	assert.False(t, report.Nominated)
}

// The pods of a group stay out of the queue until its last victim is gone.
func TestGroupsStayOutOfTheQueue(t *testing.T) { // rule 14.6.4
	q, e, cluster := (*queue.Queue)(nil), (*execution.Executor)(nil), &executiontest.Recorder{}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var counts []string
	note := func() { counts = append(counts, q.Counts().String()) }
	entry := queue.Entry{}
	cluster.Do = func(c executiontest.Call) error {
		if c.Op != "evict" {
			return nil
		}
		if c.Pod.Name == "v1" {
			for _, m := range entry.Group.Members {
				m.FailedFilters = []string{"NodeResourcesFit"}
				require.NoError(t, q.AddUnschedulableIfNotPresent(m, now))
			}
			refused := entry
			refused.FailedFilters = []string{"GangScheduling"}
			require.NoError(t, q.AddUnschedulableIfNotPresent(refused, now))
			require.True(t, e.Preempting(gangPod("b")))
			other := gangPod("b")
			other.Group = "another"
			require.False(t, e.Preempting(other))
			note()
			return nil
		}
		note()
		now = now.Add(10 * time.Second)
		e.Gone(c.Pod)
		require.False(t, e.Preempting(gangPod("b")))
		q.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted}, now)
		note()
		return nil
	}
	e = newExecutor(t, execution.Config{Actions: cluster.Actions(), Order: execution.Asynchronous, Parallel: 1})
	q, err := queue.New(queue.Config{Release: withGroups(t), Gates: []queue.Gate{{Name: "Preempting", Holds: e.Preempting}}})
	require.NoError(t, err)
	q.PutGroup(gang().Group.PodGroup)
	for _, name := range []string{"a", "b"} {
		require.NoError(t, q.Add(gangPod(name), now))
	}
	require.NoError(t, q.Add(pendingPod("single"), now))
	entry, _ = q.TryPop(now)
	_, err = e.ExecuteGroup(context.Background(), entry.Group, gangPlan([]string{"a"}, "v1", "v2"))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"1 active, 0 in backoff, 0 unschedulable, 2 gated, 0 in flight",
		"1 active, 0 in backoff, 0 unschedulable, 2 gated, 0 in flight",
		"3 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight",
	}, counts)
	require.False(t, e.Preempting(nil))
}

func TestExecuteGroupFailures(t *testing.T) {
	cluster := &executiontest.Recorder{Do: failOn(errBusy, "evict v1")}
	e := newExecutor(t, execution.Config{Actions: cluster.Actions(), Order: execution.Asynchronous, Parallel: 1})
	report, err := e.ExecuteGroup(context.Background(), gang("a", "b").Group, gangPlan([]string{"a", "b"}, "v1", "v2"))
	require.ErrorIs(t, err, errBusy)
	require.ErrorContains(t, err, "group default/gang: preempting on node cluster: 0 of 2 victims done")
	assert.True(t, report.Nominated)
	calls := textsOf(cluster)
	assert.Equal(t, "activate default/a", calls[len(calls)-1], "the queue activates the group with its first pod")

	nominator := &execution.Nominator{}
	cluster = &executiontest.Recorder{Do: failOn(errBusy, "nominate b")}
	e = newExecutor(t, execution.Config{Actions: cluster.Actions(), Order: execution.Asynchronous, Parallel: 1, Nominator: nominator})
	report, err = e.ExecuteGroup(context.Background(), gang("a", "b").Group, gangPlan([]string{"a", "b", "c"}, "v1"))
	require.ErrorIs(t, err, errBusy)
	assert.Equal(t, execution.Interrupted, report.Result)
	assert.Equal(t, []string{"n1", "", ""}, []string{nominator.NodeOf("default/a"), nominator.NodeOf("default/b"), nominator.NodeOf("default/c")})

	cluster = &executiontest.Recorder{Do: failOn(errBusy, "latest a")}
	e = newExecutor(t, execution.Config{Actions: cluster.Actions()})
	_, err = e.ExecuteGroup(context.Background(), gang("a").Group, gangPlan([]string{"a"}, "v1"))
	require.ErrorIs(t, err, errBusy)
	ok, group := gangPlan([]string{"a"}, "v1"), gang("a").Group
	spoil := func(change func(p *preemption.GroupPlan)) *preemption.GroupPlan {
		p := *ok
		change(&p)
		return &p
	}
	for name, bad := range map[string]*preemption.GroupPlan{
		"another group": spoil(func(p *preemption.GroupPlan) { p.Group = "default/other" }),
		"no pods":       spoil(func(p *preemption.GroupPlan) { p.Nominations, p.Placement = nil, nil }),
		"nil pod":       spoil(func(p *preemption.GroupPlan) { p.Nominations = []preemption.Assignment{{}} }),
		"nil victim": spoil(func(p *preemption.GroupPlan) {
			p.Victims = make([]preemption.Victim, 1)
		}),
	} {
		_, err = e.ExecuteGroup(context.Background(), group, bad)
		assert.ErrorIs(t, err, outrank.ErrInvalid, name)
	}
	for _, g := range []*queue.Group{nil, {}} {
		_, err = e.ExecuteGroup(context.Background(), g, ok)
		assert.ErrorIs(t, err, outrank.ErrInvalid)
	}
	for _, p := range []*preemption.GroupPlan{nil, spoil(func(p *preemption.GroupPlan) { p.Outcome = preemption.Fits })} {
		_, err = e.ExecuteGroup(context.Background(), group, p)
		assert.ErrorIs(t, err, preemption.ErrState)
	}
	nested := &executiontest.Recorder{}
	e = newExecutor(t, execution.Config{Actions: nested.Actions(), Parallel: 1})
	asked := 0
	nested.Waiting = func(*outrank.Pod) bool {
		_, err := e.ExecuteGroup(context.Background(), group, ok)
		assert.ErrorIs(t, err, preemption.ErrState, "under way already")
		asked++
		return false
	}
	_, err = e.ExecuteGroup(context.Background(), group, ok)
	require.NoError(t, err)
	require.Equal(t, 1, asked)
}

// A plan for a group is none of v1.36, and nothing is done about it there (rule 12.1.1).
func TestExecuteGroupNeedsARelease(t *testing.T) {
	cluster := &executiontest.Recorder{}
	e := newExecutor(t, execution.Config{Actions: cluster.Actions()})
	plan := gangPlan([]string{"a"}, "v")
	plan.Release = outrank.V1_36
	_, err := e.ExecuteGroup(context.Background(), gang("a").Group, plan)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "by the rules of v1.36 no group preempts")
	plan.Release = 3
	_, err = e.ExecuteGroup(context.Background(), gang("a").Group, plan)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Empty(t, textsOf(cluster))
}
