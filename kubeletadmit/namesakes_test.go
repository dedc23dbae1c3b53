package kubeletadmit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// A pod does not count beside itself. It is known by namespace, name and UID,
// all three.
func TestWhoCountsBesideThePod(t *testing.T) {
	half := []outrank.Container{{Requests: resource.MustList("cpu", "500m"), Ports: []outrank.Port{{HostPort: 80}}}}
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "700m", "pods", "1")}
	pod := &outrank.Pod{Name: "p", UID: "1", Containers: half}
	for _, c := range []struct {
		name   string
		active *outrank.Pod
		counts bool
	}{
		{"the pod", pod, false},
		{"a copy of it", &outrank.Pod{Name: "p", UID: "1", Containers: half}, false},
		{"with its namespace spelt out", &outrank.Pod{Name: "p", Namespace: "default", UID: "1", Containers: half}, false},
		{"in another namespace", &outrank.Pod{Name: "p", Namespace: "ops", UID: "1", Containers: half}, true},
		{"of another name", &outrank.Pod{Name: "q", UID: "1", Containers: half}, true},
		{"with another UID", &outrank.Pod{Name: "p", UID: "2", Containers: half}, true},
		{"one that has ended", &outrank.Pod{Name: "q", UID: "2", Phase: outrank.PhaseFailed, Containers: half}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			failures, err := kubeletadmit.Check(node, []*outrank.Pod{c.active}, pod)
			require.NoError(t, err)
			var reasons []string
			for _, f := range failures {
				reasons = append(reasons, f.Reason())
			}
			var want []string
			if c.counts {
				want = []string{"OutOfpods", "OutOfcpu", "NodePorts"}
			}
			assert.Equal(t, want, reasons)
		})
	}
}
