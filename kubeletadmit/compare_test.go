package kubeletadmit_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Who is spared and who goes instead is the difference of the two answers, and everything
// else about them is the same.
func TestPropertyDifferencesAreTheDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, active, failures := somePreemptor(t), somePods(t, somePod, 12), someFailures(t)
		a := optioned(t)
		a.Exact = rapid.Bool().Draw(t, "exact")
		chosen, err := a.Resolve(pod, active, failures)
		require.NoError(t, err)
		faithful, err := kubeletadmit.Admitter{Release: a.Release}.Resolve(pod, active, failures)
		require.NoError(t, err)
		d := kubeletadmit.DifferenceOf(faithful, chosen)
		require.Equal(t, faithful, d.Faithful)
		goes := podsOf(faithful.Evictions)
		for _, p := range d.Spared {
			i := slices.Index(goes, p)
			require.GreaterOrEqual(t, i, 0)
			goes = slices.Delete(goes, i, i+1)
		}
		require.ElementsMatch(t, append(goes, d.Instead...), podsOf(d.Chosen.Evictions))
		require.Equal(t, faithful.Outcome, d.Chosen.Outcome)
		require.Equal(t, faithful.Returned, d.Chosen.Returned)
		require.Equal(t, faithful.Err, d.Chosen.Err)
		if a.Faithful() == a {
			require.True(t, d.Same())
		}
	})
}

// Options that make no sense are refused, and none of them changes who may be evicted.
func TestOptionsAreChecked(t *testing.T) {
	bad := kubeletadmit.Admitter{Exact: true, MostSteps: -1}
	node, active, pod := cornered()
	_, err := bad.Admit(node, active, pod)
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "admitter: MostSteps: -1 is negative")
	_, err = bad.Compare(node, active, pod)
	assert.ErrorIs(t, err, outrank.ErrInvalid)
}
