package quotas_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/resource"
)

// A copy of books stays as it is, whatever is written into the other, and so do the quotas that
// they began with. Quotas of other namespaces do not count.
func TestBooks(t *testing.T) {
	two := &quota.Quota{Namespace: "b", Name: "two", Hard: resource.MustList("pods", "2"), Used: resource.MustList("pods", "0")}
	none := &quota.Quota{Namespace: "a", Name: "none", Hard: resource.MustList("pods", "0"), Used: resource.MustList("pods", "0")}
	l := quotas.Limits{Quotas: []*quota.Quota{two, none}}
	books := l.Books(outrank.DefaultRelease)
	pod := &outrank.Pod{Namespace: "b", Name: "p", Owner: outrank.Owner{Kind: "Job", Name: "j"}}
	admit := func(b *quotas.Books) bool {
		f, err := b.Admit(quota.Pod{Pod: pod})
		require.NoError(t, err)
		return f == nil
	}
	assert.True(t, admit(&books))
	other := books
	assert.True(t, admit(&other))
	assert.False(t, admit(&other))
	assert.True(t, admit(&books))
	other.GiveBack(pod)
	assert.True(t, admit(&other))
	assert.False(t, admit(&books))
	assert.Equal(t, resource.MustList("pods", "0"), two.Used)
	assert.True(t, books.Has(none))

	f, err := l.Admit(pod, 5, outrank.DefaultRelease)
	require.NoError(t, err)
	assert.Equal(t, 3, f.Pods)
	list := quotas.Add(quotas.Add(nil, *f), *f)
	assert.Equal(t, "6 pods of Job/j are not created: pods \"p\" is forbidden: exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2", list[0].String())
	again := quotas.Add(list, *f)
	assert.Equal(t, []int{6, 9}, []int{list[0].Pods, again[0].Pods})
	f.Recreated, f.Pods = true, 1
	assert.Contains(t, quotas.Add(list, *f)[1].String(), "1 pod of Job/j is not recreated: ")
}
