package apitest

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// ignoringValue compares objects without the API objects from which they were converted.
var ignoringValue = cmp.Options{
	cmpopts.IgnoreFields(outrank.Pod{}, "Value"), cmpopts.IgnoreFields(outrank.Node{}, "Value"), cmpopts.EquateEmpty(),
}

// Diff compares a snapshot with one that is built anew from a cluster, by their contents and by their
// decisions. It is empty if the two are equal.
func Diff(fresh *outrank.Cluster, snap *engine.Snapshot) (string, error) {
	want, err := engine.NewSnapshot(fresh)
	if err != nil {
		return "", err
	}
	if diff := cmp.Diff(want.Cluster(), snap.Cluster(), ignoringValue); diff != "" {
		return "(-built anew +kept current):\n" + diff, nil
	}

	evaluator, err := engine.New(preemption.Config{})
	if err != nil {
		return "", err
	}

	// For a preemptor of lower priority, the nominations of other pods matter.
	for _, priority := range []int32{5, 1} {
		p := &outrank.Pod{Name: "preemptor", Priority: outrank.Priority(priority), Containers: []outrank.Container{
			{Name: "c", Requests: resource.MustList("cpu", "1500m")}}}

		now := time.Unix(1_700_000_100, 0)
		expected, err := evaluator.Preempt(context.Background(), want, preemption.Request{Pod: p, Now: now})
		if err != nil {
			return "", err
		}
		got, err := evaluator.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: now})
		if err != nil {
			return "", err
		}
		if diff := cmp.Diff(expected, got, ignoringValue); diff != "" {
			return "plans (-built anew +kept current):\n" + diff, nil
		}
	}
	return "", nil
}
