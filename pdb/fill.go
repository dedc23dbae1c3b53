package pdb

import (
	"errors"
	"time"

	"github.com/outrank-go/outrank"
)

// FillInput is the input of the statuses of all budgets of a cluster. It is only read.
type FillInput struct {
	// Cluster has the budgets and the pods; it may not be nil.
	Cluster *outrank.Cluster
	// Now, Scale and Controller are those of StatusInput, for every budget. Scale and Controller may be
	// called several times for one owner, once for each budget that covers its pods.
	Now        time.Time
	Scale      func(controller outrank.Owner, namespace string) (scale int32, ok bool)
	Controller func(owner outrank.Owner, namespace string) outrank.Owner
}

// Fill returns the budgets of a cluster with the statuses that a disruption controller would give them, in the
// same order: the figures of [StatusOf]. It is for clusters that are written by hand and for simulators, whose
// budgets have a spec alone and so allow nothing:
//
//	cluster.Budgets, err = pdb.Fill(pdb.FillInput{Cluster: cluster, Now: now})
//
// A status that a budget has is computed anew, too, but for its DisruptedPods, which count by [StatusInput] and
// stay as they are. Each budget is a copy that shares its selector and its maps with the old one. A nil budget
// stays nil. ObservedGeneration becomes 1 where it was 0, so that a status of nothing but zeros is known for one.
//
// The error lists everything that is wrong with any of the specs, and is as StatusOf's. Time is linear in the
// pods, and in the budgets that cover each of them.
func Fill(in FillInput) ([]*outrank.PodDisruptionBudget, error) {
	if in.Cluster == nil {
		return nil, refuse([]outrank.Problem{{Object: "cluster", Text: "is nil"}})
	}

	covered := coveredBy(in.Cluster)
	filled := make([]*outrank.PodDisruptionBudget, len(in.Cluster.Budgets))
	var wrong []outrank.Problem
	for i, b := range in.Cluster.Budgets {
		if b == nil {
			continue
		}

		status, err := StatusOf(StatusInput{Budget: b, Pods: covered[i], Now: in.Now, Scale: in.Scale, Controller: in.Controller})
		var invalid *outrank.InputError
		if errors.As(err, &invalid) {
			wrong = append(wrong, invalid.Problems...)
			continue
		}
		filled[i] = withStatus(b, status)
	}

	if len(wrong) > 0 {
		return nil, refuse(wrong)
	}
	return filled, nil
}

// coveredBy lists the pods that each budget of the cluster covers, in the order of the cluster. Pods are looked
// up by their labels, so that a budget costs nothing for pods that it does not cover.
func coveredBy(c *outrank.Cluster) [][]*outrank.Pod {
	finder := New(c.Budgets).Finder()
	covered := make([][]*outrank.Pod, len(c.Budgets))
	for _, p := range c.Pods {
		for _, i := range finder.Covering(p) { // none covers a nil pod
			covered[i] = append(covered[i], p)
		}
	}
	return covered
}

// withStatus returns a copy of the budget with this status.
func withStatus(b *outrank.PodDisruptionBudget, s BudgetStatus) *outrank.PodDisruptionBudget {
	out := *b
	out.DisruptionsAllowed, out.CurrentHealthy, out.DesiredHealthy = s.Allowed, s.Healthy, s.Desired
	if out.ObservedGeneration == 0 {
		out.ObservedGeneration = 1
	}
	return &out
}
