package chart

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Priorities beyond the styles are put together, and none is lost.
func TestManyPriorities(t *testing.T) {
	for n := range 12 {
		s := Series{Width: time.Second, End: time.Second}
		for i := range n {
			s.Waiting = append(s.Waiting, Waiting{int32(-i), []float64{1}})
		}
		bands := s.waitingBands(s.ranks())
		require.Len(t, bands, min(n, len(bandStyles)))
		sum := 0.0
		for _, b := range bands {
			sum += b.pods[0]
		}
		require.EqualValues(t, n, sum)
		if n > len(bandStyles) {
			require.Equal(t, "priority -6 and below", bands[6].label)
		}
		for _, w := range s.Waiting {
			require.Equal(t, []float64{1}, w.Pods, "the series was changed")
		}
	}
}

// A priority looks the same in every panel, also where another panel has others.
func TestPrioritiesKeepTheirStyle(t *testing.T) {
	r := NewRecorder("cpu")
	one := []Level{{1, 2}}
	require.NoError(t, r.Add(Sample{Levels: one, Waiting: map[int32]int{50: 1, 7: 3}}))
	require.NoError(t, r.Add(Sample{Time: time.Second, Levels: one, Evicted: map[int32]int{7: 2, -1: 4}}))
	svg := string(svgOf(t, "", r.Series(time.Minute)))
	legend := func(label string) string {
		lines := strings.Split(svg, "\n")
		for i, line := range lines {
			if strings.Contains(line, ">"+label+"<") {
				return regexp.MustCompile(`fill="([^"]*)"`).FindStringSubmatch(lines[i-1])[1]
			}
		}
		return ""
	}
	require.Equal(t, "url(#band0)", legend("priority 50: mean &lt;0.1"))
	require.Equal(t, "url(#band1)", legend("priority 7: mean &lt;0.1"))
	require.Equal(t, "url(#band1)", legend("priority 7: 2"))
	require.Equal(t, "url(#band2)", legend("priority -1: 4"))
	require.Less(t, strings.Index(svg, "priority -1: 4<"), strings.Index(svg, "priority 7: 2<"), "the legend reads like the stack, from top to bottom")
	require.Less(t, strings.Index(svg, "priority 7: mean"), strings.Index(svg, "priority 50: mean"))
}

// Every style differs by more than its colour.
func TestStylesDifferWithoutColour(t *testing.T) {
	marks := map[string]bool{}
	for _, b := range bandStyles {
		require.False(t, marks[b.marks], b.marks)
		marks[b.marks] = true
	}
	for i := range lineColours[:len(dashes)] {
		for j := range i {
			require.NotEqual(t, dashes[i], dashes[j])
		}
	}
}

// The picture has the rules of the run, the unit of every axis, and a line for
// the whole capacity.
func TestPictureSaysWhatItShows(t *testing.T) {
	svg := string(svgOf(t, "Title", aRun(t, time.Hour)))
	for _, want := range []string{
		">policy made up<", ">-a -b<", ">share of all nodes, in %<", ">100%: all there is<", `<line class="full"`,
		">pods<", ">pods in 1h<", ">Pods evicted in each 1h, ", "in days (d) and hours (h)<", "prefers-color-scheme:dark",
	} {
		require.Contains(t, svg, want)
	}
	require.Regexp(t, `<desc id="desc">cpu: 71% requested on average\..*Priority 0: [0-9]+ evicted\.</desc>`, svg)
}

// No eviction is lost on the way to a bar, and each is in the bar of its time, or of
// the beginning of its stretch.
func TestBarsKeepEvictions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := NewRecorder()
		at, total := time.Duration(0), 0
		for range rapid.IntRange(0, 40).Draw(t, "samples") {
			at += time.Duration(rapid.IntRange(0, 5_000_000).Draw(t, "ms")) * time.Millisecond
			n := rapid.IntRange(0, 5).Draw(t, "evicted")
			require.NoError(t, r.Add(Sample{Time: at, Evicted: map[int32]int{3: n}}))
			total += n
		}
		end := at + time.Duration(rapid.IntRange(0, 1000).Draw(t, "more"))*time.Second
		for range 2 { // asking changes nothing
			s := r.Series(end)
			width := barWidth(s.End)
			sum := 0.0
			for _, e := range s.Evicted {
				require.Equal(t, total, e.Total)
				bars := s.bars(e.Pods, width)
				require.LessOrEqual(t, len(bars), mostBars)
				for _, n := range bars {
					sum += n
				}
			}
			if s.End > 0 {
				require.EqualValues(t, total, sum)
			}
		}
	})
}

// The stretch of an eviction is the one of its time.
func TestEvictionsInTheirStretch(t *testing.T) {
	r := NewRecorder()
	add := func(at time.Duration, n int) {
		require.NoError(t, r.Add(Sample{Time: at, Evicted: map[int32]int{3: n}}))
	}
	add(0, 1)
	add(2*time.Millisecond, 2)
	add(2*time.Millisecond, 3)
	add(4*time.Millisecond, 4)
	want := []Evicted{{Priority: 3, Pods: []int{1, 0, 5, 4}, Total: 10}}
	require.Equal(t, want, r.Series(4*time.Millisecond).Evicted, "the last at the very end")
	want[0].Pods = append(want[0].Pods, 0)
	require.Equal(t, []int{1, 0, 5, 0, 4}, r.Series(5 * time.Millisecond).Evicted[0].Pods)
}
