package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// What is said to a group about an attempt that fails is what DefaultPreemption says, to the letter, and
// so is the code.
func TestGroupTexts(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	for name, test := range map[string]struct {
		never  bool
		before func(fwk.MutableSnapshotSharedLister) error
		place  func(fwk.MutableSnapshotSharedLister) *fwk.Status
	}{
		"placing fails": {place: func(fwk.MutableSnapshotSharedLister) *fwk.Status { return fwk.AsStatus(errors.New("it broke")) }},
		"there is no place": {place: func(fwk.MutableSnapshotSharedLister) *fwk.Status {
			return fwk.NewStatus(fwk.Unschedulable, "no", "never")
		}},
		"there is never one": {place: func(fwk.MutableSnapshotSharedLister) *fwk.Status {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "never")
		}},
		"may not preempt":    {never: true},
		"changes have begun": {before: fwk.MutableSnapshotSharedLister.StartMutations},
		"changes have ended": {place: func(s fwk.MutableSnapshotSharedLister) *fwk.Status {
			if err := s.EndMutations(); err != nil {
				return fwk.AsStatus(err)
			}
			return fwk.NewStatus(fwk.Unschedulable, "no")
		}},
		"changes have ended, and placing fails": {place: func(s fwk.MutableSnapshotSharedLister) *fwk.Status {
			return fwk.AsStatus(errors.Join(errors.New("it broke"), s.EndMutations()))
		}},
	} {
		for _, handedOver := range []bool{false, true} {
			t.Run(fmt.Sprint(name, handedOver), func(t *testing.T) {
				c := newCluster(t, gang("train", 10, 1), node("n1", "4"), running("low", 1, "3", "n1", 0))
				if handedOver {
					c.with(func(*v1.Pod, fwk.NodeInfo) *fwk.Status { return nil })
				}
				c.run()
				c.create(pending("first", 100, "1")) // the scheduler has a snapshot then
				c.isOn("first", "n1")
				profile := c.scheduler.Profiles["default-scheduler"]
				snapshot := profile.MutableSnapshotSharedLister()
				stock, err := defaultpreemption.New(t.Context(), &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100}, profile, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
				require.NoError(t, err)

				member := in("train", pending("t1", 10, "3"))
				if test.never {
					member.Spec.PreemptionPolicy = new(v1.PreemptNever)
				}
				group := &framework.PodGroupInfo{Name: "train", Namespace: "default", Type: fwk.PodGroupKeyType, UnscheduledPods: []*v1.Pod{member}, PodGroup: gang("train", 10, 1)}
				ask := func(p fwk.PodGroupPostFilterPlugin) (fwk.Code, string) {
					if test.before != nil {
						require.NoError(t, test.before(snapshot))
					}
					_, said := p.PodGroupPostFilter(t.Context(), framework.NewCycleState(), group, func(context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
						return nil, test.place(snapshot)
					})
					_ = snapshot.EndMutations() // where it is still to be ended
					return said.Code(), said.Message()
				}
				wantCode, want := ask(stock)
				code, text := ask(c.plugin)
				require.Equal(t, want, text)
				require.Equal(t, wantCode, code)
				require.NotEmpty(t, want)
				require.Equal(t, handedOver, c.handedOver()["podgroup filters"] == 1)
			})
		}
	}
}
