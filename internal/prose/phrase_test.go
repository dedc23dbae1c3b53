package prose_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

func TestPhrases(t *testing.T) {
	for want, got := range map[string]string{
		"node n1":             prose.Object("node", "n1"),
		"node without a name": prose.Object("node", ""),
		"pod shop/web":        prose.Object("pod", outrank.NewKey("shop", "web")),
		"shop/web":            prose.Pod(&outrank.Pod{Namespace: "shop", Name: "web"}),
		"no pod":              prose.Pod(nil),
		"1 step":              prose.Steps(1),
		"0 steps":             prose.Steps(0),
		"12 steps":            prose.Steps(12),
	} {
		assert.Equal(t, want, got)
	}
}

// A status is its filter with the reasons, behind what there is already.
func TestAppendStatus(t *testing.T) {
	for _, test := range []struct {
		filter  string
		reasons []string
		want    string
	}{
		{"", nil, ">"},
		{"Fit", nil, ">Fit: "},
		{"", []string{"full"}, ">full"},
		{"Fit", []string{"no cpu", "no memory"}, ">Fit: no cpu, no memory"},
	} {
		assert.Equal(t, test.want, string(prose.AppendStatus([]byte(">"), test.filter, test.reasons)))
	}
}

// Claims for devices are read by a filter of the caller's that has the name of kube-scheduler's plugin, and by
// no other (rule 7.14.7). Claims of volumes are read where more is known of them than their names (rule 7.10.4).
func TestUnread(t *testing.T) {
	claims := &outrank.Pod{Name: "p", ResourceClaims: []string{"gpu"}}
	with := func(vs ...outrank.Volume) *outrank.Pod { return &outrank.Pod{Name: "p", Volumes: vs} }
	for _, test := range []struct {
		pod     *outrank.Pod
		filters []string
		want    int
	}{
		{nil, nil, 0},
		{&outrank.Pod{Name: "p"}, nil, 0},
		{claims, nil, 1},
		{claims, []string{"Racks", "Quota"}, 1},
		{claims, []string{"Racks", "DynamicResources"}, 0},
		{with(outrank.Volume{Claim: "a"}, outrank.Volume{Claim: "b"}), []string{"DynamicResources"}, 1},
		{with(outrank.Volume{Claim: "a", Driver: "d"}, outrank.Volume{Claim: "p-v", Ephemeral: true}, outrank.Volume{}), nil, 0},
		{&outrank.Pod{Name: "p", ResourceClaims: []string{"gpu"}, Volumes: []outrank.Volume{{Claim: "a"}}}, nil, 2},
	} {
		assert.Len(t, prose.Unread(test.pod, slices.Values(test.filters)), test.want, "%v", test.filters)
	}
}
