package outrank_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

func TestParseRelease(t *testing.T) {
	for text, want := range map[string]outrank.Release{
		"v1.36": outrank.V1_36, "1.37": outrank.V1_37, "v1.37.1": outrank.V1_37, "v1.36.3-gke.1200": outrank.V1_36, "v1.37+": outrank.V1_37,
		"v1.37,VolumeLimitScaling=true": outrank.V1_37,
	} {
		got, err := outrank.ParseRelease(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, says := range map[string]string{
		"":                              `release "": the rules of v1.36 and v1.37 are known`,
		"v1.35":                         `release "v1.35"`,
		"2.37":                          `release "2.37"`,
		"1.037":                         `release "1.037"`,
		"v1.37x":                        `release "v1.37x"`,
		"v1.37,":                        `feature gate "": want NAME=true or NAME=false`,
		"v1.37,A":                       `feature gate "A": want NAME=true or NAME=false`,
		"v1.37,A=1":                     `feature gate "A=1": want`,
		"v1.37,A=true":                  `feature gate "A": not known`,
		"v1.37,GangScheduling=true":     `feature gate "GangScheduling": v1.37 has no such gate`,
		"v1.36,VolumeLimitScaling=true": `feature gate "VolumeLimitScaling": true is not followed for v1.36`,
		"v1.37,VolumeLimitScaling=false,VolumeLimitScaling=false":       `given twice`,
		"v1.37,NodeDeclaredFeatures=false":                              `feature gate "NodeDeclaredFeatures": false is not followed for v1.37`,
		"v1.36,PodLevelResourcesFixKubeletQOSClass=true":                `v1.36 has no such gate`,
		"v1.37,VolumeLimitScaling=false,TaintTolerationComparison=true": `feature gate "TaintTolerationComparison": not known`,
	} {
		_, err := outrank.ParseRelease(text)
		require.ErrorIs(t, err, outrank.ErrInvalid, text)
		assert.Contains(t, err.Error(), says, text)
	}
}

func TestReleaseText(t *testing.T) {
	off, err := outrank.V1_37.With(map[string]bool{"VolumeLimitScaling": false})
	require.NoError(t, err)
	require.NotEqual(t, outrank.V1_37, off)
	assert.Equal(t, "v1.37,VolumeLimitScaling=false", off.String())
	assert.False(t, off.Gates()["VolumeLimitScaling"])
	assert.True(t, outrank.V1_37.Gates()["VolumeLimitScaling"])
	back, err := off.With(map[string]bool{"VolumeLimitScaling": true})
	require.NoError(t, err)
	assert.Equal(t, outrank.V1_37, back)
	for _, r := range append(outrank.Releases(), off) {
		assert.True(t, r.Known())
		assert.Equal(t, r, r.OrDefault())
		text, err := json.Marshal(r)
		require.NoError(t, err)
		var again outrank.Release
		require.NoError(t, json.Unmarshal(text, &again))
		assert.Equal(t, r, again)
	}
	assert.Equal(t, outrank.DefaultRelease, outrank.Release(0).OrDefault())
	assert.Equal(t, outrank.DefaultRelease.String(), outrank.Release(0).String())
	// The last has a gate turned round that cannot be set in v1.36.
	for _, r := range []outrank.Release{1, 99, 1 << 60, outrank.V1_36 | 1<<8} {
		assert.False(t, r.Known())
		_, err := json.Marshal(r)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, (&outrank.Cluster{Release: r}).Validate(), "cluster: Release: release 0x")
		_, err = r.With(nil)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.Equal(t, (&outrank.Pod{}).RunningRequests(outrank.DefaultRelease), (&outrank.Pod{}).RunningRequests(r))
	}
	require.Error(t, json.Unmarshal([]byte(`"v1.1"`), new(outrank.Release)))
}

// The newest kubelet says the release: no scheduler is older.
func TestReleaseOfNodes(t *testing.T) {
	cluster := func(versions ...string) *outrank.Cluster {
		c := &outrank.Cluster{Nodes: []*outrank.Node{nil}}
		for i, v := range versions {
			c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), KubeletVersion: v})
		}
		return c
	}
	for _, test := range []struct {
		versions []string
		want     outrank.Release
	}{
		{nil, 0}, {[]string{"", "edge"}, 0}, {[]string{"v1.36.3", "v1.37.1", "v1.34.0"}, outrank.V1_37}, {[]string{"v1.36.3-eks-1"}, outrank.V1_36},
	} {
		got, err := cluster(test.versions...).ReleaseOfNodes()
		require.NoError(t, err)
		assert.Equal(t, test.want, got, "%q", test.versions)
	}
	got, err := cluster("v1.35.4", "v1.9.0").ReleaseOfNodes()
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, outrank.V1_36, got, "the nearest")
	got, err = cluster("v1.36.0", "v1.99.0").ReleaseOfNodes()
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, outrank.V1_37, got, "the nearest")
	require.ErrorContains(t, err, `node n1: status.nodeInfo.kubeletVersion: invalid input: release "v1.99.0"`)
}

func ExampleParseRelease() {
	r, err := outrank.ParseRelease("v1.37.1,VolumeLimitScaling=false")
	fmt.Println(r, err)
	_, err = outrank.ParseRelease("v1.37,GangScheduling=true")
	fmt.Println(err)
	// Output:
	// v1.37,VolumeLimitScaling=false <nil>
	// invalid input: feature gate "GangScheduling": v1.37 has no such gate
}

func ExampleRelease_With() {
	fmt.Println(outrank.Releases(), outrank.Release(0).OrDefault() == outrank.DefaultRelease)
	r, err := outrank.V1_37.With(map[string]bool{"VolumeLimitScaling": false})
	fmt.Println(r, err)
	fmt.Println(outrank.V1_37.Gates()["VolumeLimitScaling"], r.Gates()["VolumeLimitScaling"], r.Known())
	// Output:
	// [v1.36 v1.37] true
	// v1.37,VolumeLimitScaling=false <nil>
	// true false true
}

func ExampleCluster_ReleaseOfNodes() {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "a", KubeletVersion: "v1.36.3"}, {Name: "b", KubeletVersion: "v1.37.0"}}}
	fmt.Println(c.ReleaseOfNodes())
	// Output: v1.37 <nil>
}

// The words that programs and command lines use. They never change.
func TestVariantWords(t *testing.T) {
	for i, want := range []string{"current", "v1.13", "simplified"} {
		v := outrank.Variant(i)
		text, err := v.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
		assert.Equal(t, want, v.String())
		read := outrank.Variant(9)
		require.NoError(t, read.UnmarshalText(text))
		assert.Equal(t, v, read)
	}
	unknown := outrank.Variant(3)
	_, err := unknown.MarshalText()
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, "Variant(3)", unknown.String())
	assert.ErrorIs(t, unknown.UnmarshalText([]byte("sketch")), outrank.ErrInvalid)
	assert.Equal(t, outrank.Variant(3), unknown)
}

func ExampleVariant_UnmarshalText() {
	var v outrank.Variant
	fmt.Println(v.UnmarshalText([]byte("v1.13")), v == outrank.VariantV1_13)
	fmt.Println(v.UnmarshalText([]byte("v1.14")))
	// Output:
	// <nil> true
	// invalid input: variant "v1.14" is none of current, v1.13, simplified
}
