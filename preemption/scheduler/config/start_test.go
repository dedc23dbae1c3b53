package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// With these files kube-scheduler does not start, and they are errors here (rules 19.2.5, 19.2.7 and 19.5.6).
func TestFilesWithWhichNothingStarts(t *testing.T) {
	ratio := "'scoringStrategy': {'type': 'RequestedToCapacityRatio', 'requestedToCapacityRatio': {'shape': null}}"
	for text, want := range map[string]string{
		plugins("'queueSort': {'disabled': [{'name': 'PrioritySort'}]}"):                                                 "queueSort: no plugin is left to sort the queue",
		file("'profiles': [{'schedulerName': 'a'}, {'schedulerName': 'b', 'pluginConfig': [{'name': '', 'args': {}}]}]"): `the arguments of "" are not the same`,
		plugins("'queueSort': {'enabled': [{'name': 'Mine'}]}"):                                                          "queueSort: 2 plugins, and one can sort",
		plugins("'bind': {'disabled': [{'name': '*'}]}"):                                                                 "bind: no plugin is left to bind pods",
		plugins("'permit': {'enabled': [{'name': 'NodeName'}]}"):                                                         "NodeName does not serve permit",
		plugins("'score': {'enabled': [{'name': 'NodePorts'}]}"):                                                         "NodePorts does not serve score",
		plugins("'placementScore': {'enabled': [{'name': 'ImageLocality'}]}"):                                            "ImageLocality does not serve placementScore",
		plugins("'placementFeasible': {}"):                                                                               "placementFeasible: unknown",
		plugins("'score': {'enabled': [{'name': 'NodeAffinity', 'weight': -9}, {'name': 'NodeResourcesFit'}]}"):          "the weights before that of NodeResourcesFit add up to less than 0",
		args("NodeResourcesBalancedAllocation", "'resources': [{'name': 'cpu'}, {'name': 'cpu'}]"):                       `resources: "cpu" is there twice`,
		args("NodeResourcesFit", ratio):                                                                                  "shape: needs a point",
	} {
		_, err := schedulerconfig.Read(0, strings.NewReader(text))
		require.ErrorIs(t, err, outrank.ErrInvalid, text)
		assert.ErrorContains(t, err, want, text)
	}
}

// With these it does.
func TestFilesWithWhichItStarts(t *testing.T) {
	for _, set := range []string{
		"'queueSort': {'disabled': [{'name': 'PrioritySort'}], 'enabled': [{'name': 'Mine'}]}",
		"'multiPoint': {'disabled': [{'name': 'PrioritySort'}], 'enabled': [{'name': 'Mine'}]}",
		"'bind': {'enabled': [{'name': 'Mine'}], 'disabled': [{'name': '*'}]}",
		"'reserve': {'enabled': [{'name': 'VolumeBinding'}]}, 'preEnqueue': {'disabled': [{'name': '*'}]}",
	} {
		_, err := schedulerconfig.Read(0, strings.NewReader(plugins(set)))
		require.NoError(t, err, set)
	}
}

// A requirement on a field that no node has is met by all nodes or by none, and a term with the weight 0 is not
// looked into (rule 19.3.7).
func TestFieldsThatNoNodeHas(t *testing.T) {
	for text, want := range map[string]outrank.NodeRequirement{
		"'operator': 'In', 'values': ['u']":    {Key: outrank.FieldName, Operator: outrank.In, Values: []string{""}},
		"'operator': 'NotIn', 'values': ['u']": {Key: outrank.FieldName, Operator: outrank.NotIn, Values: []string{""}},
		"'operator': 'In', 'values': ['']":     {Key: outrank.FieldName, Operator: outrank.NotIn, Values: []string{""}},
	} {
		term := "{'matchFields': [{'key': 'metadata.uid', " + text + "}]}"
		p := read(t, args("NodeAffinity", "'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': ["+term+"]}}"))
		assert.Equal(t, []outrank.NodeRequirement{want}, p.Config.Profile.AddedAffinity.NodeSelectorTerms[0].MatchFields)
		assert.NoError(t, p.Config.Validate())
	}
	p := read(t, args("NodeAffinity", "'addedAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 0, 'preference': {'matchFields': [{'operator': 'Exists'}]}}]}"))
	assert.Empty(t, p.Scores.AddedAffinity)
}

// The arguments of NodeResourcesFit are looked into where the plugin runs (rule 19.3.8).
func TestArgumentsOfAPluginThatDoesNotRun(t *testing.T) {
	file := func(off, args string) string {
		return file("'profiles': [{'plugins': {'multiPoint': {'disabled': [{'name': '" + off + "'}]}}, 'pluginConfig': [{'name': 'NodeResourcesFit', 'args': {" + args + "}}]}]")
	}
	bad := "'ignoredResources': ['a b'], 'scoringStrategy': {'type': 'Best', 'resources': [{'name': 'cpu', 'weight': 101}]}"
	p := read(t, file("NodeResourcesFit", bad))
	assert.Empty(t, p.Config.Profile.IgnoredResources)
	p = read(t, file("NodeResourcesFit", "'ignoredResources': ['example.com/x']"))
	assert.Len(t, p.Config.Profile.IgnoredResources, 1)
	for off, args := range map[string]string{"NodeName": bad, "NodeResourcesFit": bad + ", 'more': 1"} {
		_, err := schedulerconfig.Read(0, strings.NewReader(file(off, args)))
		require.ErrorIs(t, err, outrank.ErrInvalid, off)
	}
}

// A resource without a name is one that no node has, and a list of it alone is no default (rule 19.3.7).
func TestResourcesWithoutAName(t *testing.T) {
	p := read(t, args("NodeResourcesBalancedAllocation", "'resources': [{'name': ''}]"))
	assert.Equal(t, []resource.Name{}, p.Scores.Balanced)
	p = read(t, args("NodeResourcesFit", "'scoringStrategy': {'type': 'MostAllocated', 'resources': [{'name': ''}]}"))
	assert.Equal(t, map[resource.Name]int64{}, p.Scores.Fit.Resources)
	_, err := score.New(p.Scores)
	assert.NoError(t, err)
}

// From v1.37 on NodeUnschedulable and TaintToleration serve preFilter, and say nothing there (rule 19.2.8).
func TestFiltersThatSayNothingBefore(t *testing.T) {
	for _, name := range []string{preemption.NodeUnschedulable, preemption.TaintToleration} {
		text := plugins("'preFilter': {'enabled': [{'name': '" + name + "'}]}, 'filter': {'disabled': [{'name': '" + name + "'}]}")
		p := readIn(t, outrank.V1_37, text)
		assert.Equal(t, []string{name}, p.Config.Profile.Off)
		assert.Empty(t, p.Unsupported)
		_, err := schedulerconfig.Read(outrank.V1_36, strings.NewReader(text))
		assert.ErrorContains(t, err, name+" does not serve preFilter")
	}
}

// A weight below 0 is what it is, and one of 0 is 1 (rule 19.5.2).
func TestWeightsBelowZero(t *testing.T) {
	for text, want := range map[string]int64{"-1": -1, "0": 1, "7": 7} {
		p := read(t, plugins("'multiPoint': {'enabled': [{'name': 'NodeAffinity', 'weight': "+text+"}]}"))
		assert.Equal(t, want, p.Scores.Weights[preemption.NodeAffinity])
		_, err := score.New(p.Scores)
		assert.NoError(t, err)
	}
}
