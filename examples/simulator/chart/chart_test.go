package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

var update = flag.Bool("update", false, "write the golden files anew")

// aRun is two days of made-up ups and downs.
func aRun(t testing.TB, every time.Duration) Series {
	t.Helper()
	r := NewRecorder("cpu", "memory", "example.com/gpu")
	dice := rand.New(rand.NewPCG(1, 2))
	end := 50 * time.Hour
	for at := time.Duration(0); at < end; at += every {
		turn := 2 * math.Pi * float64(at) / float64(24*time.Hour)
		rush := max(0, math.Sin(turn)-0.5)
		err := r.Add(Sample{
			Time: at,
			Levels: []Level{
				{Used: 70 + 25*math.Sin(turn) + dice.Float64(), Capacity: 100},
				{Used: 500 - 100*math.Cos(turn), Capacity: 1000},
				{Used: float64(int(8 + 8*math.Sin(turn/3))), Capacity: 16},
			},
			Waiting: map[int32]int{1000: int(10 * rush), 100: int(30 * rush), 0: int(80*rush) + dice.IntN(10)},
			Evicted: map[int32]int{100: int(max(0, rush-0.45) * float64(dice.IntN(20))), 0: int(rush*float64(dice.IntN(8))) / 3},
		})
		require.NoError(t, err)
	}
	return r.Series(end)
}

func svgOf(t testing.TB, title string, s Series) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, Caption{Title: title, Lines: []string{"policy made up", "-a -b"}}, s))
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	quiet := NewRecorder("cpu")
	require.NoError(t, quiet.Add(Sample{Levels: []Level{{1, 4}}}))
	for _, tt := range []struct {
		file   string
		series Series
	}{
		{"run", aRun(t, time.Minute)},
		{"quiet", quiet.Series(90 * time.Second)},
		{"empty", NewRecorder().Series(0)},
	} {
		t.Run(tt.file, func(t *testing.T) {
			got := svgOf(t, "A run, <made up> & drawn", tt.series)
			file := "testdata/" + tt.file + ".svg"
			if *update {
				require.NoError(t, os.WriteFile(file, got, 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			if diff := testdiff.Diff(string(want), string(got)); diff != "" {
				t.Errorf("after a change that is meant run go test -update (-want +got):\n%s", diff)
			}
		})
	}
}

const mostHeight = firstTop + 2*panelStep + panelHeight + below

// readable parses a picture, and checks that all of it lies inside.
func readable(t require.TestingT, svg []byte) {
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local == "defs" { // tiles have places of their own
			require.NoError(t, dec.Skip())
			continue
		}
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "x", "x1", "x2":
				inside(t, a.Value, pictureWidth)
			case "y", "y1", "y2":
				inside(t, a.Value, mostHeight)
			case "d":
				insidePath(t, a.Value)
			}
		}
	}
}

func inside(t require.TestingT, text string, most float64) {
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	require.True(t, v >= 0 && v <= most, "%s is outside", text)
}

var commands = regexp.MustCompile(`([MLHVZh])([0-9.]*)(?: ([0-9.]+))?`)

func insidePath(t require.TestingT, path string) {
	require.Equal(t, len(path), len(strings.Join(commands.FindAllString(path, -1), "")), "%s has more than the commands known here", path)
	for _, m := range commands.FindAllStringSubmatch(path, -1) {
		switch m[1] {
		case "M", "L":
			inside(t, m[2], pictureWidth)
			inside(t, m[3], mostHeight)
		case "H":
			inside(t, m[2], pictureWidth)
		case "V":
			inside(t, m[2], mostHeight)
		}
	}
}

// Every picture is XML, lies inside its frame, has a bounded size, and is the
// same when drawn again.
func TestAnySeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.String(), 0, 9).Draw(t, "resources")
		amount := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 1e-300, 1e300}))
		r := NewRecorder(names...)
		at := time.Duration(0)
		for range rapid.IntRange(0, 30).Draw(t, "samples") {
			at += rapid.SampledFrom([]time.Duration{0, 1, time.Second, 999 * time.Hour, mostTime / 64}).Draw(t, "step")
			s := Sample{Time: at, Waiting: rapid.MapOfN(rapid.Int32(), rapid.IntRange(0, math.MaxInt), 0, 5).Draw(t, "waiting")}
			s.Evicted = rapid.MapOfN(rapid.Int32(), rapid.IntRange(0, math.MaxInt), 0, 5).Draw(t, "evicted")
			for range names {
				s.Levels = append(s.Levels, Level{amount.Draw(t, "used"), amount.Draw(t, "capacity")})
			}
			require.NoError(t, r.Add(s))
		}
		series := r.Series(at + time.Duration(rapid.Int64().Draw(t, "more")>>3))
		caption := Caption{
			Title: rapid.String().Draw(t, "title"), Lines: rapid.SliceOf(rapid.String()).Draw(t, "lines"),
			Evictions: rapid.String().Draw(t, "note"), Demand: rapid.Bool().Draw(t, "demand"),
		}
		var one, two bytes.Buffer
		require.NoError(t, Write(&one, caption, series))
		require.NoError(t, Write(&two, caption, series))
		require.Equal(t, one.String(), two.String())
		require.Less(t, one.Len(), 300_000)
		readable(t, one.Bytes())
	})
}

// The number of points does not grow with the run, and the picture hardly
// changes with the number of samples.
func TestBounded(t *testing.T) {
	often := aRun(t, time.Second)
	for _, share := range often.Share {
		require.LessOrEqual(t, len(share), mostColumns)
		require.Greater(t, len(share), mostColumns/2)
	}
	require.Less(t, len(svgOf(t, "", often)), 70_000)
}

// Joining stretches keeps the means.
func TestRecorderKeepsMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := NewRecorder("cpu")
		at, used, waited := time.Duration(0), 0.0, 0.0
		level, pods := 0, 0
		for range rapid.IntRange(1, 60).Draw(t, "samples") {
			step := time.Duration(rapid.IntRange(0, 10_000_000).Draw(t, "ms")) * time.Millisecond
			used += float64(level) / 8 * step.Seconds()
			waited += float64(pods) * step.Seconds()
			at += step
			level, pods = rapid.IntRange(0, 10).Draw(t, "level"), rapid.IntRange(0, 10).Draw(t, "pods")
			require.NoError(t, r.Add(Sample{Time: at, Levels: []Level{{float64(level), 8}}, Waiting: map[int32]int{7: pods}}))
		}
		end := at + time.Hour
		used += float64(level) / 8 * 3600
		waited += float64(pods) * 3600
		s := r.Series(end)
		require.InEpsilon(t, used+1, s.mean(s.Share[0])*end.Seconds()+1, 1e-9)
		sum := 0.0
		for _, w := range s.Waiting {
			sum += s.mean(w.Pods) * end.Seconds()
		}
		require.InEpsilon(t, waited+1, sum+1, 1e-9)
	})
}

func TestSeries(t *testing.T) {
	r := NewRecorder("cpu")
	require.NoError(t, r.Add(Sample{Time: time.Millisecond, Levels: []Level{{1, 4}}, Waiting: map[int32]int{-5: 2, 9: 1}}))
	require.NoError(t, r.Add(Sample{Time: 3 * time.Millisecond, Levels: []Level{{8, 4}}}))
	require.NoError(t, r.Add(Sample{Time: 3 * time.Millisecond, Levels: []Level{{1, 0}}, Waiting: map[int32]int{9: 4}}))
	want := Series{
		Resources: []string{"cpu"}, Width: time.Millisecond, End: 3500 * time.Microsecond,
		Share:   [][]float64{{0, 0.25, 0.25, 0}},
		Waiting: []Waiting{{9, []float64{0, 1, 1, 4}}, {-5, []float64{0, 2, 2, 0}}},
	}
	for range 2 {
		got := r.Series(3500 * time.Microsecond)
		if diff := testdiff.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		got.Share[0][0] = 5 // the caller's own
	}
}

func TestRecorderRefuses(t *testing.T) {
	one := []Level{{1, 1}}
	for _, tt := range []struct {
		sample Sample
		want   string
	}{
		{Sample{Time: -1, Levels: one}, "sample at -1ns: it is before 0s"},
		{Sample{Time: math.MaxInt64, Levels: one}, "it is after"},
		{Sample{}, "0 levels for 1 resources"},
		{Sample{Levels: []Level{{-1, 1}}}, "cpu: -1 of 1"},
		{Sample{Levels: []Level{{math.NaN(), 1}}}, "cpu: NaN of 1"},
		{Sample{Levels: []Level{{1, math.Inf(1)}}}, "cpu: 1 of +Inf"},
		{Sample{Levels: one, Waiting: map[int32]int{3: -1}}, "-1 pods of priority 3 wait"},
		{Sample{Levels: one, Evicted: map[int32]int{3: -1}}, "-1 pods of priority 3 were evicted"},
	} {
		r := NewRecorder("cpu")
		err := r.Add(tt.sample)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, err, tt.want)
		require.Equal(t, NewRecorder("cpu"), r, "a refused sample changes nothing")
	}
}

func TestTimeTicks(t *testing.T) {
	for _, tt := range []struct {
		end  time.Duration
		want string
	}{
		{time.Millisecond, "0|1ms"},
		{90 * time.Second, "0|10s|20s|30s|40s|50s|1m|1m 10s|1m 20s|1m 30s"},
		{2 * time.Hour, "0|15m|30m|45m|1h|1h 15m|1h 30m|1h 45m|2h"},
		{50 * time.Hour, "0|6h|12h|18h|1d|1d 6h|1d 12h|1d 18h|2d"},
		{150 * day, "0|20d|40d|60d|80d|100d|120d|140d"},
	} {
		var labels []string
		for _, tick := range timeTicks(tt.end) {
			labels = append(labels, tick.label)
		}
		require.Equal(t, tt.want, strings.Join(labels, "|"))
	}
	require.LessOrEqual(t, len(timeTicks(mostTime)), mostTimeTicks)
}

func TestValueTicks(t *testing.T) {
	for _, tt := range []struct {
		top  float64
		want string
	}{
		{5, "0 1 2 3 4 5"},
		{7, "0 2 4 6 8"},
		{100, "0 20 40 60 80 100"},
		{237, "0 50 100 150 200 250"},
		{12_000, "0 5000 10k 15k"},
		{4e6, "0 1M 2M 3M 4M"},
		{1e12, "0 200G 400G 600G 800G 1000G"},
	} {
		var labels []string
		for _, tick := range valueTicks(tt.top, 5, number) {
			labels = append(labels, tick.label)
		}
		require.Equal(t, tt.want, strings.Join(labels, " "))
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriterThatFails(t *testing.T) {
	require.ErrorIs(t, Write(broken{}, Caption{}, Series{}), io.ErrShortWrite)
}

func Example() {
	r := NewRecorder("cpu", "memory")
	for i := range 100 {
		err := r.Add(Sample{
			Time:    time.Duration(i) * time.Minute,
			Levels:  []Level{{Used: float64(i), Capacity: 100}, {Used: 1, Capacity: 4}},
			Waiting: map[int32]int{1000: i / 10, 0: i},
			Evicted: map[int32]int{0: i % 2},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	var picture bytes.Buffer
	if err := Write(&picture, Caption{Title: "a run"}, r.Series(100*time.Minute)); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(picture.String()) {
		if strings.Contains(line, "mean") || strings.Contains(line, "priority") || strings.Contains(line, "heading\"") {
			fmt.Print(regexp.MustCompile("<[^>]*>").ReplaceAllString(line, ""))
		}
	}
	// Output:
	// Requested of what the nodes can allocate
	// cpu, mean 50%
	// memory, mean 25%
	// Pods that wait for a node
	// priority 0: mean 49.5
	// priority 1000: mean 4.5
	// Pods evicted in each 2m, 50 in all
	// priority 0: 50
}
