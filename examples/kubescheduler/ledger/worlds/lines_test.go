package worlds

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubescheduler/ledger"
)

var whole = flag.Bool("whole", false, "try every field that cannot decide, and not a sample of them")

// line is a line of the table about a field.
type line struct {
	ledger.Line
	kind  string
	field ledger.Field
}

// linesOf returns the lines of the table, each with its field.
func linesOf(t *testing.T, verdict ledger.Verdict) (lines []line) {
	text, err := os.ReadFile("../FIELDS.txt")
	require.NoError(t, err)
	table, err := ledger.Parse(string(text))
	require.NoError(t, err)
	fields := map[string]line{}
	for _, k := range ledger.Kinds() {
		for _, f := range ledger.Fields(k.Type, "") {
			fields[k.Name+"."+f.Path] = line{kind: k.Name, field: f}
		}
	}
	for _, l := range table.Lines {
		if one, ok := fields[l.Path]; ok && l.Verdict == verdict {
			one.Line = l
			lines = append(lines, one)
		}
	}
	return lines
}

// Each field that decides changes an answer, alone: in the world that its line names.
func TestFieldsThatDecide(t *testing.T) {
	all := byName(t)
	tried := 0
	for _, l := range linesOf(t, ledger.Decides) {
		if strings.HasPrefix(l.Where, "by ") {
			continue
		}
		trial, err := ParseTrial(l.kind, l.field.Path, l.Where)
		require.NoError(t, err, l.Path)
		w := all[trial.World]
		require.NotNil(t, w, "%s: no world %s", l.Path, trial.World)
		trial.Present = w.has(trial)
		before, after := w.try(trial)
		tried++
		switch {
		case after == nil:
			t.Errorf("%s: %s: nothing else is read", l.Path, trial)
		case after.Refused != nil:
			t.Errorf("%s: %s: refused: %v", l.Path, trial, after.Refused)
		case before.Text == after.Text:
			t.Errorf("%s: %s: no answer changes", l.Path, trial)
		}
	}
	require.Greater(t, tried, 200)
}

// Each field that is told is named by a warning that is not there without it, or by the error that refuses it.
func TestFieldsThatAreTold(t *testing.T) {
	all := byName(t)
	for _, l := range linesOf(t, ledger.Told) {
		if strings.HasPrefix(l.Where, "by ") {
			continue
		}
		trial, err := ParseTrial(l.kind, l.field.Path, l.Where)
		require.NoError(t, err, l.Path)
		w := all[trial.World]
		require.NotNil(t, w, "%s: no world %s", l.Path, trial.World)
		read, err := w.changed(trial)
		if err != nil { // told as an error, which names it, too
			assert.True(t, names(err.Error(), l.field.Path), "%s: %s: %v", l.Path, trial, err)
			continue
		}
		assert.True(t, tells(w.answers, read.Ask(), l.field.Path), "%s: %s: no warning names it", l.Path, trial)
	}
}

// A field that cannot decide changes no answer in any world, whichever of the values it has. What reads the same
// has the same answers, so that only fields which the library decodes take time.
func TestFieldsThatCannotDecide(t *testing.T) {
	all := allWorlds(t)
	g := rand.New(rand.NewPCG(1, 2))
	for _, l := range linesOf(t, ledger.Cannot) {
		if !*whole && g.IntN(3) > 0 {
			continue
		}
		for _, w := range all {
			tries := trials(w.World, l.kind, l.field)
			most := len(tries)
			switch {
			case !*whole:
				most = 1
			case w.read.Devices != nil: // whose allocator takes a hundred times as long as the other answers
				most = mostOfDevices
			}
			g.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
			tries = tries[:min(most, len(tries))]
			for _, trial := range tries {
				before, after := w.try(trial)
				if after != nil && after.Refused == nil && before.Text != after.Text {
					t.Errorf("%s: %s: an answer changes", l.Path, trial)
				}
			}
		}
	}
}

// mostOfDevices is the largest number of trials of a field in a world with devices.
const mostOfDevices = 1

// byName returns the worlds by their names.
func byName(t *testing.T) map[string]*base {
	all := map[string]*base{}
	for _, w := range allWorlds(t) {
		all[w.Name] = w
	}
	return all
}

// has reports whether the field of a trial is there before.
func (w *base) has(t Trial) bool {
	for _, o := range w.Objects {
		if kindOf(o) != t.Kind || nameOf(o) != t.Object {
			continue
		}
		for _, p := range places(o, stepsOf(t.Path), nil) {
			if p.present && strings.Join(p.at, ", ") == strings.Join(t.At, ", ") {
				return true
			}
		}
	}
	return false
}

// A world is what an API server could hold: every object has the fields of its type and no others.
func TestWorldsAreOfTheAPI(t *testing.T) {
	kinds := map[string]ledger.Kind{}
	for _, k := range ledger.Kinds() {
		kinds[k.Name] = k
	}
	for _, w := range allWorlds(t) {
		assert.NotEmpty(t, w.About)
		assert.Empty(t, w.read.Cluster.Skipped["Pod"])
		for _, o := range w.Objects {
			k, ok := kinds[kindOf(o)]
			require.True(t, ok, "%s: %s", w.Name, kindOf(o))
			assert.NoError(t, strict(k, o), "%s: %s %s", w.Name, kindOf(o), nameOf(o))
		}
	}
}
