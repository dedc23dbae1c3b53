package current

import (
	"testing"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/difftest"
)

// kube-scheduler v1.37 and outrank agree on random clusters.
func TestDifferential(t *testing.T) { difftest.Run(t, Harness) }

// They give the nodes of random clusters the same scores, and pods the same places one after
// the other.
func TestScores(t *testing.T) { difftest.RunScores(t, Harness) }

// They agree on claims of devices in every state. Removing pods frees none of them.
func TestDevices(t *testing.T) { difftest.RunKinds(t, Harness, differential.DeviceKinds...) }

// A file of a scheduler's configuration has the fields of v1.37, and no others.
func TestConfigurationFields(t *testing.T) { difftest.RunConfigurationFields(t, Harness) }
