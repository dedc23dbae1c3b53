package plugin_test

import (
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	ktesting "k8s.io/client-go/testing"
)

// preempted waits for the events about so many victims, after which nothing more is written
// about them.
func (c *cluster) preempted(n int) {
	c.eventually("victims told", func() bool {
		told := 0
		for _, e := range c.recorder.about("") {
			if strings.Contains(e, " Normal Preempted ") {
				told++
			}
		}
		return told >= n
	})
}

// tried waits until attempts to place a pod have come to nothing so often, and
// the last message is written.
func (c *cluster) tried(name string, times int) {
	begin := name + " Warning FailedScheduling Scheduling: "
	c.eventually(name+" tried", func() bool {
		told, conditions := c.recorder.about(begin), c.pod(name).Status.Conditions
		return len(told) >= times && len(conditions) > 0 && begin+conditions[0].Message == told[len(told)-1]
	})
}

// nominated waits until a pod is nominated to a node, or to none.
func (c *cluster) nominated(name, node string) {
	c.eventually(name+" nominated", func() bool { return c.pod(name).Status.NominatedNodeName == node })
}

// grows gives a node other CPUs, so that pods which did not find any are tried again.
func (c *cluster) grows(name, cpu string) {
	_, err := c.api.CoreV1().Nodes().Update(c.t.Context(), node(name, cpu), metav1.UpdateOptions{})
	assert.NoError(c.t, err)
}

// leaving has a condition that says why it is to leave.
func leaving(pod *v1.Pod, reason, message string, generation int64) *v1.Pod {
	pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: reason, Message: message,
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(start),
	})
	return pod
}

// inMemory makes the API refuse a pod's nomination, so that only the scheduler
// knows it.
func inMemory(name string) func(*cluster) {
	return func(c *cluster) {
		c.api.PrependReactor("patch", "pods", func(action ktesting.Action) (bool, apiruntime.Object, error) {
			a := action.(ktesting.PatchAction)
			if a.GetName() == name && strings.Contains(string(a.GetPatch()), `"nominatedNodeName":"`) {
				return true, nil, apierrors.NewForbidden(v1.Resource("pods"), name, nil)
			}
			return false, nil, nil
		})
	}
}

// failsOnce makes the first deletion fail, once the scheduler knows the victim's condition.
func failsOnce(c *cluster) {
	failed := false
	c.api.PrependReactor("delete", "pods", func(action ktesting.Action) (bool, apiruntime.Object, error) {
		if failed {
			return false, nil, nil
		}
		failed = true
		assert.Eventually(c.t, func() bool {
			pod, err := c.informers.Core().V1().Pods().Lister().Pods("default").Get(action.(ktesting.DeleteAction).GetName())
			return err == nil && len(pod.Status.Conditions) > 0
		}, 20*time.Second, time.Millisecond)
		return true, nil, apierrors.NewServiceUnavailable("not now")
	})
}

// conflictsTwice lets the condition of a victim be written at the third try.
func conflictsTwice(c *cluster) {
	left := 2
	c.api.PrependReactor("patch", "pods", func(action ktesting.Action) (bool, apiruntime.Object, error) {
		if left == 0 || action.(ktesting.PatchAction).GetName() != "low" {
			return false, nil, nil
		}
		left--
		return true, nil, apierrors.NewConflict(v1.Resource("pods"), "low", nil)
	})
}

const byScheduler = "default-scheduler: preempting to accommodate a higher priority pod"

func situations() []situation {
	already := pending("high", 10, "3")
	already.Status.NominatedNodeName = "n1"
	return []situation{
		{
			name:    "several victims",
			objects: []apiruntime.Object{node("n1", "4"), running("a", 1, "1", "n1", 0), running("b", 1, "1", "n1", 1), running("c", 2, "1", "n1", 2), running("d", 3, "1", "n1", 3)},
			happens: func(c *cluster) { c.create(pending("high", 10, "3")); c.tried("high", 1); c.preempted(3) },
		},
		{
			name:    "a lower nomination to clear",
			objects: []apiruntime.Object{node("n1", "4"), running("low", 1, "3", "n1", 0), running("low2", 1, "1", "n1", 3)},
			happens: func(c *cluster) {
				c.create(pending("mid", 5, "3"))
				c.nominated("mid", "n1")
				c.preempted(1)
				c.create(pending("high", 10, "4"))
				c.nominated("high", "n1")
				c.preempted(2)
				c.nominated("mid", "")
				c.tried("high", 1)
			},
		},
		{
			name: "a lower nomination that only the scheduler knows", prepare: inMemory("mid"),
			objects: []apiruntime.Object{node("n1", "4"), running("low", 1, "3", "n1", 0), running("low2", 1, "1", "n1", 3)},
			happens: func(c *cluster) {
				c.create(pending("mid", 5, "3"))
				c.preempted(1)
				c.create(pending("high", 10, "4"))
				c.nominated("high", "n1")
				c.preempted(2)
			},
		},
		{
			name:    "attempts in vain, again and again",
			objects: []apiruntime.Object{node("n1", "4"), running("top", 100, "3", "n1", 0)},
			happens: func(c *cluster) {
				c.create(pending("high", 10, "3"))
				for i, cpu := range []string{"4100m", "4200m", "4300m"} {
					c.tried("high", i+1)
					c.grows("n1", cpu)
				}
				c.tried("high", 4)
			},
		},
		{
			name:    "nominated already, and victims leave",
			objects: []apiruntime.Object{node("n1", "4"), running("low", 1, "3", "n1", 0)},
			happens: func(c *cluster) {
				c.create(pending("high", 10, "3"))
				c.nominated("high", "n1")
				c.preempted(1)
				for i, cpu := range []string{"4100m", "4200m"} {
					c.tried("high", i+1)
					c.grows("n1", cpu)
				}
				c.tried("high", 3)
			},
		},
		{
			name:    "nominated already by somebody else",
			objects: []apiruntime.Object{node("n1", "4"), running("low", 1, "3", "n1", 0)},
			happens: func(c *cluster) { c.create(already.DeepCopy()); c.tried("high", 1); c.preempted(1) },
		},
		{
			name:    "nothing helps one who is nominated",
			objects: []apiruntime.Object{node("n1", "4"), running("top", 100, "3", "n1", 0)},
			happens: func(c *cluster) { c.create(already.DeepCopy()); c.tried("high", 1); c.nominated("high", "") },
		},
		{
			name:    "a victim that has the condition",
			objects: []apiruntime.Object{node("n1", "4"), leaving(running("low", 1, "3", "n1", 0), v1.PodReasonPreemptionByScheduler, byScheduler, 1)},
			happens: func(c *cluster) { c.create(pending("high", 10, "3")); c.tried("high", 1); c.preempted(1) },
		},
		{
			name:    "a victim that had the condition an update ago",
			objects: []apiruntime.Object{node("n1", "4"), leaving(running("low", 1, "3", "n1", 0), v1.PodReasonPreemptionByScheduler, byScheduler, 0)},
			happens: func(c *cluster) { c.create(pending("high", 10, "3")); c.tried("high", 1); c.preempted(1) },
		},
		{
			name:    "a victim that leaves for another reason",
			objects: []apiruntime.Object{node("n1", "4"), leaving(running("low", 1, "3", "n1", 0), "EvictionByEvictionAPI", "Eviction API: evicting", 1)},
			happens: func(c *cluster) { c.create(pending("high", 10, "3")); c.tried("high", 1); c.preempted(1) },
		},
		{
			name:    "a deletion that fails once",
			objects: []apiruntime.Object{node("n1", "4"), running("low", 1, "3", "n1", 0)},
			prepare: failsOnce,
			happens: func(c *cluster) { c.create(pending("high", 10, "3")); c.tried("high", 2); c.preempted(1) },
		},
		{
			name:    "a condition that cannot be written at first",
			objects: []apiruntime.Object{node("n1", "4"), running("low", 1, "3", "n1", 0)},
			prepare: conflictsTwice,
			happens: func(c *cluster) { c.create(pending("high", 10, "3")); c.tried("high", 1); c.preempted(1) },
		},
		{
			name:    "two that need the same victim away",
			objects: []apiruntime.Object{node("n1", "8"), running("low", 1, "6", "n1", 0)},
			happens: func(c *cluster) {
				c.create(pending("one", 10, "4"))
				c.nominated("one", "n1")
				c.preempted(1)
				c.create(pending("two", 10, "4"))
				c.nominated("two", "n1")
			},
		},
	}
}
