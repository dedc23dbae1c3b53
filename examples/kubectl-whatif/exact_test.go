package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The greedy reprieve puts the oldest pod back first, the large one, and takes the four
// others, where that one is enough.
func TestExact(t *testing.T) {
	var pods []string
	for i, cpu := range []string{"4", "1", "1", "1", "1"} {
		pods = append(pods, fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p%d","namespace":"default"},"status":{"startTime":"2026-01-0%dT00:00:00Z"},
			"spec":{"nodeName":"n1","priority":1,"containers":[{"name":"c","resources":{"requests":{"cpu":"%s"}}}]}}`, i, i+1, cpu))
	}
	dump := `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"8","memory":"9Gi","pods":"9"}}},` +
		strings.Join(pods, ",") + `]}`
	status, out, errs := whatif(dump, "--cluster", "-", "--cpu", "4", "--priority", "10", "--exact")
	require.Zero(t, status, errs)
	assert.Contains(t, out, "victims                        4                    1\n")
	assert.Contains(t, out, "The best is better by lower sum of victim priorities. It takes default/p0.")
	assert.Contains(t, out, "How sure that is: optimal")
	status, out, errs = whatif(dump, "--cluster", "-", "--cpu", "4", "--priority", "10", "--exact", "-o", "json")
	require.Zero(t, status, errs)
	assert.Contains(t, out, `"by": "priority-sum"`)
	status, _, errs = whatif(dump, "--cluster", "-", "--cpu", "4", "--exact", "-o", "html")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "--exact is told in text, json and yaml")
	status, _, errs = whatif(dump, "--cluster", "-", "--cpu", "4", "--exact", "--replicas", "2")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "--exact compares")
}
