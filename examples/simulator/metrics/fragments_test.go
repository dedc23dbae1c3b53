package metrics

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// A node's fragments for a pod are all that is free where it does not fit or asks for nothing, and else
// what is free on devices that are too full for it.
func TestFragmentsByHand(t *testing.T) {
	const gpu resource.Name = "example.com/gpu-milli"
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "4", string(gpu), "3000", "pods", "9")}
	devices := []int64{200, 700, 1000}
	for _, tt := range []struct {
		name, cpu, gpu string
		pool, devices  float64 // of 1,900 free
	}{
		{"a share that fits two devices", "1", "500", 0, 200},
		{"a share that fits all", "1", "200", 0, 0},
		{"a whole device", "1", "1000", 0, 900},
		{"two devices, of which one is whole", "1", "2000", 1900, 1900},
		{"too much cpu", "8", "500", 1900, 1900},
		{"no device asked for", "1", "0", 1900, 1900},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, split := range []bool{false, true} {
				c := &Fragmentation{Resource: gpu, Mix: []Demand{{Requests: resource.MustList("cpu", tt.cpu, string(gpu), tt.gpu), Weight: 3}}}
				want := tt.pool
				if split {
					c.Device, want = 1000, tt.devices
					c.Devices = func(*outrank.Node, []*outrank.Pod) []int64 { return devices }
				}
				f := newFragments(c)
				f.set("n", node)
				f.put("n", &outrank.Pod{Name: "p", Containers: []outrank.Container{{Requests: resource.MustList(string(gpu), "1100")}}})
				require.InDelta(t, 1900, f.free, 0)
				require.InDelta(t, want, f.lost, 0, "by devices: %v", split)
			}
		})
	}
	// The mean over a mix, and nodes that do not take a pod.
	f := newFragments(&Fragmentation{Resource: gpu, Mix: []Demand{
		{Requests: resource.MustList(string(gpu), "500"), Weight: 3},
		{Requests: resource.MustList(string(gpu), "500"), Weight: 1, Takes: func(n *outrank.Node) bool { return n.Name != "n" }},
	}})
	f.set("n", node)
	require.InDelta(t, 3000.0/4, f.lost, 0)
	f.set("n", nil)
	require.Zero(t, f.free)
	require.Zero(t, f.lost)
}

// At the end of a run the fragments are those of counting the pods on the nodes anew.
func TestPropertyFragments(t *testing.T) {
	some := 0.0
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t)
		var pods []*outrank.Pod
		for _, w := range c.work {
			pods = append(pods, w.Pod)
		}
		if len(pods) == 0 {
			return
		}
		config := &Fragmentation{Resource: rapid.SampledFrom([]resource.Name{resource.CPU, device}).Draw(t, "of"), Mix: MixOf(pods, 5)}
		m, s, _ := c.play(t, Config{Fragmentation: config})
		free, lost, weights := 0.0, 0.0, 0.0
		for _, d := range config.Mix {
			weights += d.Weight
		}
		snap := s.Snapshot()
		for n := range snap.Nodes() {
			left := float64(n.Allocatable.Amount(config.Resource) - snap.Used(n.Name, config.Resource))
			free += left
			for _, d := range config.Mix {
				fits := d.Requests.Amount(config.Resource) > 0 && snap.Used(n.Name, resource.Pods) < n.Allocatable.Amount(resource.Pods)
				for name := range d.Requests {
					asked := d.Requests.Amount(name)
					fits = fits && (asked == 0 || asked <= n.Allocatable.Amount(name)-snap.Used(n.Name, name))
				}
				if !fits {
					lost += left * d.Weight / weights
				}
			}
		}
		require.InDelta(t, free, m.fragments.free, 1e-6)
		require.InDelta(t, lost, m.fragments.lost, 1e-6)
		r := m.Report(s.Now()).Fragmentation
		require.False(t, r.Share.Defined() && (r.Share < 0 || r.Share > 1+1e-9))
		some += lost
	})
	require.Positive(t, some)
}

// A mix has the most frequent kinds first.
func TestMixOf(t *testing.T) {
	pod := func(i int, cpu string) *outrank.Pod {
		return &outrank.Pod{Name: fmt.Sprint(i), Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
	}
	mix := MixOf([]*outrank.Pod{pod(1, "1"), pod(2, "2"), pod(3, "2"), pod(4, "3"), pod(5, "1000m")}, 2)
	require.Len(t, mix, 2)
	require.Equal(t, []float64{2, 2}, []float64{mix[0].Weight, mix[1].Weight})
	require.EqualValues(t, 1000, mix[0].Requests.Amount("cpu"))
	require.EqualValues(t, 2000, mix[1].Requests.Amount("cpu"))
	require.Len(t, MixOf([]*outrank.Pod{pod(1, "1"), pod(2, "2")}, 0), 2)
}
