package v136

import (
	"bytes"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

// Harness compares with v1.36.
var Harness = &differential.Harness{Release: outrank.V1_36, Convert: Convert, ClockEachTime: true}

// Convert makes a cluster of a case by way of the list that kubectl would print.
func Convert(c *differential.Case) (*outrank.Cluster, error) {
	var text bytes.Buffer
	if err := c.Write(&text); err != nil {
		return nil, err
	}
	return kube.ReadCluster(&text)
}
