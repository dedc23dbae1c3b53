package kubeletadmit_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// stats has the usage by pod name.
type stats map[string]kubeletadmit.Usage

func (s stats) of(p *outrank.Pod) (kubeletadmit.Usage, bool) {
	u, ok := s[p.Name]
	return u, ok
}

func TestRankForEviction(t *testing.T) {
	mem := func(name string, request string, priority int32) *outrank.Pod {
		return newPod(name, req("memory", request, "ephemeral-storage", request), withPriority(priority))
	}
	elsewhere := newPod("a", nil)
	elsewhere.Namespace = "zoo"
	named := func(name, uid string) *outrank.Pod {
		return newPod(name, nil, func(p *outrank.Pod) { p.UID = uid })
	}
	for _, tt := range []struct {
		name     string
		pressure kubeletadmit.Pressure
		pods     []*outrank.Pod
		usage    stats
		want     []string
	}{
		{"above the request before within it, in spite of the priority", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{mem("within", "10", 0), mem("equal", "5", -1), mem("above", "1", 1000)},
			stats{"within": {Memory: 9}, "equal": {Memory: 5}, "above": {Memory: 2}}, []string{"above", "equal", "within"}},
		{"a thousandth of a byte is above", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{mem("within", "5", 0), mem("above", "4999m", 9)},
			stats{"within": {Memory: 5}, "above": {Memory: 5}}, []string{"above", "within"}},
		{"the larger usage above a part of a byte", kubeletadmit.DiskPressure,
			[]*outrank.Pod{mem("a", "4500m", 0), mem("b", "4100m", 0)},
			stats{"a": {Disk: 9}, "b": {Disk: 9}}, []string{"b", "a"}},
		{"then lower priority, in spite of the usage", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{mem("high", "1", 2), mem("low", "1", 1)},
			stats{"high": {Memory: 100}, "low": {Memory: 2}}, []string{"low", "high"}},
		{"then the larger usage above the request, not the larger usage", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{mem("big", "98", 0), mem("greedy", "1", 0)},
			stats{"big": {Memory: 100}, "greedy": {Memory: 4}}, []string{"greedy", "big"}},
		{"also within the request", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{mem("far", "100", 0), mem("near", "3", 0)},
			stats{"far": {Memory: 10}, "near": {Memory: 2}}, []string{"near", "far"}},
		{"pods without statistics first, among themselves by priority", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{mem("above", "1", 0), mem("unknown2", "1", 9), mem("unknown1", "7", 8)},
			stats{"above": {Memory: 5}}, []string{"unknown1", "unknown2", "above"}},
		{"no priority counts as 0", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{mem("one", "1", 1), newPod("none", nil), mem("negative", "1", -1)},
			stats{"one": {Memory: 5}, "none": {Memory: 5}, "negative": {Memory: 5}}, []string{"negative", "none", "one"}},
		{"disk goes by disk", kubeletadmit.DiskPressure,
			[]*outrank.Pod{mem("a", "5", 0), mem("b", "5", 0)},
			stats{"a": {Memory: 9, Disk: 1, Inodes: 9}, "b": {Memory: 1, Disk: 6, Inodes: 1}}, []string{"b", "a"}},
		{"inodes go by inodes, of which nobody requests any", kubeletadmit.InodePressure,
			[]*outrank.Pod{mem("a", "1", 0), mem("b", "1000", 0), mem("c", "1", 0)},
			stats{"a": {Disk: 99, Inodes: 3}, "b": {Inodes: 4}, "c": {Disk: 50}}, []string{"b", "a", "c"}},
		{"PIDs: priority before statistics before processes", kubeletadmit.PIDPressure,
			[]*outrank.Pod{mem("few", "1", 0), mem("many", "1", 0), mem("unknown", "1", 0), mem("high", "1", 1)},
			stats{"few": {Processes: 3}, "many": {Processes: 30}, "high": {Processes: 300}}, []string{"unknown", "many", "few", "high"}},
		{"equal in all: namespace, then name", kubeletadmit.PIDPressure,
			[]*outrank.Pod{elsewhere, newPod("c", nil), newPod("b", nil)}, nil, []string{"b", "c", "a"}},
		{"then UID", kubeletadmit.MemoryPressure,
			[]*outrank.Pod{named("a", "2"), named("a", "1")}, nil, []string{"a", "a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.pods)
			ranked, err := kubeletadmit.RankForEviction(tt.pods, tt.pressure, tt.usage.of)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]string, len(ranked))
			for i, r := range ranked {
				got[i] = r.Pod.Name
			}
			if d := testdiff.Diff(tt.want, got); d != "" {
				t.Errorf("order (-want +got):\n%s", d)
			}
			if !slices.Equal(before, tt.pods) {
				t.Error("the caller's slice was reordered")
			}
		})
	}
}

func TestRankForEvictionReasons(t *testing.T) {
	pod := newPod("a", req("memory", "1Ki"), withPriority(7))
	pod.Overhead = resource.MustList("memory", "24")
	got, err := kubeletadmit.RankForEviction([]*outrank.Pod{pod}, kubeletadmit.MemoryPressure, stats{"a": {Memory: 1000}}.of)
	want := []kubeletadmit.RankedPod{{Pod: pod, Measured: true, Priority: 7, Usage: 1000, Request: resource.MustParse("1048")}}
	if d := testdiff.Diff(want, got); err != nil || d != "" {
		t.Errorf("error %v (-want +got):\n%s", err, d)
	}
	if above := got[0].Above(); !above.Equal(resource.New(-48)) {
		t.Errorf("Above = %s, want -48", above)
	}
	got, err = kubeletadmit.RankForEviction([]*outrank.Pod{pod}, kubeletadmit.MemoryPressure, nil)
	if d := testdiff.Diff([]kubeletadmit.RankedPod{{Pod: pod, Priority: 7}}, got); err != nil || d != "" {
		t.Errorf("without statistics: error %v (-want +got):\n%s", err, d)
	}
}

func TestRankForEvictionTotalOrder(t *testing.T) {
	a, b := newPod("a", nil), newPod("a", nil)
	a.UID, b.UID = "1", "2"
	for _, pods := range [][]*outrank.Pod{{a, b}, {b, a}} {
		got, err := kubeletadmit.RankForEviction(pods, kubeletadmit.DiskPressure, nil)
		if err != nil || got[0].Pod != a || got[1].Pod != b {
			t.Errorf("got UIDs %s, %s, want 1, 2 whatever the order given (error %v)", got[0].Pod.UID, got[1].Pod.UID, err)
		}
	}
}

func TestRankForEvictionInput(t *testing.T) {
	pods := []*outrank.Pod{newPod("a", nil), nil}
	_, err := kubeletadmit.RankForEviction(pods, "heat", nil)
	if !errors.Is(err, outrank.ErrInvalid) || err.Error() != "pods[1]: is nil\npressure: \"heat\" is none of memory, disk, inodes, pids" {
		t.Errorf("error %v", err)
	}
	pods = []*outrank.Pod{newPod("a", req("memory", "-1")), newPod("b", nil)}
	usage := stats{"a": {}, "b": {Memory: -3}}
	_, err = kubeletadmit.RankForEviction(pods, kubeletadmit.MemoryPressure, usage.of)
	const want = "pod default/a: spec.containers[0].resources.requests.memory: -1 is negative\npod default/b: usage: -3 is negative"
	if !errors.Is(err, outrank.ErrInvalid) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A usage of less than nothing is refused under the pressure that looks at it.
func TestNegativeUsage(t *testing.T) {
	pod := &outrank.Pod{Name: "p"}
	for pressure, usage := range map[kubeletadmit.Pressure]kubeletadmit.Usage{
		kubeletadmit.MemoryPressure: {Memory: -1}, kubeletadmit.DiskPressure: {Disk: -1},
		kubeletadmit.InodePressure: {Inodes: -1}, kubeletadmit.PIDPressure: {Processes: -1},
	} {
		for _, looked := range []kubeletadmit.Pressure{
			kubeletadmit.MemoryPressure, kubeletadmit.DiskPressure, kubeletadmit.InodePressure, kubeletadmit.PIDPressure,
		} {
			_, err := kubeletadmit.RankForEviction([]*outrank.Pod{pod}, looked, func(*outrank.Pod) (kubeletadmit.Usage, bool) { return usage, true })
			if looked == pressure {
				assert.EqualError(t, err, "pod default/p: usage: -1 is negative", pressure)
			} else {
				assert.NoError(t, err, "%s below 0 under pressure on %s", pressure, looked)
			}
		}
	}
}
