package differential

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// Quiet keeps kube-scheduler's code from logging.
func Quiet() {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	for _, f := range [][2]string{{"logtostderr", "false"}, {"stderrthreshold", "FATAL"}} {
		if err := flags.Set(f[0], f[1]); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(io.Discard)
}

func init() { metrics.Register() }

// reference is a scheduler with a cluster in it, and its actions.
type reference struct {
	sched *scheduler.Scheduler
	// all finds all candidates: that of the profile of an attempt.
	all       *defaultpreemption.DefaultPreemption
	answer    *Answer
	preemptor string
	// instead of finding candidates and preempting, for measurements; failed is its error.
	instead func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) error
	failed  error

	// around is the part of the scheduler beside its own plugins; asked is set
	// where it asked for a way out.
	around *Around
	asked  bool

	// importance returns a victim's importance, nil for that of the pod by itself.
	importance func(*corev1.Pod) string

	// waits is set where the preemptor does not come into the queue before its claims are there.
	waits bool
	// devices is set where the case has any.
	devices bool

	// beside is called before preemption is.
	beside func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader)

	mu      sync.Mutex // what evictions note runs beside
	evicted []string
	// deallocated are the claims that were given up.
	deallocated []string
	cleared     []string
}

// profileFramework is the framework of the scheduler's profile, which it watches.
type profileFramework struct {
	framework.Framework
	r   *reference
	all *defaultpreemption.DefaultPreemption
}

// RunFilterPluginsWithNominatedPods records each node's answer.
func (f *profileFramework) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) *fwk.Status {
	s := f.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	f.r.answer.Nodes[info.Node().Name] = statusOf(s)
	return s
}

// RunPostFilterPlugins finds all candidates, and then runs the plugins.
func (f *profileFramework) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) (result *fwk.PostFilterResult, status *fwk.Status) {
	if f.r.instead != nil {
		f.r.failed = f.r.instead(ctx, state, pod, m)
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	a := f.r.answer
	f.r.asked, f.r.all = true, f.all
	find := func() error { return f.r.candidates(ctx, state, pod, m) }
	if f.r.devices { // what is asked of its filter for devices is noted for the step after it
		find = func() error { return nil }
		defer func() {
			if err := f.r.candidates(ctx, state, pod, m); err != nil {
				result, status = nil, fwk.AsStatus(err)
			}
		}()
	}
	if err := find(); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if f.r.beside != nil {
		f.r.beside(ctx, state.Clone(), pod, m)
	}
	result, status = f.Framework.RunPostFilterPlugins(ctx, state, pod, m)
	a.Preempts = status.IsSuccess()
	if a.Nominated = NominationKept; result != nil && result.Mode() == fwk.ModeOverride {
		a.Nominated = result.NominatedNodeName
	}
	return result, status
}

// candidates asks every node that preemption may help on.
func (r *reference) candidates(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) error {
	infos := r.all.Evaluator.Handler.SnapshotSharedLister().NodeInfos()
	nodes, err := infos.List()
	if err != nil {
		return err
	}
	for _, n := range nodes {
		r.answer.Nodes[n.Node().Name] = statusOf(m.Get(n.Node().Name))
	}
	potential, err := m.NodesForStatusCode(infos, fwk.Unschedulable)
	if err != nil || len(potential) == 0 {
		return err
	}
	pdbs, err := r.all.Evaluator.PdbLister.List(everything)
	if err != nil {
		return err
	}
	important := importance
	if r.importance != nil {
		important = r.importance
	}
	candidates, statuses, err := r.all.Evaluator.DryRunPreemption(ctx, state, pod, potential, pdbs, 0, int32(len(potential)))
	if err != nil && !r.devices && (r.around == nil || r.around.Contrary == nil && r.around.Foreign == nil && len(r.around.Extenders) == 0) {
		return err // else it is about nodes that contradict themselves
	}
	for _, c := range candidates {
		one := Candidate{Node: c.Name(), Violations: int(c.Victims().NumPDBViolations)}
		for _, v := range c.Victims().Pods {
			one.Victims, one.Importance = append(one.Victims, v.Namespace+"/"+v.Name), append(one.Importance, important(v))
		}
		r.answer.Candidates = append(r.answer.Candidates, one)
	}
	slices.SortFunc(r.answer.Candidates, func(a, b Candidate) int { return cmp.Compare(a.Node, b.Node) })
	for _, n := range potential {
		if s := statuses.Get(n.Node().Name); !slices.ContainsFunc(r.answer.Candidates, func(c Candidate) bool { return c.Node == n.Node().Name }) {
			r.answer.Unhelpful[n.Node().Name] = statusOf(s)
		}
	}
	return nil
}

func statusOf(s *fwk.Status) Status {
	if s == nil {
		return Status{Code: fwk.Success.String()}
	}
	return Status{Code: s.Code().String(), Plugin: s.Plugin(), Reasons: s.Reasons()}
}

// watch records the scheduler's answers. It returns the framework of the profile.
func (r *reference) watch(ctx context.Context, sched *scheduler.Scheduler, name string) (framework.Framework, error) {
	r.sched = sched
	profile := sched.Profiles[name]
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100}
	var err error
	if r.all, err = defaultpreemption.New(ctx, args, profile, plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)); err != nil {
		return nil, err
	}
	sched.Profiles[name] = &profileFramework{Framework: profile, r: r, all: r.all}
	return profile, nil
}

// newReference builds a scheduler with the objects, and lets it take up the preemptor.
func newReference(ctx context.Context, c *Case, instead Instead) (*reference, error) {
	r := &reference{around: &c.Around, devices: c.Devices.Classes != nil, preemptor: podKey(c.Preemptor), answer: &Answer{Nodes: map[string]Status{}, Unhelpful: map[string]Status{}}}
	client := &fake.Clientset{}
	client.AddReactor("*", "*", r.react)
	in := newInformers(client)
	recorder := &recorder{r}
	options, err := r.options(ctx, c, instead)
	if err != nil {
		return nil, err
	}
	sched, err := scheduler.New(ctx, client, in, nil, func(string) events.EventRecorderLogger { return recorder }, options...)
	if err != nil {
		return nil, err
	}
	profile, err := r.watch(ctx, sched, c.Preemptor.Spec.SchedulerName)
	if err != nil {
		return nil, err
	}
	if err := r.dropDeleted(ctx, in, c); err != nil {
		return nil, err
	}
	handle := sched.FailureHandler
	sched.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, s *fwk.Status, n *fwk.NominatingInfo, at time.Time) {
		if r.answer.Fits {
			return
		}
		if r.answer.Nominated = NominationKept; n != nil && n.Mode() == fwk.ModeOverride {
			r.answer.Nominated = n.NominatedNodeName
		}
		handle(ctx, f, pod, s, n, at)
	}
	schedule := sched.SchedulePod
	sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		result, err := schedule(ctx, f, state, pod)
		if err == nil {
			r.answer.Fits = true
			err = errFits // nothing is to be bound
		}
		return result, err
	}
	if err := in.fill(c); err != nil {
		return nil, err
	}
	if r.waits, err = r.prepareDevices(ctx, profile, c); err != nil {
		return nil, err
	}
	for _, p := range c.Pods {
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed || isDropped(p) {
			continue // the scheduler's informer leaves them out, or the queue
		}
		if err := in.pods.add(p); err != nil {
			return nil, err
		}
	}
	if r.waits {
		return r, nil
	}
	return r, r.takeUp(in, c.Preemptor)
}

// Instead is a plugin in place of DefaultPreemption; the zero value is none.
type Instead struct {
	Name string
	Make frameworkruntime.PluginFactory
}

// options are those of a scheduler for the case: its profiles, all of them the
// default one but for their names and their surroundings, and its extenders,
// which exist until the context ends.
func (r *reference) options(ctx context.Context, c *Case, instead Instead) ([]scheduler.Option, error) {
	profiles, err := profilesOf(c, instead.Name)
	if err != nil {
		return nil, err
	}
	registry := c.Around.registry()
	if instead.Name != "" {
		registry[instead.Name] = instead.Make
	}
	extenders, closed, err := serve(c)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, closed)
	return []scheduler.Option{
		scheduler.WithProfiles(profiles...), scheduler.WithParallelism(1), scheduler.WithExtenders(extenders...), scheduler.WithFrameworkOutOfTreeRegistry(registry),
	}, nil
}

// isDropped reports whether a pod is dropped when it is taken out of the queue.
func isDropped(p *corev1.Pod) bool { return p.Spec.NodeName == "" && p.DeletionTimestamp != nil }

// dropDeleted lets the scheduler take up the pending pods that are being deleted,
// one at a time, and drop them, as it does sooner or later with each. The
// nominator keeps their names.
func (r *reference) dropDeleted(ctx context.Context, in *stillInformers, c *Case) error {
	for _, p := range c.Pods {
		if !isDropped(p) {
			continue
		}
		if err := in.pods.add(p); err != nil {
			return err
		}
		if len(r.sched.SchedulingQueue.PodsInActiveQ()) > 0 { // else it is another scheduler's
			r.sched.ScheduleOne(ctx)
		}
	}
	r.answer.Event = ""
	return nil
}

// takeUp has the scheduler take the preemptor up from its queue before everybody else, as the
// last thing that happens, and makes it what ScheduleOne goes on with: nothing that came
// before is an event during its attempt, and the other pods stay in the queue, where the
// nominator looks for them. The field for it has another name and type in each version.
func (r *reference) takeUp(in *stillInformers, preemptor *corev1.Pod) error {
	first, highest := preemptor.DeepCopy(), int32(math.MaxInt32)
	first.Spec.Priority = &highest
	if err := in.pods.add(first); err != nil {
		return err
	}
	if err := in.pods.indexer.Update(preemptor); err != nil {
		return err
	}
	next := reflect.ValueOf(r.sched).Elem().FieldByName("NextEntity")
	if !next.IsValid() {
		next = reflect.ValueOf(r.sched).Elem().FieldByName("NextPod")
	}
	popped := next.Call([]reflect.Value{reflect.ValueOf(klog.Background())})
	if !popped[1].IsNil() {
		return popped[1].Interface().(error)
	}
	info, ok := popped[0].Interface().(*framework.QueuedPodInfo)
	if !ok || info.Pod.UID != preemptor.UID {
		return fmt.Errorf("the queue gives %v, want the preemptor", popped[0])
	}
	var err error
	info.PodInfo, err = framework.NewPodInfo(preemptor)
	next.Set(reflect.MakeFunc(next.Type(), func([]reflect.Value) []reflect.Value { return popped }))
	return err
}

var errFits = fmt.Errorf("a node takes the pod")
