package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const past = `goos: linux
BenchmarkA/x=1     	100	 1000 ns/op	 500 B/op	 4 allocs/op
BenchmarkB         	100	 2000 ns/op	 100.0 MB/s	 0 B/op	 0 allocs/op	 181.5 bytes/pod
PASS
`

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		unit        string
		before, now [2]float64
		want        verdict
	}{
		{"ns/op", [2]float64{100, 101}, [2]float64{109, 110}, kept},
		{"ns/op", [2]float64{100, 101}, [2]float64{112, 112}, grown},
		{"ns/op", [2]float64{100, 130}, [2]float64{112, 112}, unclear},
		{"ns/op", [2]float64{100, 101}, [2]float64{112, 140}, unclear},
		{"ns/op", [2]float64{100, 130}, [2]float64{60, 90}, kept},
		{"B/op", [2]float64{100, 130}, [2]float64{112, 112}, grown},
		{"B/op", [2]float64{0, 0}, [2]float64{1, 1}, kept},
		{"allocs/op", [2]float64{0, 0}, [2]float64{2, 2}, grown},
	} {
		got, _ := judge(test.unit, test.before, test.now)
		assert.Equal(t, test.want, got, "%+v", test)
	}
}

func TestReport(t *testing.T) {
	read := func(texts ...string) map[string]figures {
		all := map[string]figures{}
		for half, text := range texts {
			for name, values := range parse(text) {
				note(all, name, values, half)
			}
		}
		return all
	}
	var out bytes.Buffer
	lost, err := report(&out, [2]map[string]figures{read(past, past), read(past, past)}, false)
	require.NoError(t, err)
	assert.Empty(t, lost)
	assert.Empty(t, out.String())

	now := `BenchmarkA/x=1	100	 1000 ns/op	 560 B/op	 4 allocs/op
BenchmarkB	100	 3000 ns/op	 10.0 MB/s	 0 B/op	 0 allocs/op	 240 bytes/pod
`
	lost, err = report(&out, [2]map[string]figures{read(past, past), read(now, now)}, false)
	require.NoError(t, err)
	assert.Equal(t, []string{"BenchmarkA/x=1", "BenchmarkB"}, lost)
	assert.Equal(t, `LOST BenchmarkA/x=1: 1.12 times the B/op, 500 before, 560 now
LOST BenchmarkB: 1.32 times the bytes/pod, 181.5 before, 240 now
LOST BenchmarkB: 1.50 times the ns/op, 2000 before, 3000 now
`, out.String())

	_, err = report(&out, [2]map[string]figures{read(past, past), read("")}, false)
	assert.ErrorContains(t, err, "BenchmarkA/x=1 is gone")
	_, err = report(&out, [2]map[string]figures{}, false)
	assert.ErrorContains(t, err, "no benchmark ran")
}

// Benchmarks that the earlier commit does not have are named and are no loss; those beside them are compared.
func TestNewBenchmarks(t *testing.T) {
	read := func(text string) map[string]figures {
		all := map[string]figures{}
		for half := range 2 {
			for name, values := range parse(text) {
				note(all, name, values, half)
			}
		}
		return all
	}
	now := past + "BenchmarkA/x=0	1	 1 ns/op	 9 B/op	 1 allocs/op\nBenchmarkReal/mixed	1	 1 ns/op	 9 B/op	 1 allocs/op\n"
	var out bytes.Buffer
	lost, err := report(&out, [2]map[string]figures{read(past), read(now)}, false)
	require.NoError(t, err)
	assert.Empty(t, lost)
	assert.Equal(t, "NOT COMPARED: the earlier commit does not have 2 benchmarks, from BenchmarkA/x=0 to BenchmarkReal/mixed\n", out.String())

	lost, err = report(&out, [2]map[string]figures{{}, read(now)}, false)
	require.NoError(t, err)
	assert.Empty(t, lost)
}

// The rows of real clusters are in this checkout, and a folder without them says so by an error of its own.
func TestFolderOfNewBenchmarks(t *testing.T) {
	real := set{pkg: "preemption/engine", pattern: "^BenchmarkReal$/^mixed$"}
	folder, err := (&build{root: "../../../.."}).folderOf(real)
	require.NoError(t, err)
	assert.Equal(t, "preemption/engine", folder)
	_, err = (&build{root: t.TempDir()}).folderOf(real)
	assert.ErrorIs(t, err, errAbsent)
}

// A history that does not reach back that far is said, and is no loss.
func TestCommitThatIsNotThere(t *testing.T) {
	var out bytes.Buffer
	ok, err := run(&out, "0123456789012345678901234567890123456789", 2, false)
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Contains(t, out.String(), "NOT CHECKED")
	_, err = run(&out, "", 2, false)
	assert.ErrorContains(t, err, "want a commit")
}
