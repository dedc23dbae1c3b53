package outrank_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Ports from 0, which is none, to 65535 are ports.
func TestHostPortsInRange(t *testing.T) {
	for port, ok := range map[int32]bool{-1: false, 0: true, 1: true, 65535: true, 65536: false} {
		container := outrank.Container{Ports: []outrank.Port{{HostPort: 80}, {HostPort: port}}}
		for field, pod := range map[string]*outrank.Pod{
			"spec.containers[0]":     {Name: "p", Containers: []outrank.Container{container}},
			"spec.initContainers[0]": {Name: "p", InitContainers: []outrank.Container{container}},
		} {
			err := pod.Validate()
			inCluster := (&outrank.Cluster{Pods: []*outrank.Pod{pod}}).Validate()
			if ok {
				require.NoError(t, err, "%d", port)
				require.NoError(t, inCluster, "%d", port)
				continue
			}
			want := fmt.Sprintf("pod default/p: %s.ports[1].hostPort: %d is not between 0 and 65535", field, port)
			assert.EqualError(t, err, want)
			assert.EqualError(t, inCluster, want)
		}
	}
}
