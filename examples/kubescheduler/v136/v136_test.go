package v136

import (
	"testing"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/difftest"
)

// kube-scheduler v1.36 and outrank agree on random clusters.
func TestDifferential(t *testing.T) { difftest.Run(t, Harness) }

// They give the nodes of random clusters the same scores, and pods the same places one after
// the other.
func TestScores(t *testing.T) { difftest.RunScores(t, Harness) }

// The filter for devices agrees on claims in every state, by the rules of v1.36.
func TestDevices(t *testing.T) { difftest.RunJudged(t, Harness) }

// A file of a scheduler's configuration has the fields of v1.36, and no others.
func TestConfigurationFields(t *testing.T) { difftest.RunConfigurationFields(t, Harness) }
