package search

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// By v1.13 a node on which nobody leaves wins, and of two such nodes the first (rule 13.2.11), whatever the
// ranks compare. Without a candidate there is nothing to win against.
func TestNobodyLeavesIsBetter(t *testing.T) {
	at := func(position int, victims int32) *NodeScore {
		return &NodeScore{Position: position, Figures: rank.Figures{Victims: victims, Top: -7}}
	}
	for _, ranks := range [][]preemption.Rank{nil, preemption.DefaultRanks(), {preemption.ByVictims}} {
		terms := dryrun.TermsOf(preemption.Config{Variant: outrank.VariantV1_13, Ranks: ranks})
		r := searchRulesOf(&terms, nil)
		for _, test := range []struct {
			name string
			f, g *NodeScore
			want bool
		}{
			{"nobody leaves", at(1, 0), at(0, 1), true},
			{"somebody leaves", at(0, 1), at(1, 0), false},
			{"nobody on either, and it is the first", at(0, 0), at(1, 0), true},
			{"nobody on either, and it is the second", at(1, 0), at(0, 0), false},
			{"there is no other", at(0, 0), at(-1, 0), true},
			{"there is only the other", at(-1, 0), at(0, 0), false},
			{"fewer leave", at(1, 1), at(0, 2), true},
		} {
			assert.Equal(t, test.want, r.Better(test.f, test.g), test.name)
		}
	}
}
