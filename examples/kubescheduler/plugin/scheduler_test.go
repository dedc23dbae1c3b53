package plugin_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	configtesting "k8s.io/kubernetes/pkg/scheduler/apis/config/testing"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

// cluster is a scheduler with the plugin and a clientset that stands in for the API.
type cluster struct {
	t   *testing.T
	api *fake.Clientset
	// client is the scheduler's way to the API.
	client    kubernetes.Interface
	informers informers.SharedInformerFactory
	// recorder is that of the profile, and recorders are those of the others, by name.
	recorder  *recorder
	recorders map[string]*recorder
	collector *metrics.Collector
	options   plugin.Options
	registry  runtime.Registry
	profile   configv1.KubeSchedulerProfile
	others    []configv1.KubeSchedulerProfile
	extenders []schedulerconfig.Extender

	mu        sync.Mutex
	decisions []plugin.Decision
	scheduler *scheduler.Scheduler
	plugin    *plugin.Plugin
	stop      context.CancelFunc
	release   func()
	stopped   chan struct{}
	log       klog.Logger
}

// newCluster has the objects and does not run yet.
func newCluster(t *testing.T, objects ...apiruntime.Object) *cluster {
	c := &cluster{t: t, api: fake.NewClientset(objects...), recorder: &recorder{}, recorders: map[string]*recorder{}, release: func() {}, collector: metrics.New(), stopped: make(chan struct{})}
	c.client = c.api
	c.informers = scheduler.NewInformerFactory(c.api, 0, nil)
	c.options = plugin.Options{Metrics: c.collector, Observe: func(d plugin.Decision) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.decisions = append(c.decisions, d)
	}}
	c.profile = profile()
	c.api.PrependReactor("create", "pods", c.bind)
	return c
}

// profile has Outrank in place of DefaultPreemption.
func profile() configv1.KubeSchedulerProfile {
	return configv1.KubeSchedulerProfile{
		SchedulerName: new("default-scheduler"),
		Plugins: &configv1.Plugins{MultiPoint: configv1.PluginSet{
			Enabled:  []configv1.Plugin{{Name: plugin.Name}},
			Disabled: []configv1.Plugin{{Name: "DefaultPreemption"}},
		}},
	}
}

// withArgs gives the plugin arguments.
func (c *cluster) withArgs(args string) {
	c.profile.PluginConfig = []configv1.PluginConfig{{Name: plugin.Name, Args: apiruntime.RawExtension{Raw: []byte(args)}}}
}

// bind does the API's part of a binding.
func (c *cluster) bind(action ktesting.Action) (bool, apiruntime.Object, error) {
	create := action.(ktesting.CreateAction)
	if create.GetSubresource() != "binding" {
		return false, nil, nil
	}
	binding := create.GetObject().(*v1.Binding)
	pod, err := c.api.Tracker().Get(v1.SchemeGroupVersion.WithResource("pods"), binding.Namespace, binding.Name)
	if err != nil {
		return true, nil, err
	}
	bound := pod.(*v1.Pod).DeepCopy()
	bound.Spec.NodeName, bound.Status.NominatedNodeName = binding.Target.Name, ""
	return true, binding, c.api.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), bound, binding.Namespace)
}

// run starts the scheduler; it ends with the test.
func (c *cluster) run() {
	c.t.Helper()
	var ctx context.Context
	c.log, ctx = klogFor(c.t)
	ctx, c.stop = context.WithCancel(ctx)
	config := configtesting.V1ToInternalWithDefaults(c.t, configv1.KubeSchedulerConfiguration{Profiles: append([]configv1.KubeSchedulerProfile{c.profile}, c.others...)})
	factory := plugin.Factory(c.options)
	registry := runtime.Registry{plugin.Name: func(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		p, err := factory(ctx, args, handle)
		c.plugin, _ = p.(*plugin.Plugin)
		return p, err
	}}
	for name, factory := range c.registry {
		registry[name] = factory
	}
	s, err := scheduler.New(ctx, c.client, c.informers, nil, func(name string) events.EventRecorderLogger { return c.recorderOf(name) },
		scheduler.WithProfiles(config.Profiles...), scheduler.WithFrameworkOutOfTreeRegistry(registry),
		scheduler.WithExtenders(c.extenders...), scheduler.WithPodInitialBackoffSeconds(1), scheduler.WithPodMaxBackoffSeconds(1))
	require.NoError(c.t, err)
	c.scheduler = s
	c.informers.StartWithContext(ctx)
	c.informers.WaitForCacheSyncWithContext(ctx)
	require.NoError(c.t, s.WaitForHandlersSync(ctx))
	go func() {
		defer close(c.stopped)
		s.Run(ctx)
	}()
	c.t.Cleanup(c.end)
}

// recorderOf is the recorder of a profile.
func (c *cluster) recorderOf(name string) *recorder {
	if name == *c.profile.SchedulerName {
		return c.recorder
	}
	if c.recorders[name] == nil {
		c.recorders[name] = &recorder{}
	}
	return c.recorders[name]
}

// end stops the scheduler and waits for it.
func (c *cluster) end() {
	c.stop()
	c.release()
	<-c.stopped
	c.informers.Shutdown()
}

func (c *cluster) create(pods ...*v1.Pod) {
	c.t.Helper()
	for _, pod := range pods {
		_, err := c.api.CoreV1().Pods(pod.Namespace).Create(c.t.Context(), pod, metav1.CreateOptions{})
		require.NoError(c.t, err)
	}
}

// pod is the pod as the API has it, nil if it is gone.
func (c *cluster) pod(name string) *v1.Pod {
	pod, err := c.api.CoreV1().Pods("default").Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return pod
}

// eventually waits for something to become so.
func (c *cluster) eventually(what string, is func() bool) {
	c.t.Helper()
	require.Eventually(c.t, is, 20*time.Second, 5*time.Millisecond, what)
}

// isOn waits for a pod to be bound.
func (c *cluster) isOn(name, node string) {
	c.t.Helper()
	c.eventually(name+" on "+node, func() bool { pod := c.pod(name); return pod != nil && pod.Spec.NodeName == node })
}

// decided are the decisions so far.
func (c *cluster) decided() []plugin.Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.decisions)
}

// recorder keeps events.
type recorder struct {
	mu     sync.Mutex
	events []string
}

var _ events.EventRecorderLogger = (*recorder)(nil)

func (r *recorder) Eventf(regarding, related apiruntime.Object, kind, reason, action, note string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf("%s %s %s %s: %s", regarding.(metav1.Object).GetName(), kind, reason, action, fmt.Sprintf(note, args...)))
}

func (r *recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

// about are the events with this beginning.
func (r *recorder) about(begin string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, e := range r.events {
		if len(e) >= len(begin) && e[:len(begin)] == begin {
			list = append(list, e)
		}
	}
	return list
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// node has so many CPUs.
func node(name string, cpu string) *v1.Node {
	room := v1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("110")}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}}, Status: v1.NodeStatus{Capacity: room, Allocatable: room}}
}

// pending asks for so many CPUs.
func pending(name string, priority int32, cpu string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name), Generation: 1},
		Spec: v1.PodSpec{SchedulerName: "default-scheduler", Priority: &priority, Containers: []v1.Container{{
			Name: "c", Image: "i", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{"cpu": resource.MustParse(cpu)}},
		}}},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
}

// running is on a node since so many minutes after the start.
func running(name string, priority int32, cpu, on string, minutes int) *v1.Pod {
	pod := pending(name, priority, cpu)
	began := metav1.NewTime(start.Add(time.Duration(minutes) * time.Minute))
	pod.Spec.NodeName, pod.Status.Phase, pod.Status.StartTime = on, v1.PodRunning, &began
	return pod
}
