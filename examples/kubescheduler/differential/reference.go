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
	kubepreemption "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/thirdparty"
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

// reference is a scheduler with a cluster in it, and a record of what it does.
type reference struct {
	sched *scheduler.Scheduler
	// all finds all candidates, with the profile of the attempt.
	all       *defaultpreemption.DefaultPreemption
	answer    *Answer
	preemptor string
	// instead, if set, is called in place of preemption, for measurements.
	instead func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) error
	// failed is the error of instead.
	failed error

	// around is what the scheduler has beside its own plugins.
	around *Around
	// asked says that the scheduler has asked its PostFilter plugins for a way out.
	asked bool

	// importance returns a victim's importance. Nil means that each pod counts by itself, without its group.
	importance func(*corev1.Pod) string

	// waits says that the preemptor does not come into the queue before its claims are there.
	waits bool
	// devices says that the case has devices.
	devices bool

	// beside, if set, is called before preemption.
	beside func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader)

	mu      sync.Mutex // guards the fields below: the scheduler evicts in the background
	evicted []string
	// deallocated are the claims that were given up.
	deallocated []string
	cleared     []string
}

// profileFramework is the framework of a profile. It records what the scheduler asks of it.
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

// RunPostFilterPlugins finds all candidates and runs the plugins.
func (f *profileFramework) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) (result *fwk.PostFilterResult, status *fwk.Status) {
	r := f.r
	if r.instead != nil {
		r.failed = r.instead(ctx, state, pod, m)
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}

	// The filter for devices notes what it is asked, for the step that comes after the filters. So that the dry
	// runs here are not noted, candidates of a case with devices are found after the plugins have run.
	a := r.answer
	r.asked, r.all = true, f.all
	if r.devices {
		defer func() {
			if err := r.candidates(ctx, state, pod, m); err != nil {
				result, status = nil, fwk.AsStatus(err)
			}
		}()
	} else if err := r.candidates(ctx, state, pod, m); err != nil {
		return nil, fwk.AsStatus(err)
	}

	if r.beside != nil {
		r.beside(ctx, state.Clone(), pod, m)
	}
	result, status = f.Framework.RunPostFilterPlugins(ctx, state, pod, m)
	a.Preempts = status.IsSuccess()
	if a.Nominated = NominationKept; result != nil && result.Mode() == fwk.ModeOverride {
		a.Nominated = result.NominatedNodeName
	}
	return result, status
}

// candidates makes a dry run on every node where preemption may help, and records the candidates and the others.
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

	// In a case with devices or third parties filters may contradict themselves on a node, which is an error. In any
	// other case there must be none.
	candidates, statuses, err := r.all.Evaluator.DryRunPreemption(ctx, state, pod, potential, pdbs, 0, int32(len(potential)))
	if err != nil && !r.devices && (r.around == nil || r.around.Contrary == nil && r.around.Foreign == nil && len(r.around.Extenders) == 0) {
		return err
	}

	for _, c := range candidates {
		r.answer.Candidates = append(r.answer.Candidates, r.candidate(c))
	}
	slices.SortFunc(r.answer.Candidates, func(a, b Candidate) int { return cmp.Compare(a.Node, b.Node) })
	for _, n := range potential {
		if s := statuses.Get(n.Node().Name); !slices.ContainsFunc(r.answer.Candidates, func(c Candidate) bool { return c.Node == n.Node().Name }) {
			r.answer.Unhelpful[n.Node().Name] = statusOf(s)
		}
	}
	return nil
}

// candidate converts a candidate of the scheduler into one of an [Answer].
func (r *reference) candidate(c kubepreemption.Candidate) Candidate {
	important := importance
	if r.importance != nil {
		important = r.importance
	}

	one := Candidate{Node: c.Name(), Violations: int(c.Victims().NumPDBViolations)}
	for _, v := range c.Victims().Pods {
		one.Victims = append(one.Victims, v.Namespace+"/"+v.Name)
		one.Importance = append(one.Importance, important(v))
	}
	return one
}

func statusOf(s *fwk.Status) Status {
	if s == nil {
		return Status{Code: fwk.Success.String()}
	}
	return Status{Code: s.Code().String(), Plugin: s.Plugin(), Reasons: s.Reasons()}
}

// watch puts a framework that records in place of the profile's own, and returns the latter.
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

// newReference makes a scheduler with the objects of the case, and lets it take up the preemptor.
func newReference(ctx context.Context, c *Case, instead Instead) (*reference, error) {
	r := &reference{around: &c.Around, devices: c.Devices.Classes != nil, preemptor: podKey(c.Preemptor), answer: &Answer{Nodes: map[string]Status{}, Unhelpful: map[string]Status{}}}
	client := &fake.Clientset{}
	client.AddReactor("*", "*", r.react)
	in := newInformers(client)
	recorder := &recorder{r}

	// The framework that records must be in place before the first object comes.
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

	// Pods that are dropped are no attempts, so that listen comes after them.
	if err := r.dropDeleted(ctx, in, c); err != nil {
		return nil, err
	}
	r.listen(sched)

	// The preemptor comes last. An object that came after it would be an event during its attempt.
	if err := in.fill(c); err != nil {
		return nil, err
	}
	if r.waits, err = r.prepareDevices(ctx, profile, c); err != nil {
		return nil, err
	}
	for _, p := range c.Pods {
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed || isDropped(p) {
			continue // the informer leaves finished pods out, and the scheduler has dropped the others
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

// listen records whether a node takes the pod, and which nomination a failed attempt leaves. A pod that
// fits is not bound: the attempt ends with an error that nobody handles.
func (r *reference) listen(sched *scheduler.Scheduler) {
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
			err = errFits
		}
		return result, err
	}
}

// Instead is a plugin in place of DefaultPreemption; the zero value is none.
type Instead struct {
	Name string
	Make frameworkruntime.PluginFactory
}

// options returns the options of a scheduler for the case: its profiles and its extenders. The profiles are the
// default one, except for their names and surroundings. The extenders are served until the context ends.
func (r *reference) options(ctx context.Context, c *Case, instead Instead) ([]scheduler.Option, error) {
	profiles, err := profilesOf(c, instead.Name)
	if err != nil {
		return nil, err
	}
	registry := c.Around.registry()
	if instead.Name != "" {
		registry[instead.Name] = instead.Make
	}
	extenders, closed, err := thirdparty.Serve(c.Around.Extenders, c.thirdParty())
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, closed)
	return []scheduler.Option{
		scheduler.WithProfiles(profiles...), scheduler.WithParallelism(1), scheduler.WithExtenders(extenders...), scheduler.WithFrameworkOutOfTreeRegistry(registry),
	}, nil
}

// isDropped reports whether the scheduler drops a pod when it takes it out of the queue.
func isDropped(p *corev1.Pod) bool { return p.Spec.NodeName == "" && p.DeletionTimestamp != nil }

// dropDeleted lets the scheduler take up the pending pods that are being deleted, one at a time, and drop them. A
// live scheduler does so with each of them sooner or later. Its nominator still knows their names.
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

// takeUp takes the preemptor out of the scheduler's queue before every other pod, and makes ScheduleOne try it.
// Nothing that came before is an event during its attempt. The other pods stay in the queue, where the nominator
// looks for them.
func (r *reference) takeUp(in *stillInformers, preemptor *corev1.Pod) error {
	// With the highest priority the pod is first in the queue. The informer then has it as it is.
	first, highest := preemptor.DeepCopy(), int32(math.MaxInt32)
	first.Spec.Priority = &highest
	if err := in.pods.add(first); err != nil {
		return err
	}
	if err := in.pods.indexer.Update(preemptor); err != nil {
		return err
	}

	// The function that takes the next pod is in a field with another name and type in each version.
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

// errFits ends an attempt in which a node takes the pod, so that the pod is not bound.
var errFits = fmt.Errorf("a node takes the pod")
