package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
)

var withResizes = func() outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	if err != nil {
		panic(err)
	}
	return r
}()

// The default profile of each release reads a file by its own rules (rule 19.2.8).
func TestFiltersOffIn(t *testing.T) {
	const (
		otherOrder = "another order"
		late       = "'filter': {'disabled': [{'name': '*'}], 'enabled': [{'name': 'NodeUnschedulable'}, {'name': 'NodeName'}, {'name': 'NodeResourcesFit'}]}"
		early      = "'filter': {'disabled': [{'name': '*'}], 'enabled': [{'name': 'NodeName'}, {'name': 'NodeUnschedulable'}, {'name': 'NodeResourcesFit'}]}"
		noName     = "'filter': {'disabled': [{'name': 'NodeName'}]}"
		noNarrow   = "'preFilter': {'disabled': [{'name': 'NodeName'}]}"
		noResize   = "'multiPoint': {'disabled': [{'name': 'DeferredPodScheduling'}]}"
	)
	for _, c := range []struct {
		release outrank.Release
		text    string
		off     string // the filter asked about
		isOff   bool
		onNodes bool
		said    string
	}{
		{release: outrank.V1_36, text: late}, {release: outrank.V1_37, text: late, said: otherOrder},
		{release: outrank.V1_36, text: early, said: otherOrder}, {release: outrank.V1_37, text: early},
		{release: outrank.V1_36, text: noName, off: preemption.NodeName, isOff: true},
		{release: outrank.V1_37, text: noName, off: preemption.NodeName, onNodes: true},
		{release: outrank.V1_36, text: noNarrow},
		{release: outrank.V1_37, text: noNarrow, said: "NodeName is off here and on in filter: every node"},
		{release: outrank.V1_37, text: noResize, off: preemption.DeferredPodScheduling},
		{release: outrank.V1_37, text: "'podGroupPostFilter': {'disabled': [{'name': 'X'}]}", said: "pod groups"},
		{release: withResizes, text: noResize, off: preemption.DeferredPodScheduling, isOff: true},
		{release: withResizes, text: "'preFilter': {'disabled': [{'name': 'DeferredPodScheduling'}]}", off: preemption.DeferredPodScheduling},
		{release: withResizes, text: "'filter': {'enabled': [{'name': 'DeferredPodScheduling'}]}", said: otherOrder},
		{release: outrank.V1_37, text: "'filter': {'enabled': [{'name': 'DeferredPodScheduling'}]}", said: "plugin DeferredPodScheduling is not one of"},
	} {
		t.Run(fmt.Sprint(c.release, c.text), func(t *testing.T) {
			p := readIn(t, c.release, plugins(c.text))
			if c.said == "" {
				assert.Empty(t, p.Unsupported)
			} else {
				require.NotEmpty(t, p.Unsupported)
				assert.Contains(t, p.Unsupported[0].String(), c.said)
			}
			if c.off != "" {
				assert.Equal(t, c.isOff, strings.Contains(strings.Join(p.Config.Profile.Off, " "), c.off))
				assert.Equal(t, c.onNodes, strings.Contains(strings.Join(p.Config.Profile.OffOnNodes, " "), c.off))
			}
			_, err := engine.New(p.Config)
			assert.NoError(t, err)
		})
	}
}

// A field that the release does not have is a mistake, whatever it says (rules 19.1.2 and 19.2.11).
func TestFieldsOfOtherReleases(t *testing.T) {
	const (
		point      = "profiles[0].plugins.podGroupPostFilter: unknown field"
		share      = "percentageOfPlacementsToScore: unknown field"
		nodes      = "'percentageOfNodesToScore': 50"
		placements = "'percentageOfPlacementsToScore': 50"
	)
	for _, c := range []struct {
		name, text string
		release    outrank.Release
		want       string
	}{
		{"a point of v1.37", plugins("'podGroupPostFilter': {}"), outrank.V1_37, ""},
		{"a point of v1.37 in v1.36", plugins("'podGroupPostFilter': {}"), outrank.V1_36, point},
		{"nothing at that point in v1.36", plugins("'podGroupPostFilter': null"), outrank.V1_36, point},
		{"points for groups in v1.36", plugins("'placementGenerate': {}, 'placementScore': {}"), outrank.V1_36, ""},
		{"a share of nodes", file(nodes), outrank.V1_36, ""},
		{"a share of placements", file(placements), outrank.V1_37, share},
		{"a share of placements in v1.36", file(placements), outrank.V1_36, share},
		{"a share of placements for a profile", file("'profiles': [{" + placements + "}]"), outrank.V1_37, "profiles[0]." + share},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := schedulerconfig.Read(c.release, strings.NewReader(c.text))
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.want)
			}
		})
	}
}

// A file names no release, and an unknown one is an error.
func TestReadInUnknownRelease(t *testing.T) {
	c, err := schedulerconfig.Read(0, strings.NewReader(file("")))
	require.NoError(t, err)
	assert.Len(t, c.Profiles, 1)
	_, err = schedulerconfig.Read(7, strings.NewReader(file("")))
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, "release 0x7 is not known")
	_, err = schedulerconfig.Read(outrank.V1_37, strings.NewReader("{"))
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// In v1.37 NodeName still narrows the search where only its answers about nodes are
// switched off.
func ExampleRead_release() {
	text := `{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
		"profiles": [{"plugins": {"filter": {"disabled": [{"name": "NodeName"}]}}}]}`
	for _, r := range outrank.Releases() {
		c, err := schedulerconfig.Read(r, strings.NewReader(text))
		if err != nil {
			panic(err)
		}
		config := c.Profiles[0].Config
		fmt.Println(r, config.Profile.Off, config.Profile.OffOnNodes)
	}
	// Output:
	// v1.36 [NodeName] []
	// v1.37 [] [NodeName]
}
