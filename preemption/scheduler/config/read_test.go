package config_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// file is a configuration with these fields beside its version and kind. Single
// quotes stand for double ones.
func file(fields string) string {
	text := `{'apiVersion': 'kubescheduler.config.k8s.io/v1', 'kind': 'KubeSchedulerConfiguration'`
	if fields != "" {
		text += ", " + fields
	}
	return strings.ReplaceAll(text+"}", "'", `"`)
}

func profile(fields string) string { return file("'profiles': [{" + fields + "}]") }

func plugins(fields string) string { return profile("'plugins': {" + fields + "}") }

func args(plugin, fields string) string {
	return profile("'pluginConfig': [{'name': '" + plugin + "', 'args': {" + fields + "}}]")
}

// ratio scores by a shape of two points, at these utilizations.
func ratio(first, second string) string {
	return "'scoringStrategy': {'type': 'RequestedToCapacityRatio', 'requestedToCapacityRatio': {'shape': [" +
		"{'utilization': " + first + ", 'score': 0}, {'utilization': " + second + ", 'score': 10}]}}"
}

func read(t *testing.T, text string) *schedulerconfig.Profile {
	t.Helper()
	c, err := schedulerconfig.Read(0, strings.NewReader(text))
	require.NoError(t, err)
	p, ok := c.Profile(outrank.DefaultScheduler)
	require.True(t, ok)
	return p
}

func readIn(t *testing.T, r outrank.Release, text string) *schedulerconfig.Profile {
	t.Helper()
	c, err := schedulerconfig.Read(r, strings.NewReader(text))
	require.NoError(t, err)
	p, ok := c.Profile(outrank.DefaultScheduler)
	require.True(t, ok)
	return p
}

// disabled reports whether no pod may preempt.
func disabled(p *schedulerconfig.Profile) bool {
	return slices.Contains(p.Config.Profile.Off, preemption.DefaultPreemption)
}

// usualWaysOut are the ways out of the default profile.
var usualWaysOut = []string{"DynamicResources", "DefaultPreemption"}

func TestDefaultProfile(t *testing.T) {
	for _, text := range []string{
		file(""), file("'profiles': []"), file("'profiles': null"), file("'profiles': [null]"), profile(""),
		file(`'parallelism': 4, 'percentageOfNodesToScore': 50, 'enableProfiling': true, 'delayCacheUntilActive': false,
			'leaderElection': {'leaderElect': true, 'leaseDuration': '15s', 'resourceName': 'x'},
			'clientConnection': {'kubeconfig': '/k', 'qps': 50.5, 'burst': 100}`),
		plugins("'score': {'disabled': [{'name': '*'}], 'enabled': [{'name': 'Mine', 'weight': 3}]}, 'bind': {'enabled': [{'name': 'DefaultBinder'}]}"),
		args("InterPodAffinity", "'hardPodAffinityWeight': 5"),
		args("VolumeBinding", "'bindTimeoutSeconds': 60"),
		args("DynamicResources", "'filterTimeout': '10s'"),
		args("NodeResourcesBalancedAllocation", "'resources': [{'name': 'cpu', 'weight': 1}, {'name': 'memory'}]"),
		args("NodeResourcesFit", "'scoringStrategy': {'type': 'MostAllocated', 'resources': [{'name': 'cpu', 'weight': 100}]}"),
		args("NodeResourcesFit", ratio("0", "100")),
		args("PodTopologySpread", "'defaultingType': 'System'"),
		args("NodeAffinity", "'addedAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 1, 'preference': {}}]}"),
		args("Mine", "'anything': {'at': ['all']}"),
		"\ufeff" + file(""),
	} {
		p := read(t, text)
		p.Scores, p.UnsupportedScores = score.Config{}, nil
		assert.Equal(t, &schedulerconfig.Profile{SchedulerName: outrank.DefaultScheduler, Config: preemption.Config{Profile: preemption.Profile{Schedulers: []string{outrank.DefaultScheduler}}}, WaysOut: usualWaysOut}, p, "%s", text)
	}
}

// Preemption is switched off wherever a file can say so, alone or with every other way out
// (rules 19.2.4 and 19.2.9).
func TestPreemptionOff(t *testing.T) {
	devices, preempts, none := []string{"DynamicResources"}, []string{"DefaultPreemption"}, []string(nil)
	for text, ways := range map[string][]string{
		"'postFilter': {'disabled': [{'name': 'DefaultPreemption'}]}":                                                             devices,
		"'postFilter': {'disabled': [{'name': '*'}]}":                                                                             none,
		"'postFilter': {'disabled': [{'name': 'DefaultPreemption'}, {'name': 'DynamicResources'}]}":                               none,
		"'multiPoint': {'disabled': [{'name': 'DefaultPreemption'}]}":                                                             devices,
		"'multiPoint': {'disabled': [{'name': 'DefaultPreemption'}]}, 'postFilter': {'enabled': [{'name': 'DefaultPreemption'}]}": usualWaysOut,
		"'postFilter': {'disabled': [{'name': '*'}], 'enabled': [{'name': 'DefaultPreemption'}]}":                                 preempts,
		"'postFilter': {'enabled': [{'name': 'DefaultPreemption'}]}":                                                              {"DefaultPreemption", "DynamicResources"},
		"'multiPoint': {'disabled': [{'name': 'DefaultPreemption'}], 'enabled': [{'name': 'DefaultPreemption'}]}":                 usualWaysOut,
		"'preEnqueue': {'disabled': [{'name': 'DefaultPreemption'}]}":                                                             usualWaysOut,
	} {
		p := read(t, plugins(text))
		assert.Equal(t, ways, p.WaysOut, "%s", text)
		assert.Equal(t, slices.Contains(ways, "DefaultPreemption"), !disabled(p), "%s", text)
		if !strings.Contains(text, "preEnqueue") { // where it keeps pods out of the queue, which is told
			assert.Empty(t, p.Unsupported, "%s", text)
		}
	}
}

// The filters of v1.36; TestFiltersOffIn has those of later releases.
func TestFiltersOff(t *testing.T) {
	all := []string{
		preemption.NodeUnschedulable, preemption.NodeName, preemption.TaintToleration, preemption.NodeAffinity, preemption.NodePorts,
		preemption.NodeResourcesFit, preemption.VolumeRestrictions, preemption.NodeVolumeLimits, preemption.VolumeBinding,
		preemption.VolumeZone, preemption.PodTopologySpread, preemption.InterPodAffinity, preemption.NodeDeclaredFeatures,
	}
	for _, x := range []struct {
		text                        string
		off, onNodes, notUnderstood []string
	}{
		{text: "'multiPoint': {'disabled': [{'name': 'NodePorts'}, {'name': 'TaintToleration'}]}", off: []string{"TaintToleration", "NodePorts"}},
		{text: "'multiPoint': {'disabled': [{'name': 'NodePorts'}], 'enabled': [{'name': 'NodePorts'}]}", notUnderstood: []string{"another order", "another order"}},
		{text: "'multiPoint': {'enabled': [{'name': 'NodePorts', 'weight': 2}, {'name': 'NodeName'}]}"}, // where they are anyway
		{text: "'filter': {'disabled': [{'name': 'NodeAffinity'}, {'name': 'NodeName'}]}", off: []string{"NodeName"}, onNodes: []string{"NodeAffinity"}},
		{text: "'filter': {'disabled': [{'name': 'NodePorts'}]}, 'preFilter': {'disabled': [{'name': 'NodePorts'}]}", off: []string{"NodePorts"}},
		{text: "'filter': {'enabled': [{'name': 'NodeUnschedulable'}, {'name': 'NodeName'}]}"},
		{text: "'filter': {'enabled': [{'name': 'NodePorts'}]}", notUnderstood: []string{"another order"}},
		{text: "'preFilter': {'disabled': [{'name': 'NodeAffinity'}]}", notUnderstood: []string{"NodeAffinity is off here"}},
		{text: "'preFilter': {'disabled': [{'name': 'NodeVolumeLimits'}]}"},
		{text: "'multiPoint': {'disabled': [{'name': '*'}]}, 'queueSort': {'enabled': [{'name': 'PrioritySort'}]}, 'bind': {'enabled': [{'name': 'DefaultBinder'}]}", off: append([]string{preemption.DefaultPreemption}, all...)},
		{text: "'multiPoint': {'enabled': [{'name': 'Mine'}]}", notUnderstood: []string{"plugin Mine"}},
		{text: "'filter': {'enabled': [{'name': 'Mine'}]}", notUnderstood: []string{"plugin Mine"}},
		{text: "'postFilter': {'enabled': [{'name': 'Mine'}]}", notUnderstood: []string{"plugin Mine"}},
		{text: "'placementScore': {'disabled': [{'name': 'X'}]}", notUnderstood: []string{"pod groups"}},
		{text: "'placementGenerate': {'disabled': [{'name': 'X'}]}", notUnderstood: []string{"pod groups"}},
		{text: "'score': {'enabled': [{'name': 'Mine'}]}"},
	} {
		p := readIn(t, outrank.V1_36, plugins(x.text))
		assert.Equal(t, x.off, p.Config.Profile.Off, "%s", x.text)
		assert.Equal(t, x.onNodes, p.Config.Profile.OffOnNodes, "%s", x.text)
		require.Len(t, p.Unsupported, len(x.notUnderstood), "%s: %v", x.text, p.Unsupported)
		for i, want := range x.notUnderstood {
			assert.Contains(t, p.Unsupported[i].String(), want)
		}
		assert.NoError(t, p.Config.Validate())
	}
}

func TestArgs(t *testing.T) {
	p := read(t, args("DefaultPreemption", "'minCandidateNodesPercentage': 0, 'minCandidateNodesAbsolute': 5"))
	assert.Equal(t, &preemption.Sample{Percent: -1, Minimum: 5}, p.Config.Sample)
	p = read(t, args("DefaultPreemption", "'apiVersion': 'kubescheduler.config.k8s.io/v1', 'kind': 'DefaultPreemptionArgs', 'minCandidateNodesPercentage': 20"))
	assert.Equal(t, &preemption.Sample{Percent: 20, Minimum: 100}, p.Config.Sample)

	p = read(t, args("NodeAffinity", `'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [
		{'matchExpressions': [{'key': 'pool', 'operator': 'In', 'values': ['a', 'b']}, {'key': 'gen', 'operator': 'Gt', 'values': ['3']}]},
		{'matchFields': [{'key': 'metadata.name', 'operator': 'NotIn', 'values': ['n1']}]}]}}`))
	assert.Equal(t, &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{
		{MatchExpressions: []outrank.NodeRequirement{{Key: "pool", Operator: outrank.In, Values: []string{"a", "b"}}, {Key: "gen", Operator: outrank.Gt, Values: []string{"3"}}}},
		{MatchFields: []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.NotIn, Values: []string{"n1"}}}},
	}}, p.Config.Profile.AddedAffinity)
	assert.NoError(t, p.Config.Validate())

	p = read(t, args("NodeResourcesFit", "'ignoredResources': ['example.com/gpu'], 'ignoredResourceGroups': ['example.org']"))
	assert.Equal(t, []resource.Name{"example.com/gpu"}, p.Config.Profile.IgnoredResources)
	assert.Equal(t, []string{"example.org"}, p.Config.Profile.IgnoredResourceGroups)

	p = read(t, args("PodTopologySpread", `'defaultingType': 'List', 'defaultConstraints': [
		{'maxSkew': 2, 'topologyKey': 'zone', 'whenUnsatisfiable': 'DoNotSchedule', 'minDomains': 3, 'nodeTaintsPolicy': 'Honor', 'matchLabelKeys': ['v']},
		{'maxSkew': 1, 'topologyKey': 'zone', 'whenUnsatisfiable': 'ScheduleAnyway'}]`))
	assert.Equal(t, []outrank.TopologySpreadConstraint{
		{MaxSkew: 2, TopologyKey: "zone", WhenUnsatisfiable: outrank.DoNotSchedule, MinDomains: 3, NodeTaintsPolicy: outrank.NodeHonor, MatchLabelKeys: []string{"v"}},
		{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: outrank.ScheduleAnyway},
	}, p.Config.Profile.DefaultConstraints)
	assert.ErrorContains(t, p.Config.Validate(), "SpreadSelector: missing")
}

func TestProfiles(t *testing.T) {
	c, err := schedulerconfig.Read(0, strings.NewReader(file(`'podInitialBackoffSeconds': 2, 'podMaxBackoffSeconds': 60, 'profiles': [
		{'schedulerName': 'default-scheduler'},
		{'schedulerName': 'batch', 'plugins': {'postFilter': {'disabled': [{'name': 'DefaultPreemption'}]}}}]`)))
	require.NoError(t, err)
	assert.Equal(t, 2*time.Second, c.InitialBackoff)
	assert.Equal(t, time.Minute, c.MaxBackoff)
	p, ok := c.Profile("batch")
	require.True(t, ok)
	assert.True(t, disabled(p))
	assert.Equal(t, []string{"default-scheduler", "batch"}, p.Config.Profile.Schedulers, "the profiles share nominations")
	p, ok = c.Profile("default-scheduler")
	require.True(t, ok)
	assert.False(t, disabled(p))
	_, ok = c.Profile("other")
	assert.False(t, ok)
}

// Extenders are named, and the resources that they have ignored are ignored in
// every profile (rules 19.4.1 and 19.4.2).
func TestExtenders(t *testing.T) {
	p := read(t, file(`'extenders': [
		{'urlPrefix': 'http://a', 'filterVerb': 'filter', 'preemptVerb': 'preempt', 'managedResources': [
			{'name': 'example.com/gpu', 'ignoredByScheduler': true}, {'name': 'example.com/nic'}]},
		{'urlPrefix': 'http://b', 'prioritizeVerb': 'p', 'weight': 1, 'httpTimeout': '5s', 'tlsConfig': {'insecure': true}}],
		'profiles': [{'pluginConfig': [{'name': 'NodeResourcesFit', 'args': {'ignoredResources': ['example.com/other']}}]}]`))
	assert.Equal(t, []resource.Name{"example.com/gpu"}, p.Config.Profile.IgnoredResources)
	require.Len(t, p.Unsupported, 1)
	assert.Equal(t, "KubeSchedulerConfiguration: extenders[0]: an extender filters nodes and changes candidates for pods that ask for "+
		"example.com/gpu, example.com/nic; what it answers is not known", p.Unsupported[0].String())
}

// Every file that kube-scheduler does not start with is an error that names the field.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "empty",
		"apiVersion: v1\n":     "YAML has to be converted first",
		"{} {}":                "something follows",
		"{":                    "not JSON: unexpected EOF",
		"{}":                   `apiVersion: "" where "kubescheduler.config.k8s.io/v1" is wanted`,
		file("'kind': 'X'"):    `the field "kind" is given twice`,
		file("'Profiles': []"): "Profiles: unknown field",
		strings.Replace(file(""), "io/v1", "io/v1alpha1", 1):                 "disablePreemption there is DefaultPreemption among plugins.postFilter.disabled",
		strings.Replace(file(""), "KubeS", "S", 1):                           `kind: "SchedulerConfiguration" where`,
		file("'profiles': [" + strings.Repeat("{},", 1000) + "{}]"):          "profiles: 1001 entries, and there can be 1000",
		file("'extenders': [" + strings.Repeat("{},", 1000) + "{}]"):         "extenders: 1001 entries, and there can be 1000",
		file("'parallelism': 0"):                                             "parallelism: 0 is not between 1",
		file("'parallelism': 1.5"):                                           "parallelism: 1.5 is not an integer",
		file("'parallelism': 'x'"):                                           "parallelism: a string where an integer is wanted",
		file("'percentageOfNodesToScore': 101"):                              "percentageOfNodesToScore: 101",
		file("'leaderElection': {'leaseDuration': '15'}"):                    `leaderElection.leaseDuration: "15" is not a duration`,
		file("'leaderElection': {'x': 1}"):                                   "leaderElection.x: unknown field",
		file("'podInitialBackoffSeconds': 20"):                               "podMaxBackoffSeconds: its default of 10 is less",
		file("'podInitialBackoffSeconds': 5, 'podMaxBackoffSeconds': 4"):     "podMaxBackoffSeconds: 4 is less",
		file("'podMaxBackoffSeconds': 0"):                                    "podMaxBackoffSeconds: 0 is less than podInitialBackoffSeconds, 1",
		file("'profiles': {}"):                                               "profiles: an object where a list is wanted",
		file("'profiles': [3]"):                                              "profiles[0]: a number where an object is wanted",
		file("'profiles': [{}, {'schedulerName': 'a'}]"):                     "profiles[0].schedulerName: missing",
		file("'profiles': [{'schedulerName': 'a'}, {'schedulerName': 'a'}]"): "profiles[1].schedulerName: there is another",
		file("'profiles': [{'schedulerName': 'a'}, {'schedulerName': 'b', 'plugins': {'queueSort': {'enabled': [{'name': 'Mine'}]}}}]"): "profiles[1].plugins.queueSort: not the same",
		profile("'schedulerName': ''"):                                                                "profiles[0].schedulerName: empty",
		profile("'x': 1"):                                                                             "profiles[0].x: unknown field",
		plugins("'x': {}"):                                                                            "profiles[0].plugins.x: unknown field",
		plugins("'filter': {'enabled': ['NodePorts']}"):                                               "plugins.filter.enabled[0]: a string where an object",
		plugins("'filter': {'enabled': [{'weight': 1}]}"):                                             "plugins.filter.enabled[0].name: missing",
		plugins("'filter': {'enabled': [{'name': 'EBSLimits'}]}"):                                     "EBSLimits has been removed",
		plugins("'filter': {'enabled': [{'name': 'DefaultPreemption'}]}"):                             "DefaultPreemption does not serve filter",
		plugins("'filter': {'enabled': [{'name': 'NodePorts'}, {'name': 'NodePorts'}]}"):              `"NodePorts" is enabled twice`,
		profile("'pluginConfig': [{'name': 'A'}, {'name': 'A'}]"):                                     `pluginConfig[1].name: "A" is configured twice`,
		args("DefaultPreemption", "'minCandidateNodesPercentage': 0, 'minCandidateNodesAbsolute': 0"): "0 at the same time",
		args("DefaultPreemption", "'minCandidateNodesPercentage': 101"):                               "args.minCandidateNodesPercentage: 101",
		args("DefaultPreemption", "'minCandidateNodesAbsolut': 1"):                                    "args.minCandidateNodesAbsolut: unknown field",
		args("DefaultPreemption", "'kind': 'NodeAffinityArgs'"):                                       `args.kind: "NodeAffinityArgs" where "DefaultPreemptionArgs"`,
		args("DefaultPreemption", "'apiVersion': 'kubescheduler.config.k8s.io/v1beta3'"):              "args.apiVersion",
		args("NodeAffinity", "'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'a', 'operator': 'In', 'values': ['-']}]}]}}"):                   "nodeSelectorTerms[0].matchExpressions[0]",
		args("NodeAffinity", "'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'a', 'operator': 'Gt', 'values': ['x']}]}]}}"):                   `"x" is not an integer`,
		args("NodeAffinity", "'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'a', 'operator': 'Gt', 'values': ['-1']}]}]}}"):                  `"-1" is not a label value`,
		args("NodeAffinity", "'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'a', 'operator': 'Lt', 'values': ['9223372036854775808']}]}]}}"): `"9223372036854775808" is not an integer`,
		args("NodeAffinity", "'addedAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 1, 'preference': {'matchExpressions': [{'key': 'a', 'operator': 'Lt', 'values': ['+3']}]}}]}"):           `"+3" is not a label value`,
		args("NodeAffinity", "'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': [{'key': '-', 'operator': 'Lt', 'values': ['1']}]}]}}"):                   `"-" is no name of a label`,
		args("NodeResourcesFit", ratio("50", "50")): "shape[1].utilization: 50 does not come after 50",
		args("NodeAffinity", "'addedAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchFields': [{'key': 'a', 'operator': 'Exists'}]}]}}"): "the operators are In and NotIn",
		args("NodeResourcesFit", "'ignoredResources': ['a b']"):                                                                                                                      `args.ignoredResources[0]: "a b"`,
		args("NodeResourcesFit", "'ignoredResourceGroups': ['a/b']"):                                                                                                                 `args.ignoredResourceGroups[0]: "a/b"`,
		args("NodeResourcesFit", "'scoringStrategy': {'type': 'Best'}"):                                                                                                              `scoringStrategy.type: there is no strategy "Best"`,
		args("PodTopologySpread", "'defaultConstraints': [{'maxSkew': 1, 'topologyKey': 'z', 'whenUnsatisfiable': 'DoNotSchedule'}]"):                                                "defaultingType: has to be List",
		args("PodTopologySpread", "'defaultingType': 'List', 'defaultConstraints': [{'maxSkew': 0, 'topologyKey': 'z', 'whenUnsatisfiable': 'DoNotSchedule'}]"):                      "maxSkew: 0 is not positive",
		args("PodTopologySpread", "'defaultingType': 'List', 'defaultConstraints': [{'maxSkew': 1, 'topologyKey': 'z', 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {}}]"): "labelSelector: default constraints have none",
		args("PodTopologySpread", "'defaultingType': 'Sys'"):                                                                                                                         "neither System nor List",
		file("'extenders': [{'prioritizeVerb': 'p'}]"):                                                                                                                               "extenders[0].weight: 0 is not positive",
		file("'extenders': [{'managedResources': [{'name': 'cpu'}]}]"):                                                                                                               `"cpu" is no extended resource`,
		file("'extenders': [{'bindVerb': 'b'}, {'bindVerb': 'b'}]"):                                                                                                                  "2 extenders bind",
	} {
		_, err := schedulerconfig.Read(0, strings.NewReader(text))
		require.ErrorIs(t, err, outrank.ErrInvalid, "%s", text)
		assert.ErrorContains(t, err, want, "%s", text)
	}
}

// Hostile input ends soon, with an error and a bounded number of problems.
func TestHostile(t *testing.T) {
	for name, text := range map[string]string{
		"deep":    strings.Repeat("[", 1000),
		"deeper":  file("'profiles': " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000)),
		"large":   file("'profiles': [" + strings.Repeat("{},", 400_000) + "{}]"),
		"unknown": file(strings.TrimSuffix(many(5000), ",")),
	} {
		_, err := schedulerconfig.Read(0, strings.NewReader(text))
		var input *outrank.InputError
		require.ErrorAs(t, err, &input, name)
		assert.LessOrEqual(t, len(input.Problems), 1000, name)
		assert.Less(t, len(err.Error()), 100_000, name)
	}
	_, err := schedulerconfig.Read(0, strings.NewReader(file("")+strings.Repeat(" ", 1<<20)))
	assert.ErrorContains(t, err, "larger than 1 MiB", "and not only the beginning of it")
	_, err = schedulerconfig.Read(0, broken{})
	assert.ErrorContains(t, err, "cable")
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "'f%d': 1,", i)
	}
	return b.String()
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("cable") }

// A pod's services and its controller select together (rule 19.3.5).
func TestSpreadSelector(t *testing.T) {
	labels := func(kv ...string) *outrank.LabelSelector {
		s := &outrank.LabelSelector{MatchLabels: map[string]string{}}
		for i := 0; i < len(kv); i += 2 {
			s.MatchLabels[kv[i]] = kv[i+1]
		}
		return s
	}
	of := schedulerconfig.SpreadSelector([]schedulerconfig.Workload{
		{Kind: "Service", Name: "web", Selector: labels("app", "web")},
		{Kind: "Service", Name: "front", Selector: &outrank.LabelSelector{
			MatchLabels: map[string]string{"tier": "front"}, MatchExpressions: []outrank.Requirement{{Key: "tier", Operator: outrank.DoesNotExist}},
		}},
		{Kind: "Service", Name: "none"},
		{Kind: "Service", Name: "all", Selector: labels()},
		{Kind: "Service", Name: "elsewhere", Namespace: "other", Selector: labels("app", "web")},
		{Kind: "ReplicaSet", Name: "web-1", Selector: &outrank.LabelSelector{
			MatchLabels: map[string]string{"hash": "1"}, MatchExpressions: []outrank.Requirement{{Key: "x", Operator: outrank.Exists}},
		}},
		{Kind: "StatefulSet", Name: "db", Namespace: "other", Selector: labels("app", "db")},
		{Kind: "ReplicationController", Name: "old", Selector: labels("rc", "old")},
		{Kind: "StatefulSet", Name: "bad", Selector: labels("-", "")},
		{Kind: "Job", Name: "job", Selector: labels("job", "1")},
	})
	pod := func(owner outrank.Owner, kv ...string) *outrank.Pod {
		return &outrank.Pod{Name: "p", Owner: owner, Labels: labels(kv...).MatchLabels}
	}
	none := outrank.Owner{}
	assert.Equal(t, labels("app", "web", "tier", "front"), of(pod(none, "app", "web", "tier", "front")))
	assert.Nil(t, of(pod(none, "app", "db")))
	assert.Equal(t, labels("rc", "old"), of(pod(outrank.Owner{Kind: "ReplicationController", Name: "old"})))
	assert.Equal(t, &outrank.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []outrank.Requirement{{Key: "hash", Operator: outrank.In, Values: []string{"1"}}, {Key: "x", Operator: outrank.Exists}},
	}, of(pod(outrank.Owner{Kind: "ReplicaSet", Name: "web-1"}, "app", "web")))
	assert.Nil(t, of(pod(outrank.Owner{Kind: "StatefulSet", Name: "bad"})))
	assert.Nil(t, of(pod(outrank.Owner{Kind: "Job", Name: "job"})))
	db := pod(outrank.Owner{Kind: "StatefulSet", Name: "db"})
	assert.Nil(t, of(db), "another one of this name is elsewhere")
	db.Namespace = "other"
	assert.Equal(t, []outrank.Requirement{{Key: "app", Operator: outrank.In, Values: []string{"db"}}}, of(db).MatchExpressions)
	inOther := pod(outrank.Owner{Kind: "ReplicaSet", Name: "web-1"}, "app", "web")
	inOther.Namespace = "other"
	assert.Equal(t, labels("app", "web"), of(inOther), "the set of another namespace is another one")
}
