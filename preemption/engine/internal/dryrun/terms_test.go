package dryrun_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// Terms follow from the configuration alone.
func TestTermsThatFollow(t *testing.T) {
	chooser := preemption.Chooser{Name: "mine", Choose: func(preemption.NodeView) []*outrank.Pod { return nil }}
	type follows struct {
		Exact, Across, Chooser, Strict, VictimsAlone, Disabled bool
		Limit                                                  int
	}
	for _, test := range []struct {
		config preemption.Config
		want   follows
	}{
		{preemption.Config{}, follows{}},
		{preemption.Config{Victims: preemption.Exact{}}, follows{Exact: true}},
		{preemption.Config{Victims: preemption.Exact{Limit: 7}}, follows{Exact: true, Limit: 7}},
		{preemption.Config{Victims: preemption.Across{Limit: 7}}, follows{Across: true, Limit: 7}},
		{preemption.Config{Victims: chooser}, follows{Chooser: true}},
		{preemption.Config{Budgets: preemption.ChargeVictims}, follows{VictimsAlone: true}},
		{preemption.Config{Budgets: preemption.NeverViolate}, follows{Strict: true}},
		{preemption.Config{Profile: preemption.Profile{Off: []string{preemption.NodePorts}}}, follows{}},
		{preemption.Config{Profile: preemption.Profile{Off: []string{preemption.NodePorts, preemption.DefaultPreemption}}}, follows{Disabled: true}},
	} {
		got := dryrun.TermsOf(test.config)
		assert.Equal(t, test.want, follows{got.Exact, got.Across, got.Chooser != nil, got.Strict, got.VictimsAlone, got.Disabled, got.Limit})
	}
}
