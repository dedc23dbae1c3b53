package kube_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
)

// FuzzReadCluster reads anything, as a cluster and as a manifest. Errors are a list of
// problems, each with its object. A cluster that is read is valid, can be written, and
// reads back the same.
func FuzzReadCluster(f *testing.F) {
	f.Add([]byte(list))
	f.Add([]byte(everyField))
	f.Add(write(f, fullCluster()))
	f.Add([]byte(`{"kind":"PersistentVolume","metadata":{"name":"v","labels":{"topology.kubernetes.io/zone":"a_ __ b"}}}
		{"kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":"a.b","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"v"}}
		{"kind":"PersistentVolumeClaim","metadata":{"name":"b.c","namespace":"a"},"spec":{"volumeName":"v"}}`))
	for _, seed := range recordedSeeds(f) {
		f.Add(seed)
	}
	for i, seed := range recordedGroups(f) {
		if i%12 == 0 { // the first of each profile
			f.Add(seed)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(inVersions)) {
		f.Add([]byte(inVersions[name].text))
	}
	f.Add([]byte(manifest(`{"hostNetwork":true,"containers":[{"ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"3"}}}]}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, _, err := kube.ReadManifest(bytes.NewReader(text)); err != nil {
			checkProblems(t, err)
		} else {
			require.NoError(t, p.Validate(), "a manifest that is read is valid")
		}
		c, err := kube.ReadCluster(bytes.NewReader(text))
		if err != nil {
			checkProblems(t, err)
			return
		}
		require.NoError(t, c.Validate(), "what is read is valid")
		c.Warnings()
		written := write(t, c)
		once := read(t, written)
		if diff := testdiff.Diff(c, once, whatIsWritten); diff != "" {
			t.Fatalf("written and read (-want +got):\n%s\n%s", diff, written)
		}
		// An amount may change its form once, and never again.
		settled := write(t, once)
		if again := write(t, read(t, settled)); !bytes.Equal(settled, again) {
			t.Fatalf("written and read once more:\n%s\n%s", settled, again)
		}
	})
}

func checkProblems(t *testing.T, err error) {
	var invalid *outrank.InputError
	if !errors.As(err, &invalid) || !errors.Is(err, outrank.ErrInvalid) || len(invalid.Problems) == 0 {
		t.Fatalf("not a list of problems: %v", err)
	}
	for _, p := range invalid.Problems {
		if p.Object == "" || p.Text == "" {
			t.Fatalf("a problem without an object or a text: %+v", p)
		}
	}
}

// recordedSeeds are the objects of the shortest recorded cases of each profile,
// because long inputs slow the fuzzer down.
func recordedSeeds(f *testing.F) [][]byte {
	names, err := filepath.Glob("../../examples/replay/testdata/*.cases.jsonl.gz")
	require.NoError(f, err)
	require.NotEmpty(f, names)
	var seeds [][]byte
	for _, name := range names {
		file, err := os.Open(name)
		require.NoError(f, err)
		unzipped, err := gzip.NewReader(file)
		require.NoError(f, err)
		text, err := io.ReadAll(unzipped)
		require.NoError(f, err)
		require.NoError(f, file.Close())
		cases := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		slices.SortStableFunc(cases, func(a, b []byte) int { return len(a) - len(b) })
		for _, line := range cases[:3] {
			var c struct{ Nodes, Pods, PDBs, Namespaces, PriorityClasses []json.RawMessage }
			require.NoError(f, json.Unmarshal(line, &c))
			objects := slices.Concat(c.Nodes, c.Pods, c.PDBs, c.Namespaces, c.PriorityClasses)
			var seed []byte
			for _, object := range objects {
				seed = append(append(seed, object...), '\n')
			}
			seeds = append(seeds, seed)
		}
	}
	return seeds
}
