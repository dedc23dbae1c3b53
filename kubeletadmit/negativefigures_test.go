package kubeletadmit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Whatever choosing depends on may not be negative: what is short, and the
// memory and the cpu that break ties.
func TestNegativeFiguresOfChoosing(t *testing.T) {
	critical := &outrank.Pod{Name: "critical", Static: true}
	for _, c := range []struct {
		short    resource.Name
		negative resource.Name
		refused  bool
	}{
		{resource.Memory, resource.CPU, true},
		{resource.CPU, resource.Memory, true},
		{resource.CPU, resource.CPU, true},
		{"example.com/gpu", resource.CPU, true},
		{"example.com/gpu", resource.Memory, true},
		{"example.com/gpu", "example.com/gpu", true},
		{resource.CPU, "example.com/gpu", false},
	} {
		requests := resource.MustList("cpu", "1", "memory", "1Gi", "example.com/gpu", "1")
		requests[c.negative] = resource.New(-1)
		odd := &outrank.Pod{Name: "odd", NodeName: "n", Containers: []outrank.Container{{Requests: requests}}}
		_, err := kubeletadmit.Resolve(critical, []*outrank.Pod{odd}, []kubeletadmit.Failure{{Resource: c.short, Requested: 1}})
		if !c.refused {
			assert.NoError(t, err, "%s short, %s negative", c.short, c.negative)
			continue
		}
		assert.EqualError(t, err, "pod default/odd: spec.containers[0].resources.requests."+string(c.negative)+": -1 is negative",
			"%s short, %s negative", c.short, c.negative)
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
