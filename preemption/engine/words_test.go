package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption"
)

// The words that programs read. They never change.
func TestWords(t *testing.T) {
	for word, want := range map[any]string{
		preemption.Success.String():             "success",
		preemption.Unschedulable:                "unschedulable",
		preemption.UnschedulableAndUnresolvable: "unschedulable-and-unresolvable",
		preemption.Contradiction:                "contradiction",

		preemption.Fits: "fits", preemption.NotEligible: "not-eligible", preemption.NothingHelps: "nothing-helps", preemption.Preempts: "preempt",

		preemption.PolicyNever: "policy-never", preemption.VictimsTerminating: "victims-terminating",
		preemption.Nominated: "nominated", preemption.NoPriority: "no-priority", preemption.Disabled: "disabled",
	} {
		assert.Equal(t, want, fmt.Sprint(word))
	}
	for i, word := range []string{"budget-violations", "top-priority", "priority-sum", "victim-count", "start-time"} {
		assert.Equal(t, preemption.Rank{Name: word}, preemption.DefaultRanks()[i])
	}
}

// What a pod is told has kube-scheduler's words, and the caller's own as they stand.
func TestMessages(t *testing.T) {
	for why, want := range map[preemption.Ineligibility]string{
		"":                            "",
		preemption.PolicyNever:        "not eligible due to preemptionPolicy=Never.",
		preemption.VictimsTerminating: "not eligible due to a terminating pod on the nominated node.",
		preemption.Nominated:          "not eligible due to the nominated node.",
		preemption.NoPriority:         "not eligible without a priority.",
		preemption.Disabled:           "not eligible because preemption is disabled.",
		"over its quota":              "over its quota",
	} {
		assert.Equal(t, want, why.Message())
	}
}
