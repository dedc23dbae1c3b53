//go:build !kube136

package plugin

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/preemption"
)

// tellGroup explains the decision about a group in one line of the log. If pods have to leave and the arguments
// ask for events, it also posts one on the group.
func (p *Plugin) tellGroup(ctx context.Context, group fwk.PodGroupInfo, d Decision) {
	log := klog.FromContext(ctx)
	if d.Err != nil {
		log.Error(d.Err, "No decision about preemption", "group", klog.KRef(group.GetNamespace(), group.GetName()))
		return
	}

	plan := d.Group
	line := []any{"group", plan.Group, "pods", len(group.GetUnscheduledPods()), "outcome", string(plan.Outcome), "says", groupSays(plan)}
	if plan.Outcome == preemption.Preempts {
		line = append(line, "placement", placement(plan), "victims", names(podsOf(plan.Victims)), "violations", violations(plan))
	}
	if d.HandedOver != "" {
		line = append(line, "handedOver", d.HandedOver)
	}
	log.V(level(plan.Outcome)).Info("Preemption by a group", append(line, "followed", d.Followed, "decided", d.Decided)...)

	if plan.Outcome != preemption.Preempts {
		return
	}
	var about runtime.Object = group.GetPodGroup()
	if tree := group.GetCompositePodGroup(); tree != nil {
		about = tree
	}
	p.plannedEvent(about, groupNote(plan))
}

// groupNote returns the text of the event about a group.
func groupNote(plan *preemption.GroupPlan) string {
	victims := names(podsOf(plan.Victims))
	text := fmt.Sprintf("%d pods have room without %d of lower priority", len(plan.Placement), len(victims))
	if n := violations(plan); n > 0 {
		text += fmt.Sprintf(", %d against a disruption budget", n)
	}
	return cut(text + ": " + strings.Join(victims, ", "))
}

// violations counts the victims that violate a budget.
func violations(plan *preemption.GroupPlan) (n int) {
	for i := range plan.Victims {
		if len(plan.Victims[i].Violated) > 0 {
			n++
		}
	}
	return n
}

func placement(plan *preemption.GroupPlan) []string {
	list := make([]string, len(plan.Placement))
	for i, at := range plan.Placement {
		list[i] = at.String()
	}
	return list
}
