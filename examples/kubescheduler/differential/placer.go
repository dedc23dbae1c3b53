package differential

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// placer is a scheduler that gives pods places, with their scores.
type placer struct {
	framework.Framework
	sched *scheduler.Scheduler
	in    *stillInformers
	// next is the scheduler's field with the function that takes pods from its queue.
	next reflect.Value

	// host and failed are the result of the last attempt.
	host   string
	failed error
	// scores are the scores of the last attempt; nil if it needed none.
	scores []fwk.NodePluginScores
}

// RunScorePlugins records the scores.
func (p *placer) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := p.Framework.RunScorePlugins(ctx, state, pod, nodes)
	p.scores = slices.Clone(scores)
	return scores, status
}

// RunPostFilterPlugins asks for no way out.
func (p *placer) RunPostFilterPlugins(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// newPlacer makes a scheduler with the objects of a case.
func newPlacer(ctx context.Context, c *ScoreCase) (*placer, error) {
	read, _, err := scheme.Codecs.UniversalDecoder().Decode(c.File, nil, nil)
	if err != nil {
		return nil, err
	}
	client := &fake.Clientset{}
	client.AddReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, &corev1.Pod{}, nil })

	p := &placer{in: newInformers(client)}
	p.sched, err = scheduler.New(ctx, client, p.in, nil, func(string) events.EventRecorderLogger { return silent{} },
		scheduler.WithProfiles(read.(*config.KubeSchedulerConfiguration).Profiles...), scheduler.WithParallelism(1))
	if err != nil {
		return nil, err
	}

	// The placer binds by itself: an attempt always ends with an error, which nobody handles.
	p.Framework = p.sched.Profiles[corev1.DefaultSchedulerName]
	p.sched.Profiles[corev1.DefaultSchedulerName] = p
	p.sched.FailureHandler = func(context.Context, framework.Framework, *framework.QueuedPodInfo, *fwk.Status, *fwk.NominatingInfo, time.Time) {
	}
	schedule := p.sched.SchedulePod
	p.sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		result, err := schedule(ctx, f, state, pod)
		if p.host, p.failed = result.SuggestedHost, err; err == nil {
			err = errFits
		}
		return result, err
	}

	// The field has another name in each version.
	if p.next = reflect.ValueOf(p.sched).Elem().FieldByName("NextEntity"); !p.next.IsValid() {
		p.next = reflect.ValueOf(p.sched).Elem().FieldByName("NextPod")
	}
	return p, p.fill(c)
}

// fill passes the objects of a case on.
func (p *placer) fill(c *ScoreCase) error {
	// The default spread constraints look services and controllers up when a pod is tried. Nobody hears of them as
	// events, so that it is enough to put them into the indexers.
	core, apps := p.in.Core().V1(), p.in.Apps().V1()
	for _, o := range c.Services {
		if err := core.Services().Informer().GetIndexer().Add(o); err != nil {
			return err
		}
	}
	for _, o := range c.Controllers {
		if err := core.ReplicationControllers().Informer().GetIndexer().Add(o); err != nil {
			return err
		}
	}
	for _, o := range c.ReplicaSets {
		if err := apps.ReplicaSets().Informer().GetIndexer().Add(o); err != nil {
			return err
		}
	}
	for _, o := range c.StatefulSets {
		if err := apps.StatefulSets().Informer().GetIndexer().Add(o); err != nil {
			return err
		}
	}

	// The pods come last: they name the other objects.
	if err := p.in.fill(c.Case); err != nil {
		return err
	}
	return addAll(p.in.pods, c.Pods)
}

// place lets the scheduler try a pod before every other pod in its queue, see reference.takeUp.
func (p *placer) place(ctx context.Context, pod *corev1.Pod) error {
	p.host, p.failed = "", nil
	p.scores = nil
	next := reflect.ValueOf(p.next.Interface())
	defer p.next.Set(next)

	// With the highest priority the pod is first in the queue. The informer then has it as it is.
	first, highest := pod.DeepCopy(), int32(math.MaxInt32)
	first.Spec.Priority = &highest
	if err := p.in.pods.add(first); err != nil {
		return err
	}
	if err := p.in.pods.indexer.Update(pod); err != nil {
		return err
	}

	// ScheduleOne is given the pod that was popped, with its own priority.
	popped := next.Call([]reflect.Value{reflect.ValueOf(klog.Background())})
	info, ok := popped[0].Interface().(*framework.QueuedPodInfo)
	if !ok || info.Pod.UID != pod.UID {
		return fmt.Errorf("the queue gives %v, want %s", popped[0], podKey(pod))
	}
	var err error
	if info.PodInfo, err = framework.NewPodInfo(pod); err != nil {
		return err
	}
	p.next.Set(reflect.MakeFunc(next.Type(), func([]reflect.Value) []reflect.Value { return popped }))
	p.sched.ScheduleOne(ctx)
	return nil
}

// bind puts a pod on a node.
func (p *placer) bind(pod *corev1.Pod, node string) error {
	bound := pod.DeepCopy()
	bound.Spec.NodeName, bound.Status.NominatedNodeName = node, ""
	bound.Status.Phase = corev1.PodRunning
	return p.in.pods.set(bound)
}

// silent records no events.
type silent struct{}

func (s silent) WithLogger(klog.Logger) events.EventRecorderLogger                             { return s }
func (silent) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any)                         {}
func (silent) AnnotatedEventf(_ runtime.Object, _ map[string]string, _, _, _ string, _ ...any) {}
