package differential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/schedulerconfig"
	"github.com/outrank-go/outrank/preemption/score"
)

// placer is a scheduler that gives pods places, with their scores.
type placer struct {
	framework.Framework
	sched *scheduler.Scheduler
	in    *stillInformers
	next  reflect.Value // what takes pods from its queue

	// What the last attempt found. Scores is nil where no scores were needed.
	host   string
	failed error
	scores []fwk.NodePluginScores
}

// RunScorePlugins records the scores.
func (p *placer) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := p.Framework.RunScorePlugins(ctx, state, pod, nodes)
	p.scores = slices.Clone(scores)
	return scores, status
}

// RunPostFilterPlugins looks for no way out.
func (p *placer) RunPostFilterPlugins(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// newPlacer builds a scheduler with the objects of a case.
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
	p.Framework = p.sched.Profiles[corev1.DefaultSchedulerName]
	p.sched.Profiles[corev1.DefaultSchedulerName] = p
	p.sched.FailureHandler = func(context.Context, framework.Framework, *framework.QueuedPodInfo, *fwk.Status, *fwk.NominatingInfo, time.Time) {
	}
	schedule := p.sched.SchedulePod
	p.sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		result, err := schedule(ctx, f, state, pod)
		if p.host, p.failed = result.SuggestedHost, err; err == nil {
			err = errFits // the binding is the caller's
		}
		return result, err
	}
	if p.next = reflect.ValueOf(p.sched).Elem().FieldByName("NextEntity"); !p.next.IsValid() {
		p.next = reflect.ValueOf(p.sched).Elem().FieldByName("NextPod")
	}
	return p, p.fill(c)
}

// fill passes on the objects.
func (p *placer) fill(c *ScoreCase) error {
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
	if err := p.in.fill(c.Case); err != nil {
		return err
	}
	return addAll(p.in.pods, c.Pods)
}

// place has the scheduler try a pod, before everybody else in its queue.
func (p *placer) place(ctx context.Context, pod *corev1.Pod) error {
	p.host, p.failed, p.scores = "", nil, nil
	next := reflect.ValueOf(p.next.Interface())
	defer p.next.Set(next)
	first, highest := pod.DeepCopy(), int32(math.MaxInt32)
	first.Spec.Priority = &highest
	if err := p.in.pods.add(first); err != nil {
		return err
	}
	if err := p.in.pods.indexer.Update(pod); err != nil {
		return err
	}
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
	bound.Spec.NodeName, bound.Status.NominatedNodeName, bound.Status.Phase = node, "", corev1.PodRunning
	return p.in.pods.set(bound)
}

// silent records no events.
type silent struct{}

func (s silent) WithLogger(klog.Logger) events.EventRecorderLogger                             { return s }
func (silent) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any)                         {}
func (silent) AnnotatedEventf(_ runtime.Object, _ map[string]string, _, _, _ string, _ ...any) {}

// ScoreCount counts what was compared.
type ScoreCount struct {
	// Pods were tried, Placed of them have a place, and of these Scored had a choice. Tied
	// had several best nodes. Scores are those of a plugin for a node. Of Unreadable both
	// failed over the preferences.
	Pods, Placed, Scored, Tied, Scores, Unreadable int
	// Longest is the most pods that were placed one after the other.
	Longest int
}

// RunScores puts a case to both: each pod is scored, placed and bound, and then the next one.
// It returns what differs.
func (h *Harness) RunScores(c *ScoreCase, n *ScoreCount) (differences []string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := newPlacer(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	defer p.sched.SchedulingQueue.Close()
	o, err := h.newScoring(c)
	if err != nil {
		return nil, fmt.Errorf("outrank: %w", err)
	}
	placed := 0
	for _, pod := range c.Waiting {
		if err := p.place(ctx, pod); err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		n.Pods++
		found, err := o.compare(ctx, p, outrank.NewKey(pod.Namespace, pod.Name), n)
		if err != nil || len(found) > 0 {
			return found, err
		}
		key := outrank.NewKey(pod.Namespace, pod.Name)
		if p.host == "" { // it gives up, and its nomination is over
			err = errors.Join(p.in.pods.remove(pod), o.snap.RemovePod(key))
		} else {
			placed++
			err = errors.Join(p.bind(pod, p.host), o.snap.Bind(key, p.host))
		}
		if err != nil {
			return nil, err
		}
	}
	n.Longest = max(n.Longest, placed)
	return nil, nil
}

// scoring is this library's side of a case.
type scoring struct {
	snap   *engine.Snapshot
	eval   *engine.Evaluator
	scorer *score.Scorer
}

func (h *Harness) newScoring(c *ScoreCase) (*scoring, error) {
	whole := *c.Case
	whole.Pods, whole.Preemptor = slices.Concat(c.Pods, c.Waiting[1:]), c.Waiting[0]
	cluster, err := h.Convert(&whole)
	if err != nil {
		return nil, err
	}
	cluster.Release = h.Release
	file, err := schedulerconfig.Read(h.Release, bytes.NewReader(c.File))
	if err != nil {
		return nil, err
	}
	profile, ok := file.Profile(corev1.DefaultSchedulerName)
	if !ok || len(profile.Unsupported)+len(profile.UnsupportedScores) > 0 {
		return nil, fmt.Errorf("the profile is not supported: %v %v", profile.Unsupported, profile.UnsupportedScores)
	}
	selector := schedulerconfig.SpreadSelector(c.workloads())
	profile.Config.Plugins.SpreadSelector, profile.Scores.SpreadSelector = selector, selector
	o := &scoring{}
	if o.snap, err = engine.NewSnapshot(cluster); err != nil {
		return nil, err
	}
	if o.eval, err = engine.NewEvaluator(profile.Config); err != nil {
		return nil, err
	}
	if o.scorer, err = score.New(profile.Scores); err != nil {
		return nil, err
	}
	return o, nil
}

func (c *ScoreCase) workloads() (all []schedulerconfig.Workload) {
	add := func(kind string, o metav1.Object, s *metav1.LabelSelector) {
		w := schedulerconfig.Workload{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
		if s != nil {
			w.Selector = &outrank.LabelSelector{MatchLabels: s.MatchLabels}
			for _, r := range s.MatchExpressions {
				w.Selector.MatchExpressions = append(w.Selector.MatchExpressions, outrank.Requirement{Key: r.Key, Operator: outrank.Operator(r.Operator), Values: r.Values})
			}
		}
		all = append(all, w)
	}
	plain := func(m map[string]string) *metav1.LabelSelector {
		if m == nil {
			return nil
		}
		return &metav1.LabelSelector{MatchLabels: m}
	}
	for _, o := range c.Services {
		add("Service", o, plain(o.Spec.Selector))
	}
	for _, o := range c.Controllers {
		add("ReplicationController", o, plain(o.Spec.Selector))
	}
	for _, o := range c.ReplicaSets {
		add("ReplicaSet", o, o.Spec.Selector)
	}
	for _, o := range c.StatefulSets {
		add("StatefulSet", o, o.Spec.Selector)
	}
	return all
}

// compare holds this library's scores for a pod to those of an attempt.
func (o *scoring) compare(ctx context.Context, p *placer, key outrank.Key, n *ScoreCount) (differences []string, err error) {
	differ := func(format string, args ...any) {
		differences = append(differences, string(key)+": "+fmt.Sprintf(format, args...))
	}
	pod, ok := o.snap.Pod(key)
	if !ok {
		return nil, fmt.Errorf("%s is not in the snapshot", key)
	}
	ranked, err := o.scorer.Rank(ctx, o.eval, o.snap, pod)
	var unfit *framework.FitError
	if errors.Is(err, outrank.ErrInvalid) && p.failed != nil && !errors.As(p.failed, &unfit) {
		n.Unreadable++
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("outrank: %s: %w; the reference says %v", key, err, p.failed)
	}
	ours := make([]string, len(ranked.Nodes))
	for i, node := range ranked.Nodes {
		ours[i] = node.Name
	}
	if p.host == "" {
		if len(ours) > 0 || !errors.As(p.failed, &unfit) {
			differ("the reference finds no place (%v), outrank %v", p.failed, ours)
		}
		return differences, nil
	}
	n.Placed++
	if p.scores == nil {
		if !slices.Equal(ours, []string{p.host}) {
			differ("the reference takes the only node %s, outrank finds %v", p.host, ours)
		}
		return differences, nil
	}
	n.Scored++
	theirs := make([]string, len(p.scores))
	nodes := make([]*outrank.Node, len(p.scores))
	for i := range p.scores {
		theirs[i] = p.scores[i].Name
		if nodes[i], ok = o.snap.Node(theirs[i]); !ok {
			return nil, fmt.Errorf("no node %s", theirs[i])
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(ours)), slices.Sorted(slices.Values(theirs))) {
		differ("the reference scores %v, outrank %v", theirs, ours)
		return differences, nil
	}
	for i := range p.scores {
		at := slices.Index(ours, p.scores[i].Name)
		want, got := map[string]int64{}, map[string]int64{}
		for _, s := range p.scores[i].Scores {
			want[s.Name] = s.Score
		}
		for _, s := range rawScores(&p.scores[i]) {
			want["raw "+s.Name] = s.Score
		}
		for _, name := range []string{"DynamicResources", "VolumeBinding"} { // they say nothing here
			if want[name] == 0 {
				delete(want, name)
				delete(want, "raw "+name)
			}
		}
		for _, c := range ranked.Plugins {
			got[c.Plugin] = c.Normalized[at] * c.Weight
			if rawScores(&p.scores[i]) != nil {
				got["raw "+c.Plugin] = c.Raw[at]
			}
		}
		n.Scores += len(got)
		if !maps.Equal(want, got) || p.scores[i].TotalScore != ranked.Totals[at] {
			differ("node %s: the reference has %v, in all %d, outrank %v, in all %d", theirs[i], want, p.scores[i].TotalScore, got, ranked.Totals[at])
		}
	}
	again, err := o.scorer.Score(ctx, o.snap, pod, nodes)
	if err != nil {
		return nil, err
	}
	if len(again.Best()) > 1 {
		n.Tied++
	}
	if chosen := again.Choose(nil); chosen.Name != p.host {
		differ("the reference takes %s of %v, outrank %s", p.host, theirs, chosen.Name)
	}
	return differences, nil
}

// rawScores are the scores before normalization, which not every release tells.
func rawScores(s *fwk.NodePluginScores) []fwk.PluginScore {
	f := reflect.ValueOf(s).Elem().FieldByName("RawScores")
	if !f.IsValid() {
		return nil
	}
	return f.Interface().([]fwk.PluginScore)
}
