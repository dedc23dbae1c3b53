package release

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gateRow says what a gate is in each release: "on" or "off" by default, with "!" behind it where it
// can be turned round here, and empty where the release has no such gate.
type gateRow struct{ v136, v137 string }

// gateRows say it in words, gate by gate, beside the table that they judge.
var gateRows = map[string]gateRow{
	"NodeDeclaredFeatures":                         {"on", "on"},
	"InPlacePodLevelResourcesVerticalScaling":      {"on", "on"},
	"PodLevelResources":                            {"on", "on"},
	"PodLevelResourcesFixKubeletQOSClass":          {"", "on!"},
	"VolumeLimitScaling":                           {"off", "on!"},
	"HugepageAwareEviction":                        {"", "on"},
	"SchedulerAsyncPreemption":                     {"on!", "on!"},
	"SchedulerPopFromBackoffQ":                     {"on", "on"},
	"OpportunisticBatching":                        {"on", "on"},
	"NominatedNodeNameForExpectation":              {"on", "on"},
	"GenericWorkload":                              {"off", "off!"},
	"GangScheduling":                               {"off", ""},
	"WorkloadAwarePreemption":                      {"off", ""},
	"PodGroupPreemptionPolicy":                     {"", "off!"},
	"CompositePodGroup":                            {"", "off!"},
	"TopologyAwareWorkloadScheduling":              {"off", "off!"},
	"InPlacePodVerticalScalingSchedulerPreemption": {"", "off!"},
	"InterPodAffinityHostnameFastPath":             {"", "off"},
	"SchedulerPreQueueingHints":                    {"", "off"},
	"SchedulerAsyncAPICalls":                       {"off", "off"},
	"DRANodeAllocatableResources":                  {"off", "off"},
	"TaintTolerationComparisonOperators":           {"off", "off"},
}

// Each gate is what the release says, and one that can be turned round turns what it says, and no
// other.
func TestGatesOfReleases(t *testing.T) {
	require.Equal(t, []Release{36, 37}, All())
	for _, r := range All() {
		want := map[string]bool{}
		for name, row := range gateRows {
			says := row.v136
			if r == V1_37 {
				says = row.v137
			}
			flipped, err := r.With(map[string]bool{name: says[:min(2, len(says))] != "on"})
			if says == "on" || says == "off" || says == "" {
				require.Error(t, err, "%s in %v", name, r)
			}
			if says == "" {
				continue
			}
			want[name] = says[:2] == "on"
			if says[len(says)-1] != '!' {
				continue
			}
			require.NoError(t, err, "%s in %v", name, r)
			require.NotEqual(t, r, flipped)
			for other, on := range r.GateStates() {
				assert.Equal(t, other == name, flipped.GateStates()[other] != on, "%s with %v", other, flipped)
			}
			back, err := flipped.With(map[string]bool{name: want[name]})
			require.NoError(t, err)
			assert.Equal(t, r, back)
		}
		assert.Equal(t, want, r.GateStates(), "%v", r)
	}
}

// Zero stands for v1.37. A value is known if it is one of the releases, with gates that can be turned round in it.
func TestReleasesKnown(t *testing.T) {
	assert.Equal(t, V1_37, Release(0).OrDefault())
	assert.Equal(t, V1_36, V1_36.OrDefault())
	assert.Equal(t, Of(V1_37), Of(0))
	assert.Equal(t, Of(V1_37), Of(35))

	assert.False(t, V1_36.HasGroups())
	assert.True(t, V1_37.HasGroups(), "also while the gate is off")
	assert.True(t, Release(0).HasGroups())

	asynchronous, ok := find("SchedulerAsyncPreemption")
	require.True(t, ok)
	scaling, ok := find("VolumeLimitScaling")
	require.True(t, ok)
	turned := func(r Release, gate int) Release { return r | 1<<(gateShift+gate) }
	for r, want := range map[Release]bool{
		0: true, V1_36: true, V1_37: true, 35: false, 99: false, 1 << 63: false,
		turned(V1_36, asynchronous): true, turned(V1_37, asynchronous): true, turned(0, asynchronous): false, // a gate of no version
		turned(V1_36, scaling): false, turned(V1_37, scaling): true,
	} {
		assert.Equal(t, want, r.Known(), "%#x", uint64(r))
	}
}

// Plans are carried out beside the next attempts unless the gate is off; a release that is not known counts as
// the default one.
func TestAsynchronous(t *testing.T) {
	for _, r := range append(All(), 0, 35) {
		assert.True(t, r.Asynchronous(), "%v", r)
	}
	for _, r := range All() {
		off, err := r.With(map[string]bool{"SchedulerAsyncPreemption": false})
		require.NoError(t, err)
		assert.False(t, off.Asynchronous(), "%v", off)
	}
}
