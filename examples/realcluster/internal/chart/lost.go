package chart

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
)

// Account counts the fates of the pods that were created, and of the pods that had to leave for them.
type Account struct {
	Created, Bound, Pending int
	// Victims counts the pods that were evicted for one of the created pods, according to events.
	Victims int
	// Lost lists what must not happen: created pods that are gone or wait without a reason, and victims whose
	// preemptor does not run.
	Lost []string
}

// fates determines the fates of the created pods from the pods in the cluster now and from the events about
// evictions.
func fates(created []*corev1.Pod, now []*corev1.Pod, evictions []corev1.Event) Account {
	a := Account{Created: len(created)}
	current := map[types.UID]*corev1.Pod{}
	for _, p := range now {
		current[p.UID] = p
	}

	runs := map[types.UID]bool{}
	for _, p := range created {
		is := current[p.UID]
		switch {
		case is == nil || is.DeletionTimestamp != nil:
			a.Lost = append(a.Lost, p.Name+" is gone")
		case is.Spec.NodeName != "":
			runs[p.UID] = true
			a.Bound++
		default:
			a.Pending++
			c := observe.Condition(is, corev1.PodScheduled)
			if c == nil || c.Status != corev1.ConditionFalse || c.Message == "" {
				a.Lost = append(a.Lost, p.Name+" waits without a reason")
			}
		}
	}

	// The event about a victim names the preemptor by its UID.
	victims := map[types.UID]bool{}
	for _, e := range evictions {
		for _, p := range created {
			if !strings.Contains(e.Message, string(p.UID)) {
				continue
			}
			victims[e.InvolvedObject.UID] = true
			if !runs[p.UID] {
				a.Lost = append(a.Lost, fmt.Sprintf("%s/%s had to leave for %s, which does not run", e.InvolvedObject.Namespace, e.InvolvedObject.Name, p.Name))
			}
		}
	}

	a.Victims = len(victims)
	slices.Sort(a.Lost)
	return a
}
