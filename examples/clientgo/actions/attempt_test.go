package actions_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ktesting "k8s.io/client-go/testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// The very pod is bound. What may pass by itself is worth another try, and a conflict is not.
func TestBind(t *testing.T) {
	p := pod("p", "uid-p", 1)
	w := newWorld(t, actions.Config{}, p)
	require.NoError(t, w.Bind(t.Context(), plain(t, p), "n1"))
	require.Equal(t, []string{"create binding"}, w.calls())
	binding := w.api.Actions()[0].(ktesting.CreateAction).GetObject().(*v1.Binding)
	assert.Equal(t, []string{"default", "p", "uid-p", "Node", "n1"},
		[]string{binding.Namespace, binding.Name, string(binding.UID), binding.Target.Kind, binding.Target.Name})

	for name, c := range map[string]struct{ err, is, not error }{
		"unavailable": {apierrors.NewServiceUnavailable("later"), execution.ErrRetriable, preemption.ErrNotFound},
		"conflict":    {apierrors.NewConflict(pods, "p", errors.New("is bound")), nil, execution.ErrRetriable},
		"gone":        {apierrors.NewNotFound(pods, "p"), preemption.ErrNotFound, execution.ErrRetriable},
	} {
		w := newWorld(t, actions.Config{}, p)
		w.fails("create", c.err)
		err := w.Bind(t.Context(), plain(t, p), "n1")
		require.ErrorContains(t, err, "binding pod default/p", name)
		if c.is != nil {
			require.ErrorIs(t, err, c.is, name)
		}
		require.NotErrorIs(t, err, c.not, name)
	}
}

// Condition and nomination are written by one patch of the very pod, if they change.
func TestUpdateStatus(t *testing.T) {
	p := pod("p", "uid-p", 1)
	w := newWorld(t, actions.Config{}, p)
	no := outrank.PodCondition{Type: "PodScheduled", Status: "False", Reason: "Unschedulable", Message: "full"}
	var none outrank.PodCondition
	set := func(node string) execution.Nomination {
		return execution.Nomination{Override: true, Node: node}
	}
	for _, step := range []struct {
		name       string
		condition  outrank.PodCondition
		nomination execution.Nomination
		patch      string
		node       string
	}{
		{"both", no, set("n1"), "conditions nominatedNodeName", "n1"},
		{"neither changes", no, set("n1"), "", "n1"},
		{"the nomination alone", no, set("n2"), "nominatedNodeName", "n2"},
		{"the condition alone", outrank.PodCondition{Type: "PodScheduled", Status: "True"}, execution.Nomination{}, "conditions", "n2"},
		{"no condition", none, execution.Nomination{Override: true}, "nominatedNodeName", ""},
		{"nothing", none, execution.Nomination{}, "", ""},
	} {
		w.api.ClearActions()
		require.NoError(t, w.UpdateStatus(t.Context(), plain(t, p), step.condition, step.nomination), step.name)
		wrote := ""
		for _, a := range w.api.Actions() {
			var patch struct {
				Metadata struct{ UID string }
				Status   map[string]any
			}
			require.NoError(t, json.Unmarshal(a.(ktesting.PatchAction).GetPatch(), &patch), step.name)
			assert.Equal(t, "uid-p", patch.Metadata.UID, step.name)
			for _, field := range []string{"conditions", "nominatedNodeName"} {
				if _, there := patch.Status[field]; there {
					wrote += field + " "
				}
			}
		}
		if step.patch != "" {
			step.patch += " "
		}
		assert.Equal(t, step.patch, wrote, step.name)
		found, err := w.api.Tracker().Get(v1.SchemeGroupVersion.WithResource("pods"), "default", "p")
		require.NoError(t, err)
		p = found.(*v1.Pod)
		assert.Equal(t, step.node, p.Status.NominatedNodeName, step.name)
		require.NoError(t, w.store.Update(p))
	}
	assert.Equal(t, v1.ConditionTrue, p.Status.Conditions[0].Status)
	require.Len(t, p.Status.Conditions, 1)
	require.ErrorIs(t, w.UpdateStatus(t.Context(), plain(t, pod("gone", "u", 1)), no, set("n1")), preemption.ErrNotFound)
}
