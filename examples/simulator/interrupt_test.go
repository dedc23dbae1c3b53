package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// countdown is a context that ends after so many calls of Err, so that a test can
// interrupt at a certain place.
type countdown struct {
	context.Context
	stop context.CancelFunc
	left atomic.Int64
}

func after(asked int64) *countdown {
	c := &countdown{}
	c.Context, c.stop = context.WithCancel(context.Background())
	c.left.Store(asked)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		c.stop()
	}
	return c.Context.Err()
}

func interrupted(t *testing.T, asked int64, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	require.Equal(t, 1, run(after(asked), args, &out, &err), err.String())
	return out.String(), err.String()
}

// An interrupted run tells and writes its results until then.
func TestInterruptedRun(t *testing.T) {
	dir := t.TempDir()
	events, picture := filepath.Join(dir, "events"), filepath.Join(dir, "chart.svg")
	out, complaint := interrupted(t, 300, "-events", events, "-chart", picture, "-o", "json")
	require.Equal(t, "simulator: interrupted; this is what was simulated until then\n", complaint)
	require.Contains(t, out, `"arrived": `)
	require.NotContains(t, out, `"arrived": 0,`)
	require.NotContains(t, out, `"arrived": 150,`)
	text, err := os.ReadFile(events)
	require.NoError(t, err)
	require.Greater(t, bytes.Count(text, []byte("\n")), 100)
	require.True(t, bytes.HasSuffix(text, []byte("\n")))
	svg, err := os.ReadFile(picture)
	require.NoError(t, err)
	wellFormed(t, svg)
}

// A run that is interrupted before it begins leaves nothing behind.
func TestInterruptedBefore(t *testing.T) {
	dir := t.TempDir()
	old, made := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	require.NoError(t, os.WriteFile(old, []byte("as it was"), 0o644))
	nodes := file(t, twoNodes)
	pods := file(t, "creation_time\n"+strings.Repeat("5\n", 10000))
	for _, asked := range []int64{0, 1, 2, 4, 6} {
		for _, more := range [][]string{nil, {"-inspect"}} {
			out, complaint := interrupted(t, asked, append(more, "-nodes", nodes, "-pods", pods, "-events", old, "-chart", made)...)
			require.Empty(t, out)
			require.Equal(t, "simulator: interrupted before the run; nothing was simulated\n", complaint)
			text, err := os.ReadFile(old)
			require.NoError(t, err)
			require.Equal(t, "as it was", string(text))
			require.NoFileExists(t, made)
		}
	}
}

func TestInterruptedInspection(t *testing.T) {
	for asked := int64(2); asked < 4; asked++ {
		out, complaint := interrupted(t, asked, "-inspect", "-events", filepath.Join(t.TempDir(), "events"))
		require.Empty(t, out)
		require.Equal(t, "simulator: interrupted; there is no answer\n", complaint)
	}
}

// A call that waits for ever is left alone.
func TestInterruptedWait(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	never := make(chan int)
	defer close(never)
	_, err := orInterrupted(ctx, beforeAll, func() (int, error) {
		stop()
		return <-never, nil
	})
	require.Equal(t, beforeAll, err)
}
