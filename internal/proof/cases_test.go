package proof_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/proof"
)

var (
	update = flag.Bool("update", false, "draw the cases anew, and keep the answers of the model")
	every  = flag.Bool("all", false, "carry the model out for all kept cases")
)

// How many cases of each kind are kept, and the seed that they are drawn from.
const (
	keptCases      = 3000
	keptAdmissions = 2000
	seed           = 1
)

// kept is a question with the answer of the model.
type kept[Q, A any] struct {
	Question Q
	Answer   A
}

// The files of the kept cases.
const (
	casesFile      = "cases.jsonl.gz"
	admissionsFile = "admissions.jsonl.gz"
)

// model returns the model as it is proven.
func model(t *testing.T) *proof.Model {
	t.Helper()
	files, err := proof.Files()
	require.NoError(t, err)
	m, err := proof.NewModel(files...)
	require.NoError(t, err)
	return m
}

// The kept cases are read once: no test changes them.
var (
	casesOnce = sync.OnceValues(func() ([]kept[proof.Case, proof.Decision], error) {
		return readKept[proof.Case, proof.Decision](casesFile)
	})
	admissionsOnce = sync.OnceValues(func() ([]kept[proof.Admission, proof.Admitted], error) {
		return readKept[proof.Admission, proof.Admitted](admissionsFile)
	})
)

// readCases returns the kept decisions.
func readCases(t *testing.T) []kept[proof.Case, proof.Decision] {
	t.Helper()
	cases, err := casesOnce()
	require.NoError(t, err)
	return cases
}

// readAdmissions returns the kept admissions.
func readAdmissions(t *testing.T) []kept[proof.Admission, proof.Admitted] {
	t.Helper()
	admissions, err := admissionsOnce()
	require.NoError(t, err)
	return admissions
}

// readKept reads the kept cases of a file.
func readKept[Q, A any](name string) (list []kept[Q, A], err error) {
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}

	lines := json.NewDecoder(unzipped)
	for {
		var one kept[Q, A]
		err := lines.Decode(&one)
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
}

// writeKept draws cases, asks the model, and keeps what it answers. The bytes are the same each time.
func writeKept[Q, A any](t *testing.T, name string, cases int, draw func(seed, i uint64) Q, ask func(Q) (A, error)) {
	t.Helper()
	f, err := os.Create(filepath.Join("testdata", name))
	require.NoError(t, err)
	zipped, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	require.NoError(t, err)

	lines := json.NewEncoder(zipped)
	for i := range uint64(cases) {
		q := draw(seed, i)
		a, err := ask(q)
		require.NoError(t, err, "case %d", i)
		require.NoError(t, lines.Encode(kept[Q, A]{q, a}))
	}
	require.NoError(t, zipped.Close())
	require.NoError(t, f.Close())
}

// part returns how many cases are left out between two for which the model is carried out.
func part() int {
	if *every {
		return 1
	}
	return 20
}

// agree fails with the first case whose answer is another one than the kept one.
func agree[Q, A any](t *testing.T, who string, list []kept[Q, A], step int, answer func(t *testing.T, q Q) A) {
	t.Helper()
	for i := 0; i < len(list); i += step {
		want, got := list[i].Answer, answer(t, list[i].Question)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			question, err := json.Marshal(list[i].Question)
			require.NoError(t, err)
			t.Fatalf("case %d: %s does not decide as the model did (-):\n%s\nthe case: %s", i, who, diff, question)
		}
	}
}
