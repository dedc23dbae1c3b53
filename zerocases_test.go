package outrank_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

// noContext is the nil that a caller may pass.
var noContext context.Context

// Empty input is an error and no empty cluster: the program that writes it has failed.
func TestEmptyInputIsAnError(t *testing.T) {
	readers := map[string]func(io.Reader) error{
		"cluster": func(r io.Reader) error { _, err := kube.ReadCluster(r); return err },
		"pod":     func(r io.Reader) error { _, err := kube.ReadPod(r); return err },
		"quotas":  func(r io.Reader) error { _, err := quota.Read(r); return err },
	}
	for what, read := range readers {
		for _, text := range []string{"", " \n\t", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"} {
			err := read(strings.NewReader(text))
			require.ErrorIs(t, err, outrank.ErrInvalid, "%s of %q", what, text)
			assert.EqualError(t, err, "input: there is nothing in it")
		}
		err := read(nil)
		require.ErrorIs(t, err, outrank.ErrInvalid, what)
		assert.EqualError(t, err, "input: there is no reader")
	}
	c, err := kube.ReadCluster(strings.NewReader(`{"kind": "List", "items": []}`))
	require.NoError(t, err, "a cluster without objects")
	assert.Equal(t, &outrank.Cluster{}, c)
}

// The error about a nil object names its kind, and not the name that it lacks.
func TestNilIsNamed(t *testing.T) {
	for want, err := range map[string]error{
		"pod: is nil":     (*outrank.Pod)(nil).Validate(),
		"node: is nil":    (*outrank.Node)(nil).Validate(),
		"cluster: is nil": kube.WriteCluster(io.Discard, nil),
		"writer: is nil":  kube.WriteCluster(nil, &outrank.Cluster{}),
		"pod without a name: metadata.name: missing":                        (&outrank.Pod{Namespace: "shop"}).Validate(),
		"node without a name: metadata.name: missing":                       (&outrank.Node{}).Validate(),
		"pod number 2: metadata.name: missing":                              (&outrank.Cluster{Pods: []*outrank.Pod{{Name: "a"}, nil}}).Validate(),
		"queue: Add: the pod is missing":                                    queue.NewFIFO().Add(nil, time.Time{}),
		"node without a name: not found":                                    (&engine.Snapshot{}).RemoveNode(""),
		"pod without a name: not found":                                     (&engine.Snapshot{}).RemovePod(""),
		"composite pod group without a name: not found":                     (&engine.Snapshot{}).RemoveComposite(""),
		"invalid input: no executor":                                        (*execution.Executor)(nil).Bind(noContext, 0, nil, ""),
		"tenancy options: Tree: missing\ntenancy options: QueueOf: missing": started((&tenancy.Rules{}).Guard()),
	} {
		assert.EqualError(t, err, want)
	}
}

// started returns the error of starting a guard.
func started(g *preemption.Guard) error {
	_, err := g.Start([]*outrank.Pod{{Name: "p"}}, &engine.Snapshot{})
	return err
}

// The zero queues are empty, and refuse every pod.
func TestZeroQueues(t *testing.T) {
	for name, q := range map[string]*queue.Queue{"queue": {}} {
		p := &outrank.Pod{Name: "p"}
		now := time.Unix(1e9, 0)
		require.ErrorIs(t, q.Add(p, now), outrank.ErrInvalid, name)
		assert.EqualError(t, q.Update(p, now), "queue: Update: the queue was not made by New or NewFIFO")
		_, err := q.AddIfNotPresent(p, now)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorIs(t, q.AddUnschedulableIfNotPresent(queue.Entry{Pod: p}, now), queue.ErrNotInFlight)
		_, err = q.Pop(context.Background())
		require.ErrorIs(t, err, outrank.ErrInvalid, "it would wait for ever")
		_, ok := q.TryPop(now)
		assert.False(t, ok)
		assert.False(t, q.Remove(p))
		assert.Zero(t, q.Counts())
		assert.Zero(t, q.Activate(p)+q.MoveAll(queue.ClusterEvent{}, now)+q.Flush(now))
	}
	_, err := queue.NewFIFO().Pop(noContext)
	assert.EqualError(t, err, "queue: Pop: the context is missing")
}

// Rules of tenants that lack what New asks for, from the start or later, let no
// pod preempt another, and say why when they decide.
func TestRulesOfTenantsThatLackSomething(t *testing.T) {
	tree, err := tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{{Name: "q", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "1")}}}})
	require.NoError(t, err)
	made := func() *tenancy.Rules {
		r, err := tenancy.New(tenancy.Options{Tree: tree, QueueOf: func(*outrank.Pod) string { return "q" }})
		require.NoError(t, err)
		return r
	}
	noTree, noQueues, noStyle := made(), made(), made()
	noTree.Tree, noQueues.QueueOf, noStyle.Style = nil, nil, "Borg"
	snap, err := engine.NewSnapshot(smallCluster())
	require.NoError(t, err)
	for name, r := range map[string]*tenancy.Rules{"zero": {}, "Tree": noTree, "QueueOf": noQueues, "Style": noStyle} {
		if name != "Style" {
			_, ok := r.Take(&outrank.Pod{Name: "a", Priority: outrank.Priority(9)}, &outrank.Pod{Name: "b"})
			assert.False(t, ok)
			_, err := r.Filter().Start(&outrank.Pod{Name: "asks"}, snap)
			require.ErrorIs(t, err, outrank.ErrInvalid)
		}
		var config preemption.Config
		r.Use(&config)
		r.Use(nil)
		e, err := engine.New(config)
		require.NoError(t, err)
		_, err = e.Preempt(t.Context(), snap, preemption.Request{Pod: &outrank.Pod{Name: "asks"}, Now: time.Unix(1e9, 0)})
		require.ErrorIs(t, err, outrank.ErrInvalid, name)
		if name != "zero" {
			require.ErrorContains(t, err, "tenancy options: "+name)
		}
	}
}
