package current

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

// groupGate is the feature gate for groups of pods.
const groupGate = "GenericWorkload"

// MeasureGroup measures a decision for a group of that many pods, on a cluster of the row plain of the matrix. It
// is an error if the two sides take different numbers of victims. Filters is the time of the reference until its
// plugins look for room. PostFilter is the time of the plugins, which also place the group and call for the
// evictions. MeasureGroup opens the feature gate for groups in the whole process.
func MeasureGroup(pods, nodes, budgets int) (*differential.Cell, error) {
	if err := utilfeature.DefaultMutableFeatureGate.Set(groupGate + "=true"); err != nil {
		return nil, err
	}

	cell := &differential.Cell{Row: fmt.Sprint("group-", pods), Nodes: nodes, Budgets: budgets}
	c, members, err := differential.GroupCase(pods, nodes, budgets)
	if err != nil {
		return nil, err
	}
	w := &timedGroup{cell: cell}
	watch := func(f framework.Framework) framework.Framework {
		w.Framework = f
		return w
	}
	if err := differential.TryGroup(c, members, watch, func() { w.began = differential.CPUTime() }); err != nil {
		return nil, err
	}
	if w.said == nil {
		return nil, errors.New("the group was not refused")
	}

	// The message of both names the number of victims.
	said, err := decideForGroup(cell, c, len(members))
	if err != nil {
		return nil, err
	}
	if want := w.said.Message(); want != said {
		return nil, fmt.Errorf("kube-scheduler says %q and outrank %q", want, said)
	}
	return cell, nil
}

// decideForGroup measures outrank's decision, and returns its message.
func decideForGroup(cell *differential.Cell, c *differential.Case, pods int) (string, error) {
	cluster, err := Convert(c)
	if err != nil {
		return "", err
	}
	if cluster.Release, err = outrank.V1_37.With(map[string]bool{groupGate: true}); err != nil {
		return "", err
	}
	snap, err := engine.NewSnapshot(cluster)
	if err != nil {
		return "", err
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		return "", err
	}

	// The members are equal to those of GroupCase. The preemptor, which is the first of them, is in the cluster.
	like := cluster.Pod(c.Preemptor.Namespace, c.Preemptor.Name)
	req := preemption.GroupRequest{Now: clustergen.Now()}
	for i := range pods {
		p := *like
		p.Name, p.UID = fmt.Sprint("member-", i), fmt.Sprint("uid-member-", i)
		req.Pods = append(req.Pods, &p)
	}

	// A decision about a group leaves the snapshot as it was, so that it can be repeated.
	const times = 5
	var plan *preemption.GroupPlan
	began := differential.CPUTime()
	for range times {
		if plan, err = eval.PreemptGroup(context.Background(), snap, req); err != nil {
			return "", err
		}
	}
	cell.New = (differential.CPUTime() - began) / times
	return strings.Join(plan.Status.Reasons, ", "), nil
}

// timedGroup is a framework that measures how long its PodGroupPostFilter plugins take.
type timedGroup struct {
	framework.Framework
	cell  *differential.Cell
	began time.Duration
	said  *fwk.Status
}

func (w *timedGroup) RunPodGroupPostFilterPlugins(ctx context.Context, state *framework.CycleState, group fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (result *fwk.PodGroupPostFilterResult, said *fwk.Status) {
	began := differential.CPUTime()
	w.cell.Filters = began - w.began
	result, w.said = w.Framework.RunPodGroupPostFilterPlugins(ctx, state, group, place)
	w.cell.PostFilter = differential.CPUTime() - began
	return result, w.said
}
