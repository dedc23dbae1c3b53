package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// What a file says about scores becomes a configuration of package score, which takes it
// (group 19.5).
func TestScores(t *testing.T) {
	without := func(names ...string) map[string]int64 {
		w := score.DefaultWeights()
		for _, name := range names {
			delete(w, name)
		}
		return w
	}
	with := func(name string, weight int64) map[string]int64 {
		w := without()
		w[name] = weight
		return w
	}
	five, none := int32(5), int32(0)
	for text, want := range map[string]score.Config{
		profile(""): {},
		plugins("'score': {'disabled': [{'name': '*'}], 'enabled': [{'name': 'ImageLocality', 'weight': 7}]}"):                                                                 {Weights: map[string]int64{score.ImageLocality: 7, preemption.NodeAffinity: 0, preemption.PodTopologySpread: 0}},
		plugins("'score': {'disabled': [{'name': 'ImageLocality'}]}"):                                                                                                          {Weights: without(score.ImageLocality)},
		plugins("'multiPoint': {'disabled': [{'name': 'ImageLocality'}]}"):                                                                                                     {Weights: without(score.ImageLocality)},
		plugins("'multiPoint': {'enabled': [{'name': 'NodeAffinity'}]}"):                                                                                                       {Weights: with(preemption.NodeAffinity, 1)},
		plugins("'multiPoint': {'enabled': [{'name': 'NodeAffinity', 'weight': 9}]}"):                                                                                          {Weights: with(preemption.NodeAffinity, 9)},
		plugins("'multiPoint': {'enabled': [{'name': 'NodeAffinity', 'weight': 9}]}, 'score': {'enabled': [{'name': 'NodeAffinity', 'weight': 4}]}"):                           {Weights: with(preemption.NodeAffinity, 4)},
		plugins("'multiPoint': {'disabled': [{'name': '*'}]}, 'queueSort': {'enabled': [{'name': 'PrioritySort'}]}, 'bind': {'enabled': [{'name': 'DefaultBinder'}]}"):         {Weights: map[string]int64{}},
		args("InterPodAffinity", "'hardPodAffinityWeight': 5"):                                                                                                                 {HardPodAffinityWeight: &five},
		args("InterPodAffinity", "'hardPodAffinityWeight': 0, 'ignorePreferredTermsOfExistingPods': true"):                                                                     {HardPodAffinityWeight: &none, IgnorePreferredTermsOfExistingPods: true},
		args("NodeResourcesBalancedAllocation", "'resources': [{'name': 'cpu', 'weight': 1}, {'name': 'memory'}]"):                                                             {Balanced: []resource.Name{"cpu", "memory"}},
		args("NodeResourcesFit", "'scoringStrategy': {'type': 'MostAllocated', 'resources': [{'name': 'cpu', 'weight': 60}, {'name': 'cpu'}, {'name': 'cpu', 'weight': 50}]}"): {Fit: score.Strategy{Type: score.MostAllocated, Resources: map[resource.Name]int64{"cpu": 111}}},
		args("NodeResourcesFit", "'scoringStrategy': {'type': 'MostAllocated', 'resources': [{'name': 'cpu', 'weight': 100}, {'name': 'x.io/gpu'}]}"):                          {Fit: score.Strategy{Type: score.MostAllocated, Resources: map[resource.Name]int64{"cpu": 100, "x.io/gpu": 1}}},
		args("NodeResourcesFit", ratio("0", "100")):                                                                                                                            {Fit: score.Strategy{Type: score.RequestedToCapacityRatio, Shape: []score.Point{{Utilization: 0, Score: 0}, {Utilization: 100, Score: 10}}}},
		args("PodTopologySpread", "'defaultingType': 'List'"):                                                                                                                  {DefaultSpread: []outrank.TopologySpreadConstraint{}},
		args("PodTopologySpread", "'defaultingType': 'List', 'defaultConstraints': [{'maxSkew': 2, 'topologyKey': 'rack', 'whenUnsatisfiable': 'ScheduleAnyway'}]"):            {DefaultSpread: []outrank.TopologySpreadConstraint{{MaxSkew: 2, TopologyKey: "rack", WhenUnsatisfiable: outrank.ScheduleAnyway}}},
		args("NodeAffinity", "'addedAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 3, 'preference': {'matchExpressions': [{'key': 'disk', 'operator': 'Exists'}]}}, {'weight': 0, 'preference': {}}]}"): {AddedAffinity: []outrank.PreferredSchedulingTerm{{
			Weight: 3, Preference: outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: "disk", Operator: outrank.Exists}}},
		}}},
	} {
		p := read(t, text)
		assert.Equal(t, want, p.Scores, "%s", text)
		assert.Empty(t, p.UnsupportedScores, "%s", text)
		_, err := score.New(p.Scores)
		require.NoError(t, err, "%s", text)
	}
}

// A plugin that gives no scores and is asked before them has the weight 0, and one that is not
// asked none (rule 19.5.5).
func TestPluginsAskedBeforeScores(t *testing.T) {
	off := "{'disabled': [{'name': 'NodeAffinity'}, {'name': 'ImageLocality'}]}"
	for set, asked := range map[string]bool{
		"'score': " + off:                                        true,
		"'score': " + off + ", 'preScore': " + off:               false,
		"'multiPoint': {'disabled': [{'name': 'NodeAffinity'}]}": false,
		"'multiPoint': {'disabled': [{'name': 'NodeAffinity'}]}, 'preScore': {'enabled': [{'name': 'NodeAffinity'}]}": true,
		"'score': {'disabled': [{'name': '*'}]}":                                            true,
		"'score': {'disabled': [{'name': '*'}]}, 'preScore': {'disabled': [{'name': '*'}]}": false,
	} {
		weight, listed := read(t, plugins(set)).Scores.Weights[preemption.NodeAffinity]
		assert.Equal(t, asked, listed, set)
		assert.Zero(t, weight, set)
		_, listed = read(t, plugins(set)).Scores.Weights[score.ImageLocality]
		assert.Equal(t, strings.HasPrefix(set, "'multiPoint'"), listed, set)
	}
}

// What gives other scores in kube-scheduler is named.
func TestUnsupportedScores(t *testing.T) {
	for text, want := range map[string]string{
		plugins("'score': {'enabled': [{'name': 'Mine'}]}"): "plugin Mine is not one of kube-scheduler's default profile: its scores are not known",
		args("NodeAffinity", "'addedAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 101, 'preference': {}}]}"): "101 is not between 1 and 100: the term is left out of the scores",
	} {
		p := read(t, text)
		require.Len(t, p.UnsupportedScores, 1, "%s", text)
		assert.Equal(t, want, p.UnsupportedScores[0].Text)
		assert.Empty(t, p.Unsupported, "%s", text)
	}
}
