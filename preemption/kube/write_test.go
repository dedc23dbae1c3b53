package kube_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

// claimOf makes a cluster of one claim.
func claimOf(v outrank.Volume) *outrank.Cluster {
	return &outrank.Cluster{Claims: []*outrank.VolumeClaim{{Name: "c", Volume: v}}}
}

// pods makes a cluster of one pod with these volumes.
func volumePods(volumes ...[]outrank.Volume) *outrank.Cluster {
	c := &outrank.Cluster{}
	for i, vs := range volumes {
		c.Pods = append(c.Pods, &outrank.Pod{Name: string(rune('a' + i)), Volumes: vs})
	}
	return c
}

func TestWriteClusterRefuses(t *testing.T) {
	bound := outrank.Volume{Claim: "data", Driver: "d", Handle: "h"}
	limit := func(n int64) *outrank.Cluster {
		return &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", AttachLimits: map[string]int64{"d": n}}}}
	}
	containers := func(cs ...outrank.Container) *outrank.Cluster {
		return &outrank.Cluster{Pods: []*outrank.Pod{{Name: "a", Containers: cs}}}
	}
	disk := func(d outrank.Disk) *outrank.Cluster { return volumePods([]outrank.Volume{{Disk: d}}) }
	zone := func(values ...string) *outrank.Cluster {
		return volumePods([]outrank.Volume{{Claim: "c", Zones: map[string][]string{outrank.ZoneLabel: values}}})
	}
	amount := resource.MustList("cpu", "1")
	for _, test := range []struct {
		name string
		c    *outrank.Cluster
		want string
	}{
		{"what is invalid", &outrank.Cluster{Pods: []*outrank.Pod{nil}}, `pod number 1: metadata.name: missing`},
		{"pods that differ in a claim", volumePods([]outrank.Volume{bound}, []outrank.Volume{{Claim: "data", Driver: "d", Handle: "i"}}),
			`pod default/b: spec.volumes[0]: the claim "data" stands for something else elsewhere in the cluster`},
		{"a pod that knows no more than the name", volumePods([]outrank.Volume{{Claim: "data"}}, []outrank.Volume{bound}),
			`pod default/a: spec.volumes[0]: the claim "data" stands for something else elsewhere in the cluster`},
		{"a claim that is not resolved", &outrank.Cluster{
			Pods: volumePods([]outrank.Volume{{Claim: "data"}}).Pods, Claims: []*outrank.VolumeClaim{{Name: "data", Volume: bound}},
		}, `pod default/a: spec.volumes[0]: the claim "data" stands for something else elsewhere in the cluster`},
		{"zones that differ", volumePods(zone("a").Pods[0].Volumes, zone("b").Pods[0].Volumes),
			`pod default/b: spec.volumes[0]: the claim "c" stands for something else elsewhere in the cluster`},
		{"no claim to have it from", volumePods([]outrank.Volume{{OncePod: true, Driver: "d", Handle: "h", Node: &outrank.NodeSelector{}, Zones: zone("a").Pods[0].Volumes[0].Zones, Ephemeral: true, State: outrank.ClaimLost, MissingVolume: "v"}}),
			`pod default/a: spec.volumes[0]: has Ephemeral but no claim to have it from
pod default/a: spec.volumes[0]: has State but no claim to have it from
pod default/a: spec.volumes[0]: has MissingVolume but no claim to have it from
pod default/a: spec.volumes[0]: has OncePod but no claim to have it from
pod default/a: spec.volumes[0]: has Driver but no claim to have it from
pod default/a: spec.volumes[0]: has Handle but no claim to have it from
pod default/a: spec.volumes[0]: has Node but no claim to have it from
pod default/a: spec.volumes[0]: has Zones but no claim to have it from`},
		{"an ephemeral volume of another pod", volumePods([]outrank.Volume{{Claim: "b-v", Ephemeral: true}}),
			`pod default/a: spec.volumes[0]: is ephemeral, but its claim "b-v" is not named after the pod`},
		{"an ephemeral volume without a name", volumePods([]outrank.Volume{{Claim: "a-", Ephemeral: true}}),
			`pod default/a: spec.volumes[0]: is ephemeral, but its claim "a-" is not named after the pod`},
		{"a missing volume that the claim does not miss", claimOf(outrank.Volume{MissingVolume: "v"}),
			`persistentvolumeclaim default/c: spec.volumeName: "v" is said to be missing, but the claim is not in a state of that`},
		{"a missing volume without a name", claimOf(outrank.Volume{State: outrank.ClaimVolumeMissing}),
			`persistentvolumeclaim default/c: spec.volumeName: nothing says which volume is missing`},
		{"a lost volume in a zone", claimOf(outrank.Volume{State: outrank.ClaimLost, Zones: map[string][]string{outrank.ZoneLabel: {"a"}}}),
			`persistentvolumeclaim default/c: spec.volumeName: the claim is Lost, but has what only a volume gives`},
		{"a driver without a handle", claimOf(outrank.Volume{Driver: "d", Node: &outrank.NodeSelector{}}),
			`persistentvolumeclaim default/c: spec.(volume).csi: a volume has both or none of Driver and Handle`},
		{"a handle without a driver", claimOf(outrank.Volume{Handle: "h"}),
			`persistentvolumeclaim default/c: spec.(volume).csi: a volume has both or none of Driver and Handle`},
		{"claim and disk", volumePods([]outrank.Volume{{Claim: "c", Disk: outrank.Disk{Kind: outrank.ISCSI}}}),
			`pod default/a: spec.volumes[0].(disk).kind: "iscsi" does not go with the rest of the volume`},
		{"a claim of a disk", &outrank.Cluster{Claims: []*outrank.VolumeClaim{{Name: "c", Volume: outrank.Volume{Disk: outrank.Disk{Kind: outrank.ISCSI}}}}},
			`persistentvolumeclaim default/c: spec.(disk).kind: "iscsi" does not go with the rest of the volume`},
		{"a disk of no kind", disk(outrank.Disk{ID: "d"}), `pod default/a: spec.volumes[0].(disk).kind: "" does not go with the rest of the volume`},
		{"monitors of a disk without any", disk(outrank.Disk{Kind: outrank.ISCSI, Monitors: []string{"m"}}),
			`pod default/a: spec.volumes[0].(disk).monitors: a disk of kind iscsi has none`},
		{"an image without a pool", disk(outrank.Disk{Kind: outrank.RBD, ID: "i"}), `pod default/a: spec.volumes[0].(disk).id: "i" is not of the form pool/image`},
		{"an image in a pool without a name", disk(outrank.Disk{Kind: outrank.RBD, ID: "/i"}), `pod default/a: spec.volumes[0].(disk).id: "/i" is not of the form pool/image`},
		{"no zones", zone(), `persistentvolumeclaim default/c: spec.(volume).labels.topology.kubernetes.io/zone: no label says []`},
		{"an empty zone", zone("a", ""), `persistentvolumeclaim default/c: spec.(volume).labels.topology.kubernetes.io/zone: no label says ["a" ""]`},
		{"a zone with the separator in it", zone("a__b"), `persistentvolumeclaim default/c: spec.(volume).labels.topology.kubernetes.io/zone: no label says ["a__b"]`},
		{"too high a limit", limit(math.MaxInt32 + 1), `node n: (csinode).spec.drivers[d].allocatable.count: 2147483648 is not between 0 and 2147483647`},
		{"one name, two statuses", containers(outrank.Container{Name: "c", Actual: amount}, outrank.Container{Name: "c"}),
			`pod default/a: spec.containers[1].name: two containers are called "c", and their statuses differ`},
		{"one name, two amounts", containers(outrank.Container{Actual: amount}, outrank.Container{Actual: resource.MustList("cpu", "2")}),
			`pod default/a: spec.containers[1].name: two containers are called "", and their statuses differ`},
		{"a resize in two states", &outrank.Cluster{Pods: []*outrank.Pod{{Name: "a", ResizeDeferred: true, ResizeInfeasible: true}}},
			"pod default/a: status.conditions: a resize that is deferred and infeasible at once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			err := kube.WriteCluster(&b, test.c)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			assert.Equal(t, strings.Split(test.want, "\n"), strings.Split(err.Error(), "\n"))
			assert.Empty(t, b.String(), "nothing is written")
		})
	}
}

// Apparent differences that are none.
func TestWriteClusterTakes(t *testing.T) {
	terms := func(values []string) *outrank.NodeSelector {
		return &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchExpressions: []outrank.NodeRequirement{{Key: "a", Operator: outrank.Exists, Values: values}}}}}
	}
	for name, c := range map[string]*outrank.Cluster{
		"nil and empty":             volumePods([]outrank.Volume{{Claim: "c", Node: terms(nil)}}, []outrank.Volume{{Claim: "c", Node: terms([]string{})}}),
		"a claim in two namespaces": {Pods: []*outrank.Pod{{Name: "a", Volumes: []outrank.Volume{{Claim: "c", Driver: "d"}}}, {Name: "a", Namespace: "b", Volumes: []outrank.Volume{{Claim: "c", Driver: "e"}}}}},
		"names that meet":           {Claims: []*outrank.VolumeClaim{{Namespace: "a.b", Name: "c", Volume: outrank.Volume{Driver: "d"}}, {Namespace: "a", Name: "b.c", Volume: outrank.Volume{Driver: "e"}}}},
		"one name, one status":      {Pods: []*outrank.Pod{{Name: "a", Containers: []outrank.Container{{Actual: resource.MustList("cpu", "1")}, {Actual: resource.MustList("cpu", "1000m")}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			once := read(t, write(t, c))
			require.Len(t, once.Pods, len(c.Pods))
			for i, p := range c.Pods {
				for j, v := range p.Volumes {
					assert.Equal(t, v.Driver, once.Pods[i].Volumes[j].Driver)
				}
				assert.Equal(t, p.RunningRequests(outrank.DefaultRelease).String(), once.Pods[i].RunningRequests(outrank.DefaultRelease).String())
			}
			for i, vc := range c.Claims {
				assert.Equal(t, vc.Volume.Driver, once.Claims[i].Volume.Driver)
			}
		})
	}
}

// Text that JSON cannot hold is found, and the same characters in a valid text
// are not taken for it.
func TestTextThatIsNotUTF8(t *testing.T) {
	p := outrank.Pod{Name: "a", Labels: map[string]string{"k": `\ufffd`, "l": "\ufffd"}}
	text, err := json.Marshal(p)
	require.NoError(t, err)
	var got outrank.Pod
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, p, got)
	p.Labels["k\xff"] = "v"
	p.Containers = []outrank.Container{{Name: "c"}, {Name: "\xfe"}}
	_, err = p.MarshalJSON()
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.EqualError(t, err, `pod default/a: metadata.labels: "k\xff" is not UTF-8
pod default/a: spec.containers[1].name: "\xfe" is not UTF-8`)
	err = kube.WriteCluster(&bytes.Buffer{}, &outrank.Cluster{Pods: []*outrank.Pod{&p}})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// failing writes so many bytes and then fails.
type failing int

var errFull = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		n := int(*f)
		*f = 0
		return n, errFull
	}
	*f -= failing(len(p))
	return len(p), nil
}

// An API server refuses a spread constraint that does not say what follows where it is not met,
// and kube-scheduler ignores one: what is meant is written.
func TestWriteClusterSaysWhatIsUnsatisfiable(t *testing.T) {
	for policy, want := range map[outrank.UnsatisfiablePolicy]outrank.UnsatisfiablePolicy{
		"": outrank.DoNotSchedule, outrank.DoNotSchedule: outrank.DoNotSchedule, outrank.ScheduleAnyway: outrank.ScheduleAnyway,
	} {
		constraint := outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: policy}
		p := &outrank.Pod{Name: "p", TopologySpreadConstraints: []outrank.TopologySpreadConstraint{constraint}}
		text := write(t, &outrank.Cluster{Pods: []*outrank.Pod{p}})
		assert.Contains(t, string(text), fmt.Sprintf(`"whenUnsatisfiable":"%s"`, want))
		constraint.WhenUnsatisfiable = want
		assert.Equal(t, []outrank.TopologySpreadConstraint{constraint}, read(t, text).Pods[0].TopologySpreadConstraints)
		assert.Equal(t, policy, p.TopologySpreadConstraints[0].WhenUnsatisfiable, "the cluster is not changed")
	}
}

func TestWriteClusterPassesOnWriteErrors(t *testing.T) {
	c := &outrank.Cluster{}
	for range 200 {
		c.Pods = append(c.Pods, &outrank.Pod{Name: strings.Repeat("x", 100+len(c.Pods))})
	}
	size := len(write(t, c))
	for _, room := range []int{0, 10, 5000, size / 2, size - 1} {
		w := failing(room)
		assert.Equal(t, errFull, kube.WriteCluster(&w, c), "room for %d bytes", room)
	}
	w := failing(size)
	assert.NoError(t, kube.WriteCluster(&w, c))
}
