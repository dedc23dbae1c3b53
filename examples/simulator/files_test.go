package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const twoPods = "creation_time,deletion_time,cpu_milli\n0,60,1000\n30,90,1000\n"

// No output is written over an input, under any name, and two outputs are not
// one file.
func TestNothingOverwritten(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Mkdir(at("below"), 0o755))
	contents := map[string]string{"nodes.csv": twoNodes, "pods.csv": twoPods, "old": "as it was"}
	for name, text := range contents {
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink(at("nodes.csv"), at("link")))
	require.NoError(t, os.Symlink("link", at("link to a link")))
	require.NoError(t, os.Symlink("nowhere yet", at("dangling")))
	require.NoError(t, os.Link(at("pods.csv"), at("hard")))
	require.NoError(t, os.Symlink("below", at("beside")))
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-events", at("nodes.csv")}, "-nodes and -events are the same file"},
		{[]string{"-chart", dir + "/below/../pods.csv"}, "-pods and -chart are the same file"},
		{[]string{"-chart", dir + "//./pods.csv"}, "-pods and -chart are the same file"},
		{[]string{"-events", at("link")}, "-nodes and -events are the same file"},
		{[]string{"-events", at("link to a link")}, "-nodes and -events are the same file"},
		{[]string{"-events", at("hard")}, "-pods and -events are the same file"},
		{[]string{"-events", at("old"), "-chart", at("hard")}, "-pods and -chart are the same file"},
		{[]string{"-events", at("new"), "-chart", dir + "/./new"}, "-events and -chart are the same file"},
		{[]string{"-events", at("dangling"), "-chart", at("nowhere yet")}, "-events and -chart are the same file"},
		{[]string{"-events", dir + "/below/new", "-chart", dir + "/beside/new"}, "-events and -chart are the same file"},
	} {
		for _, more := range [][]string{nil, {"-inspect"}} {
			args := append([]string{"-nodes", at("nodes.csv"), "-pods", at("pods.csv")}, append(more, tt.args...)...)
			status, stdout, stderr := simulator(args...)
			require.Equal(t, 2, status, args)
			require.Empty(t, stdout)
			require.Contains(t, stderr, tt.want)
			for name, text := range contents {
				now, err := os.ReadFile(at(name))
				require.NoError(t, err)
				require.Equal(t, text, string(now), name)
			}
			for _, name := range []string{"new", "nowhere yet", "below/new"} {
				require.NoFileExists(t, at(name))
			}
		}
	}
	_, err := os.Readlink(at("dangling"))
	require.NoError(t, err, "the link itself stays")
}

func TestStandardOutputIsNoInput(t *testing.T) {
	nodes, pods := file(t, twoNodes), file(t, twoPods)
	for _, tt := range []struct {
		out  string
		args []string
		want string
	}{
		{nodes, nil, "-nodes and standard output are the same file"},
		{filepath.Join(t.TempDir(), "out"), []string{"-events", ""}, "-events and standard output are the same file"},
	} {
		out, err := os.OpenFile(tt.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		require.NoError(t, err)
		if len(tt.args) > 0 {
			tt.args[1] = tt.out
		}
		before, err := os.ReadFile(tt.out)
		require.NoError(t, err)
		var complaint bytes.Buffer
		require.Equal(t, 2, run(context.Background(), append(tt.args, "-nodes", nodes, "-pods", pods), out, &complaint))
		require.NoError(t, out.Close())
		require.Contains(t, complaint.String(), tt.want)
		now, err := os.ReadFile(tt.out)
		require.NoError(t, err)
		require.Equal(t, string(before), string(now))
	}
}

// Paths that cannot be written are found before anything is done, and existing
// files stay as they were.
func TestOutputsAreTriedFirst(t *testing.T) {
	dir := t.TempDir()
	old, made := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	require.NoError(t, os.WriteFile(old, []byte("as it was"), 0o644))
	broken := file(t, "creation_time\nx\n")
	for _, args := range [][]string{
		{"-events", old, "-chart", filepath.Join(dir, "no", "chart.svg")},
		{"-chart", old, "-events", dir},
		{"-events", made, "-chart", filepath.Join(dir, "no", "chart.svg")},
		{"-events", old, "-chart", made, "-nodes", file(t, twoNodes), "-pods", broken},
	} {
		// A context that would end the run as soon as it begins.
		var stdout, stderr bytes.Buffer
		require.Equal(t, 2, run(after(20), args, &stdout, &stderr), args)
		require.Empty(t, stdout.String())
		require.NotContains(t, stderr.String(), "interrupted")
		text, err := os.ReadFile(old)
		require.NoError(t, err)
		require.Equal(t, "as it was", string(text))
		require.NoFileExists(t, made)
	}
}

// An output replaces the whole content of the file.
func TestOutputsReplace(t *testing.T) {
	dir := t.TempDir()
	picture, link := filepath.Join(dir, "chart.svg"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(picture, bytes.Repeat([]byte("x"), 1<<20), 0o600))
	require.NoError(t, os.Symlink("chart.svg", link))
	answered(t, "-until", "1h", "-chart", link)
	svg, err := os.ReadFile(picture)
	require.NoError(t, err)
	wellFormed(t, svg)
	info, err := os.Stat(picture)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// full is a disk without room.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// The summary is written whatever else cannot be, and so is every other output that can.
func TestSummaryOutlivesOutputs(t *testing.T) {
	want := answered(t)
	for _, inspecting := range []bool{false, true} {
		args := []string{}
		if inspecting {
			args, want = append(args, "-inspect"), answered(t, "-inspect")
		}
		opts, err := parse(args)
		require.NoError(t, err)
		for _, room := range []int{1000, 70000} {
			picture := bytes.Buffer{}
			f := &files{events: &output{name: "-events", to: &full{room}}, chart: &output{name: "-chart", to: &picture}}
			stdout, err := goOn(t, opts, f)
			if room < 70000 {
				require.EqualError(t, err, "-events: no space left")
			}
			require.Equal(t, want, stdout)
			wellFormed(t, picture.Bytes())
		}
		events := bytes.Buffer{}
		f := &files{events: &output{name: "-events", to: &events}, chart: &output{name: "-chart", to: &full{}}}
		stdout, err := goOn(t, opts, f)
		require.EqualError(t, err, "-chart: no space left")
		require.Equal(t, want, stdout)
		require.Greater(t, bytes.Count(events.Bytes(), []byte("\n")), 150)
	}
}

// goOn does the rest of a call when the files are open.
func goOn(t *testing.T, opts *options, f *files) (stdout string, err error) {
	t.Helper()
	in, err := load(context.Background(), opts, f)
	require.NoError(t, err)
	var out bytes.Buffer
	if opts.inspect {
		err = in.inspect(context.Background(), opts, f, &out)
	} else {
		err = simulate(context.Background(), &runner{opts: opts, files: f, in: in}, &out, io.Discard)
	}
	return out.String(), err
}
