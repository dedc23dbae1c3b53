package outrank_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
)

// A part of a dump that holds nothing adds nothing: no object of an unknown
// kind, and no problem.
func TestDumpWithoutItems(t *testing.T) {
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"PodList","metadata":{},"items":null}`,
		`{"apiVersion":"v1","items":null,"kind":"NodeList"}`,
		`{"items":null}`,
	} {
		if diff := cmp.Diff(&outrank.Cluster{}, readList(t, text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ReadCluster(%s) (-want +got):\n%s", text, diff)
		}
		_, err := outrank.ReadPod(strings.NewReader(text))
		assert.ErrorContains(t, err, "holds 0 pods where one is wanted", text)
	}
}
