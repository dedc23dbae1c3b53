package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tests hold little memory, so that rare collections save a tenth of their work.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

const oneNode = `{"id":"a","mode":"scheduler","nodes":[{"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"1","pods":"10"}}}],` +
	`"pods":[{"metadata":{"name":"low"},"spec":{"nodeName":"n","containers":[{"resources":{"requests":{"cpu":"1"}}}]}}],` +
	`"preemptor":{"metadata":{"name":"high"},"spec":{"priority":5,"containers":[{"resources":{"requests":{"cpu":"1"}}}]}}}`

func output(t *testing.T, in string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(args, strings.NewReader(in), &out, io.Discard)
	return out.String(), err
}

func TestReplayKeepsGoing(t *testing.T) {
	in := strings.Join([]string{
		`{"id":"broken","mode":"scheduler","nodes":7}`,
		`not json`,
		"",
		`{"id":"nobody","mode":"scheduler"}`,
		`{"id":"odd","mode":"guess"}`,
		`{"id":"twins","mode":"scheduler","preemptor":{"metadata":{"name":"p"}},"nodes":[{"metadata":{"name":"n"}},{"metadata":{"name":"n"}}]}`,
		`{"id":"amount","mode":"scheduler","preemptor":{"metadata":{"name":"p"},"spec":{"overhead":{"cpu":"lots"}}}}`,
		`{"id":"two","mode":"kubelet","nodes":[],"preemptor":{"metadata":{"name":"p"}}}`,
		`{"id":"null","mode":"requests","pods":[null]}`,
		`{"id":"nul","mode":"priority","pods":[null]}`,
		oneNode,
	}, "\n")
	out, err := output(t, in)
	require.NoError(t, err)
	var got []Decision
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var d Decision
		require.NoError(t, json.Unmarshal([]byte(line), &d))
		got = append(got, d)
	}
	wants := []struct{ id, err string }{
		{"broken", "cannot unmarshal number"},
		{"", "invalid character"},
		{"nobody", "preemptor: missing"},
		{"odd", `mode "guess" is none of`},
		{"twins", "node n: metadata.name: there are two of this name"},
		{"amount", "pod default/p: spec.overhead.cpu: "},
		{"two", "nodes: one is wanted"},
		{"null", "pods: there is a null among them"},
		{"nul", "pods: there is a null among them"},
		{"a", ""},
	}
	require.Len(t, got, len(wants))
	for i, want := range wants {
		assert.Equal(t, want.id, got[i].ID)
		if want.err == "" {
			assert.Empty(t, got[i].Error)
		} else {
			assert.Contains(t, got[i].Error, want.err, want.id)
		}
	}
	assert.Equal(t, []Candidate{{Node: "n", Victims: []string{"default/low"}}}, got[len(got)-1].Scheduler.Candidates)
}

// A claim that cannot be used ends the case before any node is filtered.
func TestReplayPreFilter(t *testing.T) {
	line := strings.Replace(oneNode, `"spec":{"priority":5,`, `"spec":{"priority":5,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}],`, 1)
	for storage, want := range map[string]string{
		`{"persistentVolumeClaims":[{"metadata":{"name":"c"},"spec":{"storageClassName":"late"}}]`:                                                                                                              `{"code":"UnschedulableAndUnresolvable","plugin":"VolumeBinding","reasons":["pod has unbound immediate PersistentVolumeClaims"]}`,
		`{"persistentVolumeClaims":[{"metadata":{"name":"c"},"spec":{"storageClassName":"late"}}],"storageClasses":[{"metadata":{"name":"late"},"provisioner":"d","volumeBindingMode":"WaitForFirstConsumer"}]`: `{"code":"Success"}`,
	} {
		out, err := output(t, strings.Replace(line, "{", storage+",", 1))
		require.NoError(t, err)
		var got struct {
			Scheduler struct{ PreFilter json.RawMessage }
		}
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		assert.JSONEq(t, want, string(got.Scheduler.PreFilter))
	}
}

func TestReplayInputs(t *testing.T) {
	want, err := output(t, oneNode)
	require.NoError(t, err)
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "cases.jsonl"), filepath.Join(dir, "cases.jsonl.gz")
	require.NoError(t, os.WriteFile(plain, []byte(oneNode+"\n"), 0o600))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err = io.WriteString(z, oneNode)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(packed, zipped.Bytes(), 0o600))
	for _, args := range [][]string{{}, {"-"}, {plain}, {packed}, {"-now", "2030-01-01T00:00:00Z", plain}} {
		got, err := output(t, oneNode, args...)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", args)
	}
	empty, err := output(t, "\n \n")
	require.NoError(t, err)
	assert.Empty(t, empty)
}

func TestReplayRefuses(t *testing.T) {
	notGzip := filepath.Join(t.TempDir(), "cases.gz")
	require.NoError(t, os.WriteFile(notGzip, []byte("plain"), 0o600))
	for _, args := range [][]string{{"-now", "noon"}, {"a", "b"}, {"no such file"}, {notGzip}, {"-what"}} {
		_, err := output(t, "", args...)
		assert.Error(t, err, "%q", args)
	}
	assert.Error(t, replay(iotest.ErrReader(os.ErrClosed), io.Discard, rules{}))
}

func TestVersion(t *testing.T) {
	text, err := output(t, "", "-version")
	require.NoError(t, err)
	assert.Contains(t, text, "replay (devel), rules of Kubernetes v1.37 (the default) and v1.36, go")
}
