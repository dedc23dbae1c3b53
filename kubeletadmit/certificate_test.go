package kubeletadmit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// dense is a node that a critical pod asks for more than half of, in four resources, with the
// 110 pods on it.
func dense(seed uint64) (node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod) {
	r := rand.New(rand.NewPCG(7, seed))
	names := [4]string{"cpu", "memory", "example.com/a", "example.com/b"}
	var sums [4]int64
	for i := range 110 {
		var asks []string
		for k, name := range names {
			v := r.Int64N(1000) + 1
			sums[k] += v
			asks = append(asks, name, fmt.Sprint(v))
		}
		c := outrank.Container{Requests: resource.MustList(asks...)}
		p := &outrank.Pod{Name: fmt.Sprintf("p%d", i), Priority: outrank.Priority(r.Int32N(3))}
		if r.IntN(2) == 0 {
			c.Limits = c.Requests
		}
		p.Containers = []outrank.Container{c}
		active = append(active, p)
	}
	has, wants := []string{"pods", "200"}, []string(nil)
	for k, name := range names {
		has = append(has, name, fmt.Sprint(sums[k]))
		wants = append(wants, name, fmt.Sprint(sums[k]*(50+r.Int64N(30))/100))
	}
	pod = newCritical(nil)
	pod.Containers = []outrank.Container{{Requests: resource.MustList(wants...)}}
	return &outrank.Node{Name: "n", Allocatable: resource.MustList(has...)}, active, pod
}

// With four resources, of which none decides alone, a search that ends early knows of the first
// tier what its linear relaxation does, whose values were computed with a hundred times the turns.
func TestCertificateWithFourResources(t *testing.T) {
	for seed, least := range []int{15, 17, 24, 10, 13, 19, 16, 19, 25, 17}[:seeded.Sample(3, 10)] {
		node, active, pod := dense(uint64(seed))
		adm, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{Exact: true})
		require.NoError(t, err)
		first := adm.Search.Tiers[0]
		require.Equal(t, outrank.Guaranteed, first.Class)
		require.Equal(t, least, first.AtLeast, "seed %d", seed)
		require.LessOrEqual(t, first.Chosen, least+4)
	}
}

// asked is a context that ends after it was asked for its error so many times.
type asked struct {
	context.Context
	left, times int
}

func (c *asked) Err() error {
	if c.times++; c.times > c.left {
		return context.Canceled
	}
	return nil
}

// A search ends soon after its context, with a valid answer that says so.
func TestSearchEndsWithItsContext(t *testing.T) {
	node, active, pod := dense(0)
	config := kubeletadmit.Config{Exact: true, Limit: 1 << 30}
	failures, err := kubeletadmit.Check(node, active, pod, config)
	require.NoError(t, err)
	for left := range 20 {
		ctx := &asked{Context: context.Background(), left: left}
		adm, err := kubeletadmit.AdmitContext(ctx, node, active, pod, config)
		require.NoError(t, err)
		require.Equal(t, left+1, ctx.times)
		require.LessOrEqual(t, adm.Search.Steps, (left+1)*2048)
		require.False(t, adm.Search.Optimal)
		require.True(t, cover(podsOf(adm.Evictions), failures))
	}
}

// A context that has ended is no error where nothing is searched for, and one that is nil always is.
func TestOnlySearchesLookAtTheContext(t *testing.T) {
	node, active, pod := dense(0)
	want, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
	require.NoError(t, err)
	ctx := &asked{Context: context.Background()}
	got, err := kubeletadmit.AdmitContext(ctx, node, active, pod, kubeletadmit.Config{})
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Zero(t, ctx.times)

	var none context.Context
	_, err = kubeletadmit.AdmitContext(none, node, active, pod, kubeletadmit.Config{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, "context: is nil")
}
