package structure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReachesAndCrowds(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.25\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(`package m

import "context"

type config struct{ on, off bool }

func (config) ask() {}

type attempt struct{ config config }

type search struct{ attempt *attempt }

type worker struct{ search search }

func (w *worker) near() bool { return w.search.attempt != nil }

func (w *worker) far() bool { return w.search.attempt.config.on }

func (w *worker) asks() { w.search.attempt.config.ask() }

func (w *worker) named() bool {
	a := w.search.attempt
	return a.config.on || a.config.off
}

func (w *worker) declared() bool {
	var a = w.search.attempt
	return a.config.on
}

var later = func(w *worker) bool { return w.search.attempt.config.off }

func many(a, b int, c string, d, e bool) {}

func few(_ context.Context, a, b, c, d int) {}

type asked interface{ ask(a, b, c, d, e int) }

type hook func(int, int, int, int, int)

var _ = func(a, b, c, d, e int) {}
`), 0o644))
	p, err := NewReader().Read(dir)
	require.NoError(t, err)

	var reaches []string
	for _, f := range p.Reaches() {
		reaches = append(reaches, f.Text)
	}
	assert.Equal(t, []string{"w.search.attempt.config.on", "w.search.attempt.config.ask", "a.config.on", "a.config.off", "a.config.on", "w.search.attempt.config.off"}, reaches)

	var crowds []string
	for _, f := range p.Crowded(4, 1) {
		crowds = append(crowds, f.Text)
	}
	assert.Equal(t, []string{"config has 2 bools", "many has 5 parameters", "ask has 5 parameters", "hook has 5 parameters", "a function has 5 parameters"}, crowds)
}
