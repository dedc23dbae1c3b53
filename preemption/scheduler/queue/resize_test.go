package queue

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

var withResizes = func() outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	if err != nil {
		panic(err)
	}
	return r
}()

// onNode is a pod of these requests on a node.
func onNode(name, node string, requests ...string) *outrank.Pod {
	p := &outrank.Pod{Name: name, UID: "u-" + name, NodeName: node}
	p.Containers = []outrank.Container{{Name: "c", Requests: resource.MustList(requests...)}}
	return p
}

func deferredOn(node string, requests ...string) *outrank.Pod {
	p := onNode("me", node, requests...)
	p.ResizeDeferred, p.Group = true, "some-group"
	p.Containers[0].AllocatedResources = resource.MustList("cpu", "1")
	return p
}

// A deferred pod enters, is updated, and is taken out when it is no longer deferred; so
// is one in flight. Without the gate none enters (rules 5.4.15 and 5.4.16).
func TestFollowResize(t *testing.T) {
	q, err := New(Config{Release: withResizes})
	require.NoError(t, err)
	follow := func(p *outrank.Pod) bool {
		inside, err := q.FollowResize(p, noon)
		require.NoError(t, err)
		return inside
	}
	settled := deferredOn("n1", "cpu", "2")
	settled.ResizeDeferred = false
	assert.False(t, follow(settled))
	assert.Equal(t, Parts[int]{}, q.Counts())
	assert.True(t, follow(deferredOn("n1", "cpu", "2")))
	assert.True(t, follow(deferredOn("n1", "cpu", "3")))
	assert.Equal(t, Parts[int]{Active: 1}, q.Counts())
	assert.Equal(t, "3", q.Pending().Active[0].Pod.Requests()["cpu"].String())
	assert.False(t, follow(settled))
	assert.Equal(t, Parts[int]{}, q.Counts())

	assert.True(t, follow(deferredOn("n1", "cpu", "2")))
	e, ok := q.TryPop(noon)
	require.True(t, ok)
	assert.False(t, follow(settled))
	e.FailedFilters = []string{filter.NodeResourcesFit}
	require.ErrorIs(t, q.AddUnschedulableIfNotPresent(e, noon), ErrNotInFlight)
	assert.True(t, follow(deferredOn("n1", "cpu", "2")))
	assert.True(t, q.Remove(settled))
	assert.Equal(t, Parts[int]{}, q.Counts())

	_, err = q.FollowResize(nil, noon)
	require.Error(t, err)
	pending := deferredOn("", "cpu", "2")
	require.NoError(t, q.Add(pending, noon))
	assert.False(t, follow(pending), "a pod without a node has no resize")
	for _, r := range []outrank.Release{outrank.V1_36, outrank.V1_37} {
		plain, err := New(Config{Release: r})
		require.NoError(t, err)
		inside, err := plain.FollowResize(deferredOn("n1", "cpu", "2"), noon)
		require.NoError(t, err)
		assert.False(t, inside)
		assert.Equal(t, Parts[int]{}, plain.Counts())
	}
}

// What wakes a pod that waits for its resize (rule 5.4.17), and that anything of the kind
// would do so without the gate.
func TestResizeIsHelpedByItsNodeAlone(t *testing.T) {
	node := func(name, cpu string, disabled ...string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "pods", "9"), DisableResizePreemption: disabled}
	}
	fits := []string{filter.NodeResourcesFit, filter.NodeName}
	policy := []string{filter.DeferredPodScheduling, filter.NodeName}
	nominatedTo := func(node string) *outrank.Pod {
		p := onNode("hope", "", "cpu", "1")
		p.NominatedNodeName = node
		return p
	}
	for _, c := range []struct {
		name   string
		failed []string
		event  ClusterEvent
		want   bool
	}{
		{"a pod there goes", fits, ClusterEvent{Kind: EventAssignedPodDeleted, Pod: onNode("a", "n1")}, true},
		{"a pod elsewhere goes", fits, ClusterEvent{Kind: EventAssignedPodDeleted, Pod: onNode("a", "n2")}, false},
		{"some pod goes", fits, ClusterEvent{Kind: EventAssignedPodDeleted}, true},
		{"a pod that was to come goes", fits, ClusterEvent{Kind: EventUnscheduledPodDeleted, Pod: nominatedTo("n1")}, false},
		{"a pod that was to go elsewhere goes", fits, ClusterEvent{Kind: EventUnscheduledPodDeleted, Pod: nominatedTo("n2")}, false},
		{"a pod there shrinks", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Before: onNode("a", "n1", "cpu", "2"), Pod: onNode("a", "n1", "cpu", "1")}, true},
		{"it shrinks in something else", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Before: onNode("a", "n1", "memory", "2"), Pod: onNode("a", "n1", "memory", "1")}, false},
		{"a pod there grows", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Before: onNode("a", "n1", "memory", "2"), Pod: onNode("a", "n1", "memory", "3")}, true},
		{"a pod there is relabelled", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Before: onNode("a", "n1", "cpu", "2"), Pod: onNode("a", "n1", "cpu", "2")}, false},
		{"a pod there changes somehow", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Pod: onNode("a", "n1", "cpu", "2")}, true},
		{"a pod elsewhere shrinks", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Before: onNode("a", "n2", "cpu", "2"), Pod: onNode("a", "n2", "cpu", "1")}, false},
		{"its own status changes", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Before: onNode("me", "n1", "cpu", "2"), Pod: deferredOn("n1", "cpu", "2")}, false},
		{"it wants less", fits, ClusterEvent{Kind: EventAssignedPodUpdated, Before: deferredOn("n1", "cpu", "2"), Pod: deferredOn("n1", "cpu", "1")}, true},
		{"a pod arrives", fits, ClusterEvent{Kind: EventAssignedPodAdded, Pod: onNode("a", "n1")}, false},
		{"the node grows", fits, ClusterEvent{Kind: EventNodeUpdated, NodeBefore: node("n1", "4"), Node: node("n1", "5")}, true},
		{"the node shrinks", fits, ClusterEvent{Kind: EventNodeUpdated, NodeBefore: node("n1", "4"), Node: node("n1", "3")}, false},
		{"the node changes somehow", fits, ClusterEvent{Kind: EventNodeUpdated, Node: node("n1", "4")}, true},
		{"another node grows", fits, ClusterEvent{Kind: EventNodeUpdated, NodeBefore: node("n2", "4"), Node: node("n2", "5")}, false},
		{"the node comes", fits, ClusterEvent{Kind: EventNodeAdded, Node: node("n1", "4")}, true},
		{"another node comes", fits[:1], ClusterEvent{Kind: EventNodeAdded, Node: node("n2", "4")}, false},
		{"another node comes, and its name kept it off any", fits, ClusterEvent{Kind: EventNodeAdded, Node: node("n2", "4")}, true},
		{"the node comes, and is too small", fits[:1], ClusterEvent{Kind: EventNodeAdded, Node: node("n1", "1")}, false},
		{"storage changes", fits, ClusterEvent{Kind: EventStorageChanged}, false},
		{"the node spares its pods no longer", policy, ClusterEvent{Kind: EventNodeUpdated, NodeBefore: node("n1", "4", "x"), Node: node("n1", "4")}, true},
		{"it still does", policy, ClusterEvent{Kind: EventNodeUpdated, NodeBefore: node("n1", "4", "x"), Node: node("n1", "5", "y")}, false},
		{"it never did", policy, ClusterEvent{Kind: EventNodeUpdated, NodeBefore: node("n1", "4"), Node: node("n1", "5")}, false},
		{"it does not, whatever it did", policy, ClusterEvent{Kind: EventNodeUpdated, Node: node("n1", "5")}, true},
		{"it comes and spares its pods", policy[:1], ClusterEvent{Kind: EventNodeAdded, Node: node("n1", "5", "y")}, false},
		{"it comes", policy[:1], ClusterEvent{Kind: EventNodeAdded, Node: node("n1", "5")}, true},
		{"pods of a node that spares them go", policy, ClusterEvent{Kind: EventAssignedPodDeleted, Pod: onNode("a", "n1")}, false},
		{"a filter of one's own", []string{"mine"}, ClusterEvent{Kind: EventAssignedPodDeleted, Pod: onNode("a", "n1")}, true},
		{"a filter of one's own, elsewhere", []string{"mine"}, ClusterEvent{Kind: EventAssignedPodDeleted, Pod: onNode("a", "n2")}, true},
		{"anything", fits, ClusterEvent{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &Entry{Pod: deferredOn("n1", "cpu", "2"), FailedFilters: c.failed}
			assert.Equal(t, c.want, Helps(withResizes, e, c.event))
			if c.failed[0] == filter.NodeResourcesFit && c.event.Kind == EventAssignedPodDeleted {
				assert.True(t, Helps(outrank.V1_37, e, c.event), "without the gate")
			}
		})
	}
}

// What runs of the waiting pod counts among what it requests, beside what it asks for.
func TestResizeIsHelpedByWhatItsStatusRequests(t *testing.T) {
	waiting := deferredOn("n1", "memory", "2")
	waiting.Containers[0].Actual = resource.MustList("cpu", "1", "memory", "2")
	e := &Entry{Pod: waiting, FailedFilters: []string{filter.NodeResourcesFit}}
	shrinks := func(name string) ClusterEvent {
		return ClusterEvent{Kind: EventAssignedPodUpdated, Before: onNode("a", "n1", name, "2"), Pod: onNode("a", "n1", name, "1")}
	}
	assert.True(t, Helps(withResizes, e, shrinks("cpu")))
	assert.False(t, Helps(withResizes, e, shrinks("ephemeral-storage")))

	own := func(before, after string) bool {
		b, a := deferredOn("n1", "memory", "2"), deferredOn("n1", "memory", "2")
		b.Containers[0].Actual, a.Containers[0].Actual = resource.MustList("cpu", before), resource.MustList("cpu", after)
		return Helps(withResizes, e, ClusterEvent{Kind: EventAssignedPodUpdated, Before: b, Pod: a})
	}
	assert.True(t, own("1", "2"), "its status takes more")
	assert.True(t, own("2", "1"), "its status takes less")
	assert.False(t, own("1", "1"))
}

// A change of what the pod's spec and status request together helps against a shortage
// alone.
func TestResizeIsHelpedByItsOwnRequests(t *testing.T) {
	for _, c := range []struct {
		name    string
		failed  string
		changed func(p *outrank.Pod)
		want    Parts[int]
	}{
		{"it wants more", filter.NodeResourcesFit, func(p *outrank.Pod) { p.Containers[0].Requests = resource.MustList("cpu", "3") }, Parts[int]{Active: 1}},
		{"it wants less", filter.NodeResourcesFit, func(p *outrank.Pod) { p.Containers[0].Requests = resource.MustList("cpu", "1") }, Parts[int]{Active: 1}},
		{"more is in force", filter.NodeResourcesFit, func(p *outrank.Pod) { p.Containers[0].Actual = resource.MustList("cpu", "3") }, Parts[int]{Active: 1}},
		{"it wants less than is in force", filter.NodeResourcesFit, func(p *outrank.Pod) {
			p.Containers[0].Actual = resource.MustList("cpu", "2")
			p.Containers[0].Requests = resource.MustList("cpu", "1")
		}, Parts[int]{Unschedulable: 1}},
		{"a part is there", filter.NodeResourcesFit, func(p *outrank.Pod) { p.Containers[0].AllocatedResources = resource.MustList("cpu", "2") }, Parts[int]{Unschedulable: 1}},
		{"the node spares its pods", filter.DeferredPodScheduling, func(p *outrank.Pod) { p.Containers[0].Requests = resource.MustList("cpu", "1") }, Parts[int]{Unschedulable: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := New(Config{Release: withResizes})
			require.NoError(t, err)
			_, err = q.FollowResize(deferredOn("n1", "cpu", "2"), noon)
			require.NoError(t, err)
			e, ok := q.TryPop(noon)
			require.True(t, ok)
			e.FailedFilters = []string{c.failed}
			require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
			later := deferredOn("n1", "cpu", "2")
			c.changed(later)
			_, err = q.FollowResize(later, noon.Add(time.Minute))
			require.NoError(t, err)
			assert.Equal(t, c.want, q.Counts())
		})
	}
}

// Pods that wait for their resizes are asked about one by one: what helps one need not
// help another that is refused for the same reason.
func TestResizesAreNoCrowd(t *testing.T) {
	q, err := New(Config{Release: withResizes})
	require.NoError(t, err)
	for _, node := range []string{"n1", "n2"} {
		p := deferredOn(node, "cpu", "2")
		p.Name = "on-" + node
		_, err := q.FollowResize(p, noon)
		require.NoError(t, err)
	}
	refused := q.refuse(noon, Refusing{Class: func(*outrank.Pod) Class { return sameForAll{} }, MostFresh: 10})
	assert.Equal(t, refusals{}, refused, "an attempt has to be made with each")
}

// sameForAll refuses every pod.
type sameForAll struct{}

func (sameForAll) Known() ([]string, bool) { return []string{filter.NodeResourcesFit}, true }
func (sameForAll) Refuses(*outrank.Pod) ([]string, bool) {
	return []string{filter.NodeResourcesFit}, true
}
func (sameForAll) Refused(int) {}

// ExampleQueue_FollowResize has a pod wait for room for its resize.
func ExampleQueue_FollowResize() {
	release, _ := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	q, err := New(Config{Release: release})
	if err != nil {
		panic(err)
	}
	pod := outrank.Pod{Name: "db", NodeName: "n1", ResizeDeferred: true}
	inside, _ := q.FollowResize(&pod, noon)
	fmt.Println(inside, q.Counts())
	done := pod
	done.ResizeDeferred = false
	inside, _ = q.FollowResize(&done, noon)
	fmt.Println(inside, q.Counts())
	// Output:
	// true 1 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight
	// false 0 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight
}
