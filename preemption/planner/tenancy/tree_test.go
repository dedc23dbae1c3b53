package tenancy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// Every question goes up a chain of cohorts, so that one of more than 1,000 is an error (rule 24.1.7).
func TestDeepTrees(t *testing.T) {
	chain := func(cohorts int) tenancy.Config {
		c := tenancy.Config{Queues: []tenancy.Queue{{Name: "q", Cohort: "c1"}}}
		for i := 1; i < cohorts; i++ {
			c.Cohorts = append(c.Cohorts, tenancy.Cohort{Name: fmt.Sprint("c", i), Parent: fmt.Sprint("c", i+1)})
		}
		return c
	}
	_, err := tenancy.NewTree(chain(1000))
	require.NoError(t, err)
	for _, cohorts := range []int{1001, seeded.Sample(5_000, 100_000)} {
		_, err = tenancy.NewTree(chain(cohorts))
		assert.ErrorContains(t, err, "more than 1000 cohorts lie one in another")
	}
}

// Each queue has an amount of every resource that any of them names (rule 24.1.7).
func TestManyAmounts(t *testing.T) {
	square := func(n int) (c tenancy.Config) {
		for i := range n {
			c.Queues = append(c.Queues, tenancy.Queue{Name: fmt.Sprint("q", i), Quota: tenancy.Quota{Nominal: resource.MustList(fmt.Sprint("example.com/r", i), "1")}})
		}
		return c
	}
	_, err := tenancy.NewTree(square(1 << 11))
	require.NoError(t, err)
	_, err = tenancy.NewTree(square(1<<11 + 1))
	assert.ErrorContains(t, err, "there can be 4194304 amounts")
}
