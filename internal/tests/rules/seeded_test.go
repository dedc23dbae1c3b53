package rules

import (
	"bytes"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

// Properties draw the same cases in every run, wherever there are any, so that a commit has
// one verdict.
func TestPropertiesAreSeeded(t *testing.T) {
	drawing, seeded := map[string]bool{}, map[string]bool{}
	each(t, "_test.go", func(file string, source []byte) {
		folder := path.Dir(file)
		drawing[folder] = drawing[folder] || bytes.Contains(source, []byte(`"pgregory.net/rapid"`))
		seeded[folder] = seeded[folder] || bytes.Contains(source, []byte("seeded.Run(m, "))
	})
	require.True(t, drawing["preemption/engine"])
	for folder := range drawing {
		if drawing[folder] && !seeded[folder] {
			t.Errorf("%s has properties, but no TestMain with seeded.Run", folder)
		}
	}
}
