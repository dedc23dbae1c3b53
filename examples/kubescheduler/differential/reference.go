package differential

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// Quiet has kube-scheduler's code log nothing.
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

// reference is a scheduler with a cluster in it, and all that it does.
type reference struct {
	sched     *scheduler.Scheduler
	all       *defaultpreemption.DefaultPreemption // asked for all candidates
	answer    *Answer
	preemptor string
	// instead of finding candidates and preempting, for measurements; failed is its error.
	instead func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) error
	failed  error

	// beside is called before preemption is.
	beside func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader)

	mu      sync.Mutex // what evictions note runs beside
	evicted []string
	cleared []string
}

// profileFramework is the framework of the scheduler's profile, which it watches.
type profileFramework struct {
	framework.Framework
	r *reference
}

// RunFilterPluginsWithNominatedPods notes what each node says.
func (f *profileFramework) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) *fwk.Status {
	s := f.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	f.r.answer.Nodes[info.Node().Name] = statusOf(s)
	return s
}

// RunPostFilterPlugins finds all candidates, and then has the plugins do what they do.
func (f *profileFramework) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	if f.r.instead != nil {
		f.r.failed = f.r.instead(ctx, state, pod, m)
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	a := f.r.answer
	if err := f.r.candidates(ctx, state, pod, m); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if f.r.beside != nil {
		f.r.beside(ctx, state.Clone(), pod, m)
	}
	result, status := f.Framework.RunPostFilterPlugins(ctx, state, pod, m)
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
	candidates, statuses, err := r.all.Evaluator.DryRunPreemption(ctx, state, pod, potential, pdbs, 0, int32(len(potential)))
	if err != nil {
		return err
	}
	for _, c := range candidates {
		one := Candidate{Node: c.Name(), Violations: int(c.Victims().NumPDBViolations)}
		for _, v := range c.Victims().Pods {
			one.Victims, one.importance = append(one.Victims, v.Namespace+"/"+v.Name), append(one.importance, importance(v))
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

// watch has the scheduler's answers noted. It returns the framework of the profile.
func (r *reference) watch(ctx context.Context, sched *scheduler.Scheduler, name string) (framework.Framework, error) {
	r.sched = sched
	profile := sched.Profiles[name]
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100}
	var err error
	if r.all, err = defaultpreemption.New(ctx, args, profile, plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)); err != nil {
		return nil, err
	}
	sched.Profiles[name] = &profileFramework{Framework: profile, r: r}
	return profile, nil
}

// newReference builds a scheduler that has taken up the preemptor, and tells it of
// everything else.
func newReference(ctx context.Context, c *Case, options ...scheduler.Option) (*reference, error) {
	r := &reference{preemptor: c.Preemptor.Namespace + "/" + c.Preemptor.Name, answer: &Answer{Nodes: map[string]Status{}, Unhelpful: map[string]Status{}}}
	client := &fake.Clientset{}
	client.AddReactor("*", "*", r.react)
	in := newInformers(client)
	recorder := &recorder{r}
	profiles, err := profilesOf(c)
	if err != nil {
		return nil, err
	}
	options = append([]scheduler.Option{scheduler.WithProfiles(profiles...), scheduler.WithParallelism(1)}, options...)
	sched, err := scheduler.New(ctx, client, in, nil, func(string) events.EventRecorderLogger { return recorder }, options...)
	if err != nil {
		return nil, err
	}
	if _, err := r.watch(ctx, sched, c.Preemptor.Spec.SchedulerName); err != nil {
		return nil, err
	}
	if err := r.dropDeleted(ctx, in, c); err != nil {
		return nil, err
	}
	handle := sched.FailureHandler
	sched.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, s *fwk.Status, n *fwk.NominatingInfo, at time.Time) {
		if !r.answer.Fits {
			handle(ctx, f, pod, s, n, at)
		}
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
	if err := r.takeUp(in, c.Preemptor); err != nil {
		return nil, err
	}
	if err := in.fill(c); err != nil {
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
	return r, nil
}

// profilesOf are the profiles of a case's scheduler, all of them the default one but for
// their names.
func profilesOf(c *Case) ([]config.KubeSchedulerProfile, error) {
	usual, err := latest.Default()
	if err != nil {
		return nil, err
	}
	var list []config.KubeSchedulerProfile
	for _, name := range c.Profiles() {
		profile := *usual.Profiles[0].DeepCopy()
		profile.SchedulerName = name
		list = append(list, profile)
	}
	return list, nil
}

// isDropped reports whether a pod is dropped when it is taken out of the queue.
func isDropped(p *corev1.Pod) bool { return p.Spec.NodeName == "" && p.DeletionTimestamp != nil }

// dropDeleted has the scheduler take up the pending pods that are being deleted, one at a
// time, and drop them, as it does sooner or later with each. The nominator keeps their
// names.
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

// takeUp has the scheduler take the preemptor up from its queue while nobody else is
// there, and makes it what ScheduleOne goes on with. The pods that come later stay in the
// queue, where the nominator looks for them. The field for it has another name and type
// in each version.
func (r *reference) takeUp(in *stillInformers, preemptor *corev1.Pod) error {
	if err := in.pods.add(preemptor); err != nil {
		return err
	}
	if active := r.sched.SchedulingQueue.PodsInActiveQ(); len(active) != 1 {
		return fmt.Errorf("%d pods are in the queue, want the preemptor alone", len(active))
	}
	next := reflect.ValueOf(r.sched).Elem().FieldByName("NextEntity")
	if !next.IsValid() {
		next = reflect.ValueOf(r.sched).Elem().FieldByName("NextPod")
	}
	popped := next.Call([]reflect.Value{reflect.ValueOf(klog.Background())})
	if !popped[1].IsNil() {
		return popped[1].Interface().(error)
	}
	next.Set(reflect.MakeFunc(next.Type(), func([]reflect.Value) []reflect.Value { return popped }))
	return nil
}

var errFits = fmt.Errorf("a node takes the pod")

// RunReference has kube-scheduler try to schedule the preemptor of a case. Options may put
// another plugin in place of DefaultPreemption; the candidates of the answer are
// DefaultPreemption's all the same.
func RunReference(c *Case, options ...scheduler.Option) (*Answer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := newReference(ctx, c, options...)
	if err != nil {
		return nil, err
	}
	r.sched.ScheduleOne(ctx)
	r.wait(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer.Evicted, r.answer.Cleared = sorted(r.evicted), sorted(r.cleared)
	r.sched.SchedulingQueue.Close()
	return r.answer, nil
}

// wait waits for the goroutine that evicts: it ends with its last victim.
func (r *reference) wait(c *Case) {
	if r.answer.Fits || r.answer.Nominated == "" || r.answer.Nominated == NominationKept {
		return
	}
	victims := map[string]bool{}
	for _, candidate := range r.answer.Candidates {
		if candidate.Node == r.answer.Nominated {
			for _, v := range candidate.Victims {
				victims[v] = true
			}
		}
	}
	want := 0
	for _, p := range c.Pods {
		if victims[p.Namespace+"/"+p.Name] && p.DeletionTimestamp == nil {
			want++
		}
	}
	for range 5000 {
		r.mu.Lock()
		n := len(r.evicted)
		r.mu.Unlock()
		if n >= want {
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// react notes what the client is asked for, and has all of it succeed.
func (r *reference) react(action clienttesting.Action) (bool, runtime.Object, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch a := action.(type) {
	case clienttesting.DeleteAction:
		if a.GetResource().Resource == "pods" {
			r.evicted = append(r.evicted, a.GetNamespace()+"/"+a.GetName())
		}
	case clienttesting.PatchAction:
		if name := a.GetNamespace() + "/" + a.GetName(); a.GetResource().Resource == "pods" && name != r.preemptor && clearsNomination(a.GetPatch()) {
			r.cleared = append(r.cleared, name)
		}
	}
	return true, &corev1.Pod{}, nil
}

// recorder notes what the scheduler says of the preemptor.
type recorder struct{ r *reference }

func (e *recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return e }

func (e *recorder) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	if reason == "FailedScheduling" {
		e.r.answer.Event = note
	}
}
