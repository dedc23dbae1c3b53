package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/planner/history"
)

var update = flag.Bool("update", false, "write the golden files anew")

var start = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

// aSummary is a made-up run with everything in it.
func aSummary(t testing.TB) *Summary {
	t.Helper()
	log, err := history.New(history.Config{})
	require.NoError(t, err)
	at := start
	preempt := func(preemptor, victim string) {
		at = at.Add(95 * time.Second)
		e := history.Preemption{Time: at, Node: "gpu-01", Preemptor: preemptor, Victims: []string{victim}}
		require.NoError(t, log.Record(e))
	}
	for i := range 12 {
		preempt(fmt.Sprintf("default/service-%d", i), fmt.Sprintf("default/service-%d", i+1))
	}
	for range 1500 {
		preempt("default/red", "default/blue")
		preempt("default/blue", "default/red")
	}
	for i := range 10 {
		preempt(fmt.Sprintf("ring/%d", i), fmt.Sprintf("ring/%d", (i+1)%10))
	}
	s := &Summary{
		Simulated: at.Sub(start).Seconds(),
		Pods:      Pods{Arrived: 12_345, Run: 12_000, Finished: 11_000, Waited: 1234, Waiting: 345, Evicted: 24, EvictedAgain: 2},
	}
	s.Lost.Add(90*time.Minute, 1500)
	s.Lost.Add(time.Second, 250)
	var waits Waits
	for i := range 200 {
		waits.Add(0, time.Duration(i*i)*time.Second)
		waits.Add(1000, time.Duration(i)*time.Millisecond)
	}
	waits.Add(-10, 400*time.Hour)
	s.Waits = waits.List()
	s.Preemption = PreemptionOf(log.Summary(), start)
	return s
}

// withKubelets is a run in which kubelets did everything they can.
func withKubelets() *Summary {
	return &Summary{Simulated: 60, Waits: (&Waits{}).List(), Kubelets: &Kubelets{
		Started: 1200, Rejected: ReasonsOf(map[string]int{"OutOfpods": 1000, "Evicted": 2}),
		ForCritical: 7, UnderMemory: 5, UnderDisk: 4, Pressures: 3, GivenUp: 1,
		Evicted: Fates{Elsewhere: 6, SameNode: 5, Waiting: 2, Leaving: 1, Finished: 1, Over: 1},
	}}
}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		file    string
		summary *Summary
		write   func(*Summary, io.Writer) error
	}{
		{"run.txt", aSummary(t), (*Summary).WriteText},
		{"run.json", aSummary(t), (*Summary).WriteJSON},
		{"empty.txt", &Summary{Waits: (&Waits{}).List()}, (*Summary).WriteText},
		{"empty.json", &Summary{Waits: (&Waits{}).List()}, (*Summary).WriteJSON},
		{"kubelets.txt", withKubelets(), (*Summary).WriteText},
		{"kubelets.json", withKubelets(), (*Summary).WriteJSON},
		{"idlekubelets.txt", &Summary{Waits: (&Waits{}).List(), Kubelets: &Kubelets{Rejected: ReasonsOf(nil)}}, (*Summary).WriteText},
	} {
		t.Run(tt.file, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, tt.write(tt.summary, &b))
			file := "testdata/" + tt.file + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			if diff := testdiff.Diff(string(want), b.String()); diff != "" {
				t.Errorf("after a change that is meant run go test -update (-want +got):\n%s", diff)
			}
		})
	}
}

// A name from a file cannot do anything to the terminal, or to a table. Gangs
// are reported if there are any.
func TestGangs(t *testing.T) {
	s := Summary{Gangs: &Gangs{Arrived: 1200, Placed: 9, Waiting: 1, Preempted: 7, PreemptedAgain: 2, Preemptions: 5}}
	var text strings.Builder
	require.NoError(t, s.WriteText(&text))
	require.Contains(t, text.String(), "gangs             1,200\n  placed              9  1 waited for a node at the end\n  evicted             7  2 more than once\n  evicting            5  how often a gang evicted others\n")
}

func TestNamesAreSafe(t *testing.T) {
	s := aSummary(t)
	s.Preemption.LongestCascade[0].Victim = "a\x1b[2J\nb\tc"
	s.Preemption.BusiestCycle.Pods[0] = "\xff\u202e"
	var b bytes.Buffer
	require.NoError(t, s.WriteText(&b))
	require.Contains(t, b.String(), `a\x1b[2J\nb\tc`)
	require.Contains(t, b.String(), `\xff\u202e`)
	for _, r := range strings.ReplaceAll(b.String(), "\n", "") {
		require.True(t, unicode.IsPrint(r), "%q", r)
	}
}

func TestWriterThatFails(t *testing.T) {
	require.ErrorIs(t, aSummary(t).WriteText(full{}), errFull)
	require.ErrorIs(t, aSummary(t).WriteJSON(full{}), errFull)
	l := NewLog(full{})
	for range 10_000 {
		l.Add(Event{Kind: "arrive"})
	}
	require.ErrorIs(t, l.Close(), errFull)
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// Percentiles are by definition: the least wait that so many do not exceed.
func TestWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.SliceOfN(rapid.IntRange(0, 50), 1, 300).Draw(t, "seconds")
		var w Waits
		sum := 0
		for _, s := range seconds {
			w.Add(5, time.Duration(s)*time.Second)
			sum += s
		}
		got := w.List()[0]
		require.Equal(t, len(seconds), got.Pods)
		require.InDelta(t, float64(sum)/float64(len(seconds)), got.Mean, 1e-9)
		require.EqualValues(t, slices.Max(seconds), got.Max)
		for p, value := range map[int]float64{50: got.Median, 95: got.P95} {
			within, below := 0, 0
			for _, s := range seconds {
				if float64(s) <= value {
					within++
				}
				if float64(s) < value {
					below++
				}
			}
			require.GreaterOrEqual(t, 100*within, p*len(seconds), "p%d is %v", p, value)
			require.Less(t, 100*below, p*len(seconds), "p%d is %v, and there is a lower one", p, value)
		}
	})
}

func TestWaitsByPriority(t *testing.T) {
	var w Waits
	w.Add(math.MinInt32, 0)
	w.Add(3, time.Second)
	w.Add(math.MaxInt32, 0)
	var order []int32
	for _, x := range w.List() {
		order = append(order, x.Priority)
	}
	require.Equal(t, []int32{math.MaxInt32, 3, math.MinInt32}, order)
}

func TestTexts(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0.0s", 0.04: "0.0s", 59.94: "59.9s", 59.95: "1m 00s", 61: "1m 01s", 3599.4: "59m 59s", 3599.6: "1h 00m",
		86399: "23h 59m", 86400: "1d 00h", 1e300: "11574074074d 01h",
	} {
		require.Equal(t, want, Seconds(s), "%v", s)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		require.Equal(t, want, Count(n))
	}
}

func TestLog(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(&b)
	l.Add(Event{Time: 1234567 * time.Microsecond, Kind: "arrive", Pod: "a\tb"})
	l.Add(Event{Time: -5 * time.Millisecond, Kind: "evict", Pod: "p", Node: "n", Details: "for q\nand r"})
	require.Empty(t, b.String(), "nothing is written piecemeal")
	require.NoError(t, l.Close())
	require.Equal(t, "time\tevent\tpod\tnode\tdetails\n"+
		"1.234\tarrive\ta\\tb\t-\t-\n"+
		"-0.005\tevict\tp\tn\tfor q\\nand r\n", b.String())
	var none *Log
	none.Add(Event{})
	require.NoError(t, none.Close())
}

func TestLogAllocatesNothing(t *testing.T) {
	l := NewLog(io.Discard)
	e := Event{Time: 12 * time.Hour, Kind: "bind", Pod: "default/web-1", Node: "node-1", Details: "after 3 s"}
	require.Zero(t, testing.AllocsPerRun(1000, func() { l.Add(e) }))
}

// The line comes at most every 200 ms, and is wiped in the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	now := start
	p := progressWithClock(&b, false, func() time.Time { return now })
	for i := range 64 * 100 {
		now = now.Add(time.Second / 640) // the loop is 10 s long
		p.Step(float64(i+1)/6400, i+1)
	}
	lines := strings.Split(b.String(), "\r")[1:]
	require.Len(t, lines, 50)
	require.Equal(t, "  2%  640 events/s  9.8s left", strings.TrimRight(lines[0], " "))
	require.Equal(t, " 50%  640 events/s  5.0s left", strings.TrimRight(lines[24], " "))
	b.Reset()
	p.End()
	require.Equal(t, "\r"+strings.Repeat(" ", len("100%  640 events/s  0.0s left"))+"\r", b.String())
}

func TestProgressText(t *testing.T) {
	require.Equal(t, "  0%  0 events/s", progressText(0, 0, 0))
	require.Equal(t, "100%  5 events/s  0.0s left", progressText(7, 5, time.Second))
	require.Equal(t, "  1%  1,000,000 events/s  1m 39s left", progressText(0.01, 1_000_000, time.Second))
}

// Where there is no terminal a long run writes a line now and then.
func TestProgressLines(t *testing.T) {
	var b bytes.Buffer
	now := start
	p := progressWithClock(&b, true, func() time.Time { return now })
	for i := range 64 * 50 {
		now = now.Add(time.Second / 64) // the loop is 50 s long
		p.Step(float64(i+1)/3200, i+1)
	}
	p.End()
	require.Equal(t, "simulator: 30%  64 events/s  35.0s left\nsimulator: 60%  64 events/s  20.0s left\nsimulator: 90%  64 events/s  5.0s left\n", b.String())
}

// A short run writes nothing to a file, and no run writes to something else.
func TestNoProgress(t *testing.T) {
	path := t.TempDir() + "/out"
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	p := NewProgress(file)
	for range 1000 {
		p.Step(0.5, 1)
	}
	p.End()
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, written)

	none := NewProgress(&bytes.Buffer{})
	require.Nil(t, none)
	none.Step(0.5, 1)
	none.End()
}

func ExampleSummary_WriteText() {
	s := Summary{Simulated: 7200, Pods: Pods{Arrived: 3, Run: 3, Finished: 2, Waited: 1, Evicted: 1}}
	s.Lost.Add(30*time.Minute, 4000)
	var waits Waits
	waits.Add(1000, 0)
	waits.Add(0, 10*time.Second)
	waits.Add(0, 20*time.Second)
	s.Waits = waits.List()
	s.Preemption = Preemption{Preemptions: 1, Evictions: 1}
	if err := s.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Simulated 2h 00m
	//
	// pods                  3
	//   run                 3  2 to their end
	//   waited              1  0 had no node at the end
	//   evicted             1  0 more than once
	// lost pod-seconds  1,800  for which evicted pods had run
	// lost cpu-hours      2.0  of the cpu that they asked for meanwhile
	//
	// Time without a node
	//   priority  pods   mean  median    p95    max
	//       1000     1   0.0s    0.0s   0.0s   0.0s
	//          0     2  15.0s   10.0s  20.0s  20.0s
	//
	// Preemption
	//   preemptions  1  1 eviction
	//   cascades     0  evicted pods that evicted others in turn
	//   cycles       0  rings of pods that evict each other, gone round 0 times
	//   repeats      0  pods evicted several times
}

func ExampleLog() {
	l := NewLog(os.Stdout)
	l.Add(Event{Time: 1500 * time.Millisecond, Kind: "arrive", Pod: "default/web"})
	l.Add(Event{Time: 2 * time.Second, Kind: "bind", Pod: "default/web", Node: "n1", Details: "waited 0.5s"})
	if err := l.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// time	event	pod	node	details
	// 1.500	arrive	default/web	-	-
	// 2.000	bind	default/web	n1	waited 0.5s
}
