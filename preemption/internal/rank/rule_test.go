package rank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Every rank of kube-scheduler has a figure, and sentences that no other has (rules 11.2 to 11.6).
func TestRulesOfKubeScheduler(t *testing.T) {
	figures, texts := map[rank.Figure]bool{}, map[string]bool{}
	for _, name := range []string{"budget-violations", "top-priority", "priority-sum", "victim-count", "start-time"} {
		rule := rank.Of(name)
		if !assert.NotNil(t, rule, name) {
			continue
		}
		assert.Equal(t, name, rule.Name)
		assert.Equal(t, rule.Figure, rank.FigureOf(name))
		assert.NotEqual(t, rank.NoFigure, rule.Figure, name)
		assert.NotEmpty(t, rank.Text(name), name)
		assert.NotEmpty(t, rank.Won(name), name)
		figures[rule.Figure], texts[rank.Text(name)], texts[rank.Won(name)] = true, true, true
	}
	assert.Len(t, figures, 5)
	assert.Len(t, texts, 10)
}

// The texts about a rank of the caller have its name. Where no rank decides they name the order of the nodes.
func TestRulesOfOthers(t *testing.T) {
	assert.Nil(t, rank.Of("lost work"))
	assert.Equal(t, rank.NoFigure, rank.FigureOf("lost work"))
	assert.Equal(t, `lower "lost work"`, rank.Text("lost work"))
	assert.Equal(t, `Lower "lost work"`, rank.Won("lost work"))
	for _, none := range []string{"", rank.NodeOrder} {
		assert.Nil(t, rank.Of(none))
		assert.Equal(t, "equal in every rank; first in node order", rank.Text(none))
		assert.Empty(t, rank.Won(none))
	}
}
