package tables_test

import (
	"encoding/xml"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/study/internal/picture"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/tables"
)

const hostile = "\"<script>alert(1)</script> | \\\\| ' & 🚀 \u202eabc\""

func study(t *testing.T, name string) *spec.Study {
	t.Helper()
	s, err := spec.Read([]byte("name: "+name+"\ntraces: [{name: sample, sample: true}]\ngrid: {policy: [current, v1.13], load: [1, 2]}\nseeds: {count: 3}"), ".")
	require.NoError(t, err)
	return s
}

// cells has evictions that are 10, 20 and 30, and one more by the second policy on each seed.
func cells(s *spec.Study) []tables.Cell {
	var out []tables.Cell
	for _, c := range s.Cells() {
		cell := tables.Cell{Cell: c}
		for i := range 3 {
			v := float64(10 * (i + 1))
			if c.Value("policy") == "v1.13" {
				v++
			}
			cell.Runs = append(cell.Runs, tables.Run{Seed: uint64(i + 1), Figures: map[string]float64{"evictions": v}})
		}
		out = append(out, cell)
	}
	return out
}

func TestDifferencesAreThoseOfPairs(t *testing.T) {
	s := study(t, "x")
	r := tables.Of(s, cells(s))
	require.Len(t, r.Rows, 4)
	for _, row := range r.Rows {
		if row.Cell.Value("policy") == "current" {
			assert.Nil(t, row.Difference)
			assert.Equal(t, 20.0, row.Mean)
			continue
		}
		assert.Equal(t, 21.0, row.Mean)
		require.NotNil(t, row.Difference)
		assert.Equal(t, 3, row.Difference.Pairs)
		assert.Equal(t, []float64{1, 1, 1}, []float64{row.Difference.Mean, row.Difference.Low, row.Difference.High})
	}
	assert.Contains(t, string(r.Markdown()), "| v1.13 | 2 | 21 [")
	assert.Contains(t, string(r.Markdown()), "<br>**Δ +1** |")
}

// The order of the cells means nothing, and a cell without runs is a failure.
func TestOrderMeansNothing(t *testing.T) {
	s := study(t, "x")
	want := tables.Of(s, cells(s))
	shuffled := cells(s)
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	assert.Equal(t, want, tables.Of(s, shuffled))
	missing := tables.Of(s, cells(s)[1:])
	require.Len(t, missing.Failures, 1)
	assert.Equal(t, "no run of this cell came to an end", missing.Failures[0].Error)
}

// Names of all kinds leave the pictures well-formed, and the table a table.
func TestHostileNames(t *testing.T) {
	s := study(t, hostile)
	r := tables.Of(s, cells(s))
	pictures := picture.Of(r)
	require.Len(t, pictures, 1)
	d := xml.NewDecoder(strings.NewReader(string(pictures[0].SVG)))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok {
			assert.NotEqual(t, "script", start.Name.Local)
		}
	}
	assert.NotContains(t, string(r.Markdown()), "<script>")
	assert.Contains(t, string(r.Markdown()), `\| \\\|`, "a backslash before a bar ends no column")
}

func TestPictureShowsEveryCell(t *testing.T) {
	s := study(t, "x")
	svg := string(picture.Of(tables.Of(s, cells(s)))[0].SVG)
	assert.Equal(t, 4, strings.Count(svg, "<g><title>"))
	assert.Contains(t, svg, "evictions")
	assert.Contains(t, svg, `<circle class="s0 dot"`)
	assert.Contains(t, svg, `<rect class="s1 dot"`)
}

// A legend ends where the picture does.
func TestLongLegend(t *testing.T) {
	s, err := spec.Read([]byte("name: x\ntraces: [{name: sample, sample: true}]\ngrid: {load: [100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000, 110000, 120000, 130000]}\nseeds: {count: 3}\ncompare: load"), ".")
	require.NoError(t, err)
	svg := string(picture.Of(tables.Of(s, cells(s)))[0].SVG)
	assert.Regexp(t, `>and \d more</text>`, svg)
	assert.Equal(t, 12, strings.Count(svg, "<g><title>"))
}

// Bold is a difference that survives the correction over the table: one whose own interval
// leaves 0 out does not, beside ten that are chance.
func TestBoldSurvivesTheCorrection(t *testing.T) {
	s := study(t, "x")
	s.Metrics = []string{"evictions", "preemptions", "lostPodHours", "waitMean", "hours", "useCPU", "cycles"}
	of := cells(s)
	noise := [][]float64{{1, -1, 0.4}, {-1, 1, -0.4}} // chance; by load
	for i := range of {
		second := of[i].Cell.Value("policy") == "v1.13"
		for j := range of[i].Runs {
			figures := of[i].Runs[j].Figures
			delete(figures, "evictions")
			for k, name := range s.Metrics[1:] {
				figures[name] = 0
				if second {
					figures[name] = noise[k%2][j]
				}
			}
			if figures["evictions"] = 10; second && of[i].Cell.Value("load") == "1" {
				figures["evictions"] = []float64{11, 12, 11.5}[j] // a chance of 0.036 by itself
			} else if second {
				figures["evictions"] = []float64{11, 11.001, 11.002}[j]
			}
			figures["violations"] = figures["evictions"] // which is not shown
		}
	}
	r := tables.Of(s, of)
	for _, row := range r.Rows {
		if row.Difference != nil && row.Metric == "evictions" {
			require.Greater(t, row.Difference.Low, 0.0)
			assert.Equal(t, row.Cell.Value("load") == "2", *row.Difference.Holm < 0.05, row.Cell.Value("load"))
			assert.Greater(t, *row.Difference.Holm, *row.Difference.Chance)
		}
		if row.Difference != nil && row.Metric == "violations" {
			assert.NotNil(t, row.Difference.Chance)
			assert.Nil(t, row.Difference.Holm, "the table does not show it")
		}
	}
	text := string(r.Markdown())
	assert.Equal(t, 1, strings.Count(text, "**")/2, text)
	assert.Contains(t, text, "<br>**Δ +1 [+0.999, +1]** |")
	assert.Contains(t, text, "\nMeans of 3 seeds with their intervals of 95 % by Student's t; Δ is the mean difference to the first value of policy on equal seeds with its own by the paired t, bold where it survives Holm's correction over the 14 differences of this table at 5 %.\n")
	assert.Contains(t, string(r.CSV()), "differenceHigh,chance,holm\n")
}

// A single seed has no interval: no difference stands out.
func TestOneSeed(t *testing.T) {
	s := study(t, "x")
	s.Seeds.Count = 1
	of := cells(s)
	for i := range of {
		of[i].Runs = of[i].Runs[:1]
	}
	text := string(tables.Of(s, of).Markdown())
	assert.Contains(t, text, "Of one seed there are no intervals")
	assert.Contains(t, text, "<br>Δ +1 |")
	assert.NotContains(t, text, "**")
	s = study(t, "x")
	assert.NotContains(t, string(tables.Of(s, cells(s)).Markdown()), "Of one seed")
}

// A metric that was asked for and that no run has is named.
func TestMetricOfNoRun(t *testing.T) {
	s := study(t, "x")
	s.Metrics = []string{"waitMean/7", "evictions", "regretPlans"}
	assert.Contains(t, string(tables.Of(s, cells(s)).Markdown()), "at 5 %.\n\nNo run has waitMean/7, regretPlans.\n")
	s.Metrics = s.Metrics[1:2]
	assert.NotContains(t, string(tables.Of(s, cells(s)).Markdown()), "No run has")
}
