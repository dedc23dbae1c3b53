package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
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
		preemption.Nominated: "nominated", preemption.Disabled: "disabled",
	} {
		assert.Equal(t, want, fmt.Sprint(word))
	}
	ranks := []string{"", "budget-violations", "top-priority", "priority-sum", "victim-count", "start-time", "node-order", "own-score", "cost"}
	for v := range 256 {
		r := preemption.Rank(v)
		text, err := r.MarshalText()
		if v >= len(ranks) {
			assert.ErrorIs(t, err, outrank.ErrInvalid, "%d", v)
			continue
		}
		require.NoError(t, err, "%d", v)
		assert.Equal(t, ranks[v], string(text))
		read := preemption.Rank(255)
		require.NoError(t, read.UnmarshalText(text))
		assert.Equal(t, r, read)
	}
	r := preemption.ByCost
	assert.ErrorIs(t, r.UnmarshalText([]byte("nonsense")), outrank.ErrInvalid)
	assert.Equal(t, preemption.ByCost, r)
}

// What a pod is told has kube-scheduler's words, and the caller's own as they stand.
func TestMessages(t *testing.T) {
	for why, want := range map[preemption.Ineligibility]string{
		"":                            "",
		preemption.PolicyNever:        "not eligible due to preemptionPolicy=Never.",
		preemption.VictimsTerminating: "not eligible due to a terminating pod on the nominated node.",
		preemption.Nominated:          "not eligible due to the nominated node.",
		preemption.Disabled:           "not eligible because preemption is disabled.",
		"over its quota":              "over its quota",
	} {
		assert.Equal(t, want, why.Message())
	}
}
