package workload

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// endless reads like a beginning and then the same text for ever, and counts the
// bytes read.
type endless struct {
	beginning, text string
	at              int
	read            int64
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		if e.at < len(e.beginning) {
			p[i] = e.beginning[e.at]
		} else {
			p[i] = e.text[(e.at-len(e.beginning))%len(e.text)]
		}
		e.at++
	}
	e.read += int64(len(p))
	return len(p), nil
}

// Input without an end is given up soon, and takes no memory until then: a
// device, a name of gigabytes, a quote that is never closed.
func TestInputWithoutEnd(t *testing.T) {
	for _, tt := range []struct{ name, beginning, text, want string }{
		{"zeros", "", "\x00", "trace: no row ends within 65536 bytes after its beginning; is this a CSV file?"},
		{"zeros behind the headings", "sn,name,cpu_milli\n", "\x00", ""},
		{"blank lines", "", "\n", "trace: no row ends within 65536 bytes after its beginning; is this a CSV file?"},
		{"blank lines behind a row", podHeader + "p,,,,,,,,1,,\n", "\r\n", "trace: no row ends within 65536 bytes after line 2; is this a CSV file?"},
		{"one name", podHeader, "x", "trace: no row ends within 65536 bytes after line 1; is this a CSV file?"},
		{"one name in quotes", podHeader + "\"", "x", "after line 1; is this a CSV file?"},
		{"a name of many lines", podHeader + "\"", "x\n", "after line 1; is this a CSV file?"},
		{"headings", "", "name,", "after its beginning; is this a CSV file?"},
		{"fields", podHeader, ",", "after line 1; is this a CSV file?"},
		{"rows of blanks", podHeader, ",\n", "trace: there are more than 1000000 rows"},
		{"rows of errors", podHeader, "x,y\n", "trace:2:3: cpu_milli: \"y\" is not a whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, read := range []func(io.Reader) error{
				func(in io.Reader) error { _, err := ReadPods(in, "trace", DefaultClasses()); return err },
				func(in io.Reader) error { _, err := ReadNodes(in, "trace", NodeConfig{}); return err },
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				in := &endless{beginning: tt.beginning, text: tt.text}
				err := read(in)
				runtime.ReadMemStats(&after)
				require.ErrorIs(t, err, outrank.ErrInvalid)
				if strings.Contains(tt.beginning, podHeader) && strings.Contains(err.Error(), "there is no column") {
					continue // nodes have other columns
				}
				require.ErrorContains(t, err, tt.want)
				require.Less(t, in.read, int64(4*mostRows))
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
			}
		})
	}
}

// A row may be as long as the bound, in reads of any size.
func TestLongestRow(t *testing.T) {
	row := func(n int) string {
		return "creation_time,gpu_spec\n0,a\n\n1," + strings.Repeat("m", n-len("\n1,\n")) + "\n2,b\n"
	}
	items, err := readPods(row(mostRowBytes))
	require.NoError(t, err)
	require.Len(t, items, 3)
	_, err = readPods(row(mostRowBytes + 1))
	require.EqualError(t, err, "pods.csv: no row ends within 65536 bytes after line 2; is this a CSV file?")
}

func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", mostName)
	_, err := readPods("creation_time,name\n0," + long + "\n")
	require.NoError(t, err)
	_, err = readPods("creation_time,name\n0," + long + "n\n")
	require.ErrorContains(t, err, "pods.csv:2:3: name: the name \"nnn")
	require.ErrorContains(t, err, "nnn\"… has 254 bytes; no more than 253 are allowed")
	_, err = ReadNodes(strings.NewReader("sn,cpu_milli,memory_mib\n"+long+"n,1,1\n"), "nodes.csv", NodeConfig{})
	require.ErrorContains(t, err, "nodes.csv:2:1: sn: the name")
}

// Text below an unknown heading would be missed in silence.
func TestUnknownColumns(t *testing.T) {
	const podNames = "creation_time, name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, pod_phase, deletion_time, scheduled_time"
	for _, tt := range []struct{ heading, want string }{
		{"cpu_mili", `there is no column "cpu_mili"; did you mean cpu_milli?`},
		{"CPU-Milli", `there is no column "CPU-Milli"; did you mean cpu_milli?`},
		{"memory_mb", `there is no column "memory_mb"; did you mean memory_mib?`},
		{"schedule time", `there is no column "schedule time"; did you mean scheduled_time?`},
		{"x", `there is no column "x"; the columns are ` + podNames},
		{"utterly different", `there is no column "utterly different"; the columns are ` + podNames},
		{strings.Repeat("cpu_milli", 100), `there is no column "cpu_millicpu`},
	} {
		items, err := readPods("creation_time," + tt.heading + "\n0,1\n")
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, err, "pods.csv:1:15: "+tt.want)
		require.Nil(t, items)
	}
	_, err := ReadNodes(strings.NewReader("sn,cpu_mili,memory_mib\na,1,1\n"), "nodes.csv", NodeConfig{})
	require.EqualError(t, err, "nodes.csv:1:4: there is no column \"cpu_mili\"; did you mean cpu_milli?\nnodes.csv:1: no column cpu_milli")
	_, err = readPods("creation_time,\n0, \n1,7\n")
	require.EqualError(t, err, `pods.csv:3:3: "7" stands in a column without a heading`)
}

func TestManyUnknowns(t *testing.T) {
	_, err := readPods("creation_time" + strings.Repeat(",x", 10000) + "\n")
	require.Len(t, strings.Split(err.Error(), "\n"), mostProblems)
	var classes strings.Builder
	for i := range 100 {
		classes.WriteString("0,class" + strings.Repeat("x", i) + "\n")
	}
	_, err = readPods("creation_time,qos\n" + classes.String())
	var problem *Problem
	require.True(t, errors.As(err, &problem))
	require.Contains(t, problem.Text, "(1 pods), and 80 more; there are priorities for")
}
