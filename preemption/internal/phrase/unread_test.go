package phrase_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// A pod with claims for devices is told that no filter reads them, unless one of the caller's does (rule 7.14.7).
func TestUnread(t *testing.T) {
	none, other, devices := []string{}, []string{"mine"}, []string{"mine", "DynamicResources"}
	claims := &outrank.Pod{Name: "p", ResourceClaims: []string{"gpu", "nic"}}
	assert.Empty(t, phrase.Unread(nil, slices.Values(none)))
	assert.Empty(t, phrase.Unread(&outrank.Pod{Name: "p"}, slices.Values(none)))
	assert.Empty(t, phrase.Unread(claims, slices.Values(devices)))
	for _, filters := range [][]string{none, other} {
		problems := phrase.Unread(claims, slices.Values(filters))
		if assert.Len(t, problems, 1, "%q", filters) {
			assert.Equal(t, "pod default/p", problems[0].Object)
			assert.Equal(t, "spec.resourceClaims", problems[0].Field)
			assert.Contains(t, problems[0].Text, "(gpu, nic)")
		}
	}
}
