package lifecycle_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/resource"
)

func TestBy(t *testing.T) {
	set := outrank.Owner{Kind: "ReplicaSet", Name: "web"}
	for _, tt := range []struct {
		pod  outrank.Pod
		want lifecycle.Maker
	}{
		{outrank.Pod{}, lifecycle.Nobody},
		{outrank.Pod{Group: "g"}, lifecycle.Nobody},
		{outrank.Pod{Owner: outrank.Owner{Kind: "DaemonSet", Name: "agent"}, Group: "g"}, lifecycle.ForItsNode},
		{outrank.Pod{Owner: set, Group: "g"}, lifecycle.WithItsGroup},
		{outrank.Pod{Owner: set}, lifecycle.Anywhere},
	} {
		assert.Equal(t, tt.want, lifecycle.MakerOf(&tt.pod), "%+v", tt.pod)
	}
}

// The new pod has what the controller's template says, and nothing that a status has told of the old one.
func TestPod(t *testing.T) {
	list := resource.MustList("cpu", "1")
	said := outrank.Container{Name: "c", Requests: list, AllocatedResources: list, Actual: list, Reported: true}
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	old := &outrank.Pod{
		Name: "old", UID: "1", Labels: map[string]string{"app": "web"}, NodeName: "n1", NominatedNodeName: "n2", Phase: "Running", DisruptionReason: "x",
		Ready: true, StartTime: now, DeletionTimestamp: now, AllocatedResources: list, Actual: list, Reported: true, ResizeDeferred: true, ResizeInfeasible: true,
		Containers: []outrank.Container{said}, InitContainers: []outrank.Container{said}, Owner: outrank.Owner{Kind: "ReplicaSet", Name: "web"},
	}
	before := *old
	bare := []outrank.Container{{Name: "c", Requests: list}}
	want := &outrank.Pod{Name: "new", Labels: old.Labels, Containers: bare, InitContainers: bare, Owner: old.Owner}
	assert.Equal(t, want, lifecycle.Recreate(old, "new"))
	assert.True(t, reflect.DeepEqual(&before, old), "the old one stays as it is")
	assert.Equal(t, said, old.Containers[0])
}
