package search

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever entries get other scores, one by one or many at once, the winner is the best of all.
func TestPropertyTournament(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40*TournamentBlockSize).Draw(t, "nodes")
		c := &Tournament{}
		c.reset(nodes)
		score := func(position int32) {
			e := c.writable(position)
			if e.NodeScore = (NodeScore{Position: -1}); rapid.IntRange(0, 5).Draw(t, "none") > 0 {
				e.Position, e.Victims = int(position), int32(rapid.IntRange(0, 1000).Draw(t, "victims"))
			}
		}
		for position := range nodes {
			score(int32(position))
		}
		c.playAll()
		for range 4 {
			for range rapid.IntRange(0, 12).Draw(t, "changes") {
				position := int32(rapid.IntRange(0, nodes-1).Draw(t, "position"))
				score(position)
				c.again = append(c.again, position)
			}
			c.playAgain()
			require.Empty(t, c.again)
			best := c.At(c.best()).NodeScore
			for position := range nodes {
				require.False(t, c.At(int32(position)).BeatsByDefault(&best), "position %d", position)
			}
		}
	})
}

// A copy has memory of its own, so that snapshots and their clones may be asked at once.
func TestTournamentCopySharesNoMemory(t *testing.T) {
	origin := &Tournament{}
	origin.reset(100)
	origin.playAll()
	origin.again = append(origin.again, 7)
	origin.playAgain()
	c := origin.copy()
	c.again = append(c.again, 9)
	require.NotEqual(t, int32(9), origin.again[:1][0])
}
