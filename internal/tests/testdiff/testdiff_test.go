package testdiff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

func TestDiff(t *testing.T) {
	assert.Empty(t, testdiff.Diff([]int{1}, []int{1}))
	assert.Contains(t, testdiff.Diff([]int{1}, []int{2}), "2")
	assert.NotEmpty(t, testdiff.Diff([]int(nil), []int{}))
	assert.Empty(t, testdiff.Diff([]int(nil), []int{}, cmpopts.EquateEmpty()))
}
