package worlds

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/ledger"
)

// A gate that decides changes an answer of the world that its line names, and one that is told is refused by name
// when it is turned. There are no others: nobody can turn a gate in silence.
func TestGates(t *testing.T) {
	text, err := os.ReadFile("../GATES.txt")
	require.NoError(t, err)
	table, err := ledger.Parse(string(text))
	require.NoError(t, err)
	all := byName(t)
	releases := map[string]outrank.Release{}
	for _, r := range outrank.Releases() {
		releases[ledger.Release(r)] = r
	}

	for _, l := range table.Lines {
		release, gate, _ := strings.Cut(l.Path, ".")
		r, ok := releases[release]
		require.True(t, ok, l.Path)
		on, known := r.Gates()[gate]
		_, err := r.With(map[string]bool{gate: !on})

		switch l.Verdict {
		case ledger.Told:
			if assert.Error(t, err, l.Path) {
				assert.Contains(t, err.Error(), gate)
			}
		case ledger.Decides:
			require.True(t, known, l.Path)
			require.NoError(t, err, l.Path)
			if name, in := strings.CutPrefix(l.Where, "in "); in {
				require.NotNil(t, all[name], l.Path)
				assert.True(t, all[name].turns(t, gate), "%s: no answer of the world %s changes", l.Path, name)
			}
		default:
			t.Errorf("%s: a gate decides or is told", l.Path)
		}
	}
}

// turns reports whether an answer about the world changes with the gate.
func (w *base) turns(t *testing.T, gate string) bool {
	turned, err := w.Release.With(map[string]bool{gate: !w.Release.Gates()[gate]})
	require.NoError(t, err)
	other := *w.World
	other.Release = turned
	read, err := other.Read()
	require.NoError(t, err)
	return read.Ask().Text != w.answers.Text
}
