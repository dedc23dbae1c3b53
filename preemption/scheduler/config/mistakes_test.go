package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
)

// A setting is a field of a file, by its path below the list that it is in, with values that can be read and
// values that cannot, as JSON. The last of a path is the field; an empty value is no field at all.
type setting struct {
	path      string
	good, bad []string
}

// settings are those of one profile and one extender that have a form of their own.
var settings = map[string][]setting{
	"PodTopologySpread": {
		{"defaultConstraints[0].maxSkew", []string{"1", "3"}, []string{"0", `"1"`, ""}},
		{"defaultConstraints[0].topologyKey", []string{`"zone"`}, []string{`"a b"`, ""}},
		{"defaultConstraints[0].whenUnsatisfiable", []string{`"DoNotSchedule"`, `"ScheduleAnyway"`}, []string{`"Often"`, ""}},
		{"defaultConstraints[0].nodeAffinityPolicy", []string{"", `"Honor"`, `"Ignore"`}, []string{`"Some"`}},
		{"defaultConstraints[0].nodeTaintsPolicy", []string{"", `"Honor"`, `"Ignore"`}, []string{`"Some"`}},
		{"defaultConstraints[0].labelSelector", []string{"", "null"}, []string{"{}"}},
		{"defaultConstraints[0].matchLabelKeys[0]", []string{"", `"v"`}, []string{"3"}},
		{"defaultingType", []string{`"List"`}, []string{`"Some"`}},
	},
	"NodeResourcesFit": {
		{"ignoredResources[0]", []string{"", `"example.com/gpu"`}, []string{`"a b"`, "1"}},
		{"ignoredResourceGroups[0]", []string{"", `"example.org"`}, []string{`"a/b"`, `"a b"`}},
		{"scoringStrategy.type", []string{`"LeastAllocated"`}, []string{`"Best"`}},
		{"scoringStrategy.resources[0].name", []string{`"cpu"`, `""`}, []string{"1"}},
		{"scoringStrategy.resources[0].weight", []string{"", "0", "100"}, []string{"101", "-1"}},
		{"scoringStrategy.unknown", []string{""}, []string{"1"}},
	},
	"DefaultPreemption": {
		{"minCandidateNodesPercentage", []string{"", "1", "100"}, []string{"101", "-1"}},
		{"minCandidateNodesAbsolute", []string{"", "0", "5"}, []string{"-1", "1.5"}},
	},
	"InterPodAffinity": {
		{"hardPodAffinityWeight", []string{"", "0", "100"}, []string{"101", "-1"}},
		{"ignorePreferredTermsOfExistingPods", []string{"", "true"}, []string{"1"}},
	},
	"NodeResourcesBalancedAllocation": {
		{"resources[0].name", []string{`"cpu"`, `""`}, []string{"1"}},
		{"resources[0].weight", []string{"", "0", "1"}, []string{"2", "-1"}},
	},
	"DynamicResources": {
		{"filterTimeout", []string{"", `"10s"`}, []string{`"soon"`}}, {"bindingTimeout", []string{"", `"10s"`}, []string{`"soon"`}},
	},
	"VolumeBinding": {
		{"bindTimeoutSeconds", []string{"", "60"}, []string{"-1"}},
		{"shape[0].utilization", []string{"", "50"}, []string{"101"}},
	},
	extender: {
		{"enableHTTPS", []string{"", "true"}, []string{"1"}}, {"nodeCacheCapable", []string{"", "true"}, []string{"1"}},
		{"ignorable", []string{"", "true"}, []string{"1"}}, {"httpTimeout", []string{"", `"5s"`}, []string{`"soon"`}},
		{"tlsConfig.insecure", []string{"", "true"}, []string{"1"}}, {"tlsConfig.unknown", []string{""}, []string{"1"}},
		{"managedResources[0].name", []string{`"example.com/a"`}, []string{`"cpu"`, `"a b"`}},
	},
	profileItself: {
		{"percentageOfNodesToScore", []string{"", "50"}, []string{"101"}}, {"percentageOfPlacementsToScore", []string{""}, []string{"50", "null"}},
		{"unknown", []string{""}, []string{"1"}},
	},
}

// These are no plugins.
const (
	extender      = "an extender"
	profileItself = "the profile"
)

// set puts a value at a path into an object.
func set(into map[string]any, path, value string) {
	if value == "" {
		return
	}
	name, rest, deeper := strings.Cut(path, ".")
	name, listed := strings.CutSuffix(name, "[0]")
	var x any = json.RawMessage(value)
	if deeper {
		below, _ := into[name].(map[string]any)
		if list, ok := into[name].([]any); ok {
			below = list[0].(map[string]any)
		}
		if below == nil {
			below = map[string]any{}
		}
		set(below, rest, value)
		x = below
	}
	if listed {
		x = []any{x}
	}
	into[name] = x
}

// Each value that cannot be read is a problem of its field, at its path, and no other field is one: whatever
// plugin, list or extender it belongs to, and whatever else is wrong.
func TestPropertyEachMistakeIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document := map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
		profile, configs, want := map[string]any{}, []any{}, []string{}
		for _, about := range slices.Sorted(maps.Keys(settings)) {
			object, at := map[string]any{}, fmt.Sprintf("profiles[0].pluginConfig[%d].args.", len(configs))
			switch about {
			case extender:
				at = "extenders[0]."
				document["extenders"] = []any{object}
			case profileItself:
				object, at = profile, "profiles[0]."
			default:
				configs = append(configs, map[string]any{"name": about, "args": object})
			}
			for _, s := range settings[about] {
				if rapid.IntRange(0, 5).Draw(t, about+" "+s.path) == 5 {
					set(object, s.path, rapid.SampledFrom(s.bad).Draw(t, "bad"))
					want = append(want, at+s.path)
				} else {
					set(object, s.path, rapid.SampledFrom(s.good).Draw(t, "good"))
				}
			}
		}
		profile["pluginConfig"] = configs
		document["profiles"] = []any{profile}
		text, err := json.Marshal(document)
		require.NoError(t, err)

		_, err = schedulerconfig.Read(outrank.DefaultRelease, strings.NewReader(string(text)))
		var input *outrank.InputError
		got := []string{}
		if errors.As(err, &input) {
			for _, p := range input.Problems {
				got = append(got, p.Field)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, slices.Compact(got), "%s", text)
	})
}

// What a file says about default constraints is what counts, field by field, and two of one key and one way are
// a mistake.
func TestPropertyConstraintsAreReadAsWritten(t *testing.T) {
	policies := rapid.SampledFrom([]outrank.NodeInclusionPolicy{"", outrank.NodeHonor, outrank.NodeIgnore})
	rapid.Check(t, func(t *rapid.T) {
		var want []outrank.TopologySpreadConstraint
		var list []string
		twice := false
		for range rapid.IntRange(1, 3).Draw(t, "constraints") {
			c := outrank.TopologySpreadConstraint{
				MaxSkew: rapid.Int32Range(1, 9).Draw(t, "skew"), MinDomains: rapid.Int32Range(0, 3).Draw(t, "domains"),
				TopologyKey:        rapid.SampledFrom([]string{"zone", "example.com/rack"}).Draw(t, "key"),
				WhenUnsatisfiable:  rapid.SampledFrom([]outrank.UnsatisfiablePolicy{outrank.DoNotSchedule, outrank.ScheduleAnyway}).Draw(t, "way"),
				NodeAffinityPolicy: policies.Draw(t, "affinity"), NodeTaintsPolicy: policies.Draw(t, "taints"),
				MatchLabelKeys: rapid.SampledFrom([][]string{nil, {"v"}, {"v", "w"}}).Draw(t, "keys"),
			}
			for _, other := range want {
				twice = twice || other.TopologyKey == c.TopologyKey && other.WhenUnsatisfiable == c.WhenUnsatisfiable
			}
			want = append(want, c)
			keys, err := json.Marshal(c.MatchLabelKeys)
			require.NoError(t, err)
			list = append(list, fmt.Sprintf("{'maxSkew': %d, 'minDomains': %d, 'topologyKey': '%s', 'whenUnsatisfiable': '%s', 'nodeAffinityPolicy': '%s', 'nodeTaintsPolicy': '%s', 'matchLabelKeys': %s}",
				c.MaxSkew, c.MinDomains, c.TopologyKey, c.WhenUnsatisfiable, c.NodeAffinityPolicy, c.NodeTaintsPolicy, keys))
		}

		text := args("PodTopologySpread", "'defaultingType': 'List', 'defaultConstraints': ["+strings.Join(list, ", ")+"]")
		c, err := schedulerconfig.Read(0, strings.NewReader(text))
		require.Equal(t, twice, err != nil, "%v", err)
		if err == nil {
			p, _ := c.Profile(outrank.DefaultScheduler)
			require.Equal(t, want, p.Config.Profile.DefaultConstraints)
			require.Equal(t, want, p.Scores.DefaultSpread)
		}
	})
}
