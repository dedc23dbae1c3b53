package differential

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Sequence describes a run of a live scheduler in a cluster that changes between its attempts. Followers know the
// same cluster and decide about the same attempts. The scheduler's cache, queue, nominator and bindings are the
// real ones. The same kind and seed give the same changes.
type Sequence struct {
	Kind string
	Seed uint64
	// Attempts is the number of pods that are tried.
	Attempts int
	// Harness has the rules of outrank. Its Convert serves a follower without memory, which converts the whole
	// cluster for each attempt.
	Harness *Harness
	// Follow makes the followers that receive changes.
	Follow func(told informers.SharedInformerFactory, handle fwk.Handle) ([]Follower, error)
	// Rival makes a plugin that is asked for room beside the scheduler's own, in the same attempts. It has an API
	// of its own.
	Rival func(ctx context.Context, handle fwk.Handle) (fwk.PostFilterPlugin, error)
	// Resizes adds pods whose resize in place is deferred. The feature gate of such resizes must be on.
	Resizes bool
	// Queue makes a queue that follows the scheduler's; nil for none.
	Queue func() QueueFollower
	// Loop makes an attempt loop that hears of the same events and makes the same attempts; nil for none. With a
	// loop no calls fail or hang, no news comes late, and nobody deletes a pod that waits.
	Loop func() LoopFollower
	// Groups lets groups of pods come and go. Some pods on nodes belong to them. The feature gate GenericWorkload
	// must be on.
	Groups bool
	// Cycles wraps a profile so that attempts about groups are compared with the followers; nil for none. With it
	// there are waiting pods of known groups, which the scheduler places together. The queue cannot be followed
	// then.
	Cycles func(profile framework.Framework, cycle *GroupCycle) framework.Framework
}

// Follower is a way to know the cluster.
type Follower struct {
	Name string
	// Late is true for a follower that knows no more than the informers. The others know the scheduler's memory.
	Late bool
	// View brings the follower up to date and calls decide with the cluster and the pods of the attempt.
	View func(pods []*corev1.Pod, decide func(*engine.Snapshot, []*outrank.Pod) error) error
}

// SequenceResult is the result of one sequence, or the sum of several.
type SequenceResult struct {
	// Counts are the attempts, changes and comparisons by their kinds.
	Counts map[string]int
	// Differences lists how a follower's decision differs from the scheduler's. The sequence ends with them.
	Differences []string
	// Log lists the changes and attempts, in their order.
	Log []string
	// Case is the cluster at the differences; nil if there are none.
	Case *Case
}

// ProfileNames are the profiles of the scheduler.
var ProfileNames = []string{corev1.DefaultSchedulerName, SecondProfile}

// sequenceRun is a Sequence while it runs.
type sequenceRun struct {
	*Sequence
	*generator
	*world
	result    *SequenceResult
	r         *reference
	scheduler *clerk
	rival     *rival
	followers []Follower
	queue     QueueFollower
	loop      LoopFollower
	// loopEnded says that the loop cannot follow any longer. The sequence ends then.
	loopEnded bool
	// exempt are the exemptions as they were before a change during the attempt; nil if there was no such change.
	exempt *exemptions
	// current is the pod of the attempt.
	current *corev1.Pod
	// answers and errors have the decision or the error of each follower, by its name.
	answers map[string]*decided
	errors  map[string]error
	// late are the versions of pods that the informers have not told of yet; nil if there are none.
	late []*corev1.Pod
	// held describes the hanging calls; nil if none hangs.
	held *heldBack
	// cycle is the attempt of a group.
	cycle *GroupCycle
	// ghosts are the pods in deletion that the scheduler keeps room for in this attempt.
	ghosts []ghost
	// underWay are the preemptors whose plans hung before the attempt.
	underWay []types.UID
}

// Run runs the sequence. An error means that it could not be run to its end.
func (s *Sequence) Run() (*SequenceResult, error) {
	c, err := Generate(s.Kind, s.Seed)
	if err != nil {
		return nil, err
	}
	f, err := featuresOf(s.Kind)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	run := &sequenceRun{Sequence: s, result: &SequenceResult{Counts: map[string]int{}},
		generator: &generator{Rand: rand.New(rand.NewPCG(s.Seed, 0xfeed)), features: f, c: c, pods: 500}}
	run.generator.profile()
	if err := run.begin(ctx); err != nil {
		return nil, err
	}
	defer run.end()

	for i := range s.Attempts {
		// While news is late nothing changes: a later version of a pod must not overtake an earlier one.
		if run.late == nil {
			for range run.between(0, 6) {
				if err := run.change(); err != nil {
					return nil, err
				}
			}
		}

		if err := run.attempt(ctx); err != nil {
			return nil, fmt.Errorf("attempt %d: %w", i, err)
		}
		if len(run.result.Differences) > 0 {
			run.result.Case = run.asCase()
			break
		}
		if run.loopEnded {
			break
		}
	}

	if run.queue != nil {
		maps.Copy(run.result.Counts, run.queue.Counts())
	}
	return run.result, nil
}

// begin makes the scheduler and the followers, and then the objects of the cluster.
func (s *sequenceRun) begin(ctx context.Context) error {
	s.scheduler = newClerk()
	s.world = newWorld(s.scheduler.client())
	s.followWithLoop()
	s.r = &reference{importance: s.importance}
	s.cycle = newGroupCycle(s)
	s.fresh()

	// The scheduler comes first. The reference watches the framework of each of its profiles.
	list, err := profilesOf(&Case{Preemptor: &corev1.Pod{Spec: corev1.PodSpec{SchedulerName: SecondProfile}}}, "")
	if err != nil {
		return err
	}
	options := []scheduler.Option{scheduler.WithParallelism(1), scheduler.WithProfiles(list...)}
	if s.Queue != nil {
		s.queue = s.Queue()
		options = append(options, s.queue.Options()...)
	}

	sched, err := scheduler.New(ctx, s.scheduler.client(), s.world.told, nil, func(string) events.EventRecorderLogger { return &recorder{s.r} }, options...)
	if err != nil {
		return err
	}
	profiles := map[string]framework.Framework{}
	for _, name := range ProfileNames {
		if profiles[name], err = s.r.watch(ctx, sched, name); err != nil {
			return err
		}
	}

	// The others hook into the scheduler. The cycles of groups wrap the profiles, so that they come after the
	// queue and the rival, which take the profiles as they are.
	if s.queue != nil {
		if err := s.queue.Follow(sched, profiles); err != nil {
			return err
		}
	}
	s.meanwhile(sched)
	if s.rival, err = newRival(ctx, s, profiles); err != nil {
		return err
	}
	if s.Cycles != nil {
		for _, name := range ProfileNames {
			sched.Profiles[name] = s.Cycles(sched.Profiles[name], s.cycle)
		}
	}
	s.listen(sched)

	// The followers come before the first object, so that they see all of them come.
	if s.followers, err = s.Follow(s.world.told, profiles[corev1.DefaultSchedulerName]); err != nil {
		return err
	}
	return s.fill(s.generator)
}

// listen notes each attempt of the scheduler. It lets the followers decide when the filters have spoken and
// before the preemption changes anything. The followers decide about members of a group in its cycle.
func (s *sequenceRun) listen(sched *scheduler.Scheduler) {
	schedule := sched.SchedulePod
	sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		if s.inCycle(pod.Pod) {
			result, err := schedule(ctx, f, state, pod)
			s.cycle.noteMember(pod.Pod, err == nil)
			return result, err
		}

		s.current, s.r.preemptor = pod.Pod, podKey(pod.Pod)
		result, err := schedule(ctx, f, state, pod)
		s.r.answer.Fits = err == nil
		s.decide()
		return result, err
	}
}

// end lets all hanging calls go on, waits for them, and closes the rival and the queue.
func (s *sequenceRun) end() {
	s.letGo()
	s.rival.close()
	s.r.sched.SchedulingQueue.Close()
}

// fresh forgets the answer of the last attempt.
func (s *sequenceRun) fresh() {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	s.r.answer = &Answer{Nodes: map[string]Status{}, Unhelpful: map[string]Status{}}
	s.exempt, s.ghosts = nil, nil
	s.cycle.begin()
	s.current, s.answers, s.errors = nil, map[string]*decided{}, map[string]error{}
}

// note counts a change by its kind and writes it into the log.
func (s *sequenceRun) note(what, format string, args ...any) {
	s.result.Counts[what]++
	s.result.Log = append(s.result.Log, what+" "+fmt.Sprintf(format, args...))
}

// decide lets every follower decide about the pod of the attempt.
func (s *sequenceRun) decide() {
	s.ask([]*corev1.Pod{s.current}, func(name string, snap *engine.Snapshot, pods []*outrank.Pod) error {
		d, err := s.Harness.decideAbout(snap, preemption.Config{Profile: preemption.Profile{Schedulers: ProfileNames}}, pods[0], time.Now())
		if err != nil {
			return err
		}
		for _, p := range s.known() {
			d.importance[outrank.Key(podKey(p))] = s.importance(p)
		}
		s.answers[name] = d
		return nil
	})
}

// ask calls decide with every follower's view of the cluster. Followers that know no more than the informers are
// left out while news is late: the scheduler knows more.
func (s *sequenceRun) ask(pods []*corev1.Pod, decide func(name string, snap *engine.Snapshot, pods []*outrank.Pod) error) {
	var err error
	if s.ghosts, err = s.findGhosts(); err != nil {
		s.errors["fresh"] = err
		return
	}
	if len(s.ghosts) > 0 {
		s.result.Counts["attempts with the nomination of a deleted pod: 7.16.6"]++
	}
	for _, f := range append([]Follower{{Name: "fresh", Late: true, View: s.anew}}, s.followers...) {
		if f.Late && s.late != nil {
			continue
		}
		err := f.View(pods, func(snap *engine.Snapshot, pods []*outrank.Pod) error {
			snap, err := s.withGhosts(snap)
			if err != nil {
				return err
			}
			return decide(f.Name, snap, pods)
		})
		if err != nil {
			s.errors[f.Name] = err
		}
	}
}

// anew is the View of the follower without memory: it converts the whole cluster.
func (s *sequenceRun) anew(pods []*corev1.Pod, decide func(*engine.Snapshot, []*outrank.Pod) error) error {
	cluster, err := s.Harness.Convert(s.asCaseOf(pods[0]))
	if err != nil {
		return err
	}
	cluster.Release = s.Harness.Release
	snap, err := engine.NewSnapshot(cluster)
	if err != nil {
		return err
	}

	converted := make([]*outrank.Pod, len(pods))
	for i, p := range pods {
		converted[i] = cluster.Pod(p.Namespace, p.Name)
	}
	return decide(snap, converted)
}

// asCase returns the cluster as a case about the pod of the attempt.
func (s *sequenceRun) asCase() *Case { return s.asCaseOf(s.current) }

// asCaseOf returns the cluster as a case about a pod.
func (s *sequenceRun) asCaseOf(pod *corev1.Pod) *Case {
	c := s.objects
	c.Kind, c.Seed, c.Preemptor = s.Kind, s.Seed, pod
	for _, p := range s.known() {
		if pod != nil && podKey(p) == podKey(pod) {
			c.Preemptor = p
			continue
		}
		c.Pods = append(c.Pods, p)
	}
	return &c
}

// attempt lets the scheduler try a pod, and compares the answers.
func (s *sequenceRun) attempt(ctx context.Context) error {
	if err := s.release(); err != nil {
		return err
	}
	if !s.upNext() {
		s.result.Counts["nothing to try"]++
		return nil
	}

	// Late is what was late before the attempt: the attempt's own calls may make further news late.
	late := s.late
	s.fresh()
	s.draw()
	s.underWay = s.hanging()
	s.r.sched.ScheduleOne(ctx)

	switch {
	case s.current != nil:
		s.settle()
		s.compare()
		s.compareLoop()
	case len(s.cycle.members) > 0:
		s.settleGroup()
		s.compareGroup()
	default: // the pod is being deleted, and is not tried (rule 7.16.6)
		s.result.Counts["passed over"]++
		s.compareQueues()
		return s.arrive()
	}
	s.compareQueues()
	if len(s.result.Differences) > 0 {
		return nil
	}

	// News is late for one attempt. It arrives before the attempt's own calls take effect.
	if late != nil {
		if err := s.arrive(); err != nil {
			return err
		}
	}
	return s.apply(s.scheduler.take())
}

func podKey(p *corev1.Pod) string { return p.Namespace + "/" + p.Name }

// begun gives a pod on a node a start that no other pod has. Between pods with equal starts the scheduler would
// decide by the order in which it has learned of them.
func (s *sequenceRun) begun(p *corev1.Pod) {
	s.begins++
	at := metav1.NewTime(start.Add(-time.Duration((s.begins*7919)%100000) * time.Minute))
	p.Status.StartTime = &at
}

func isRunning(p *corev1.Pod) bool { return p.Spec.NodeName != "" }
func isPending(p *corev1.Pod) bool { return p.Spec.NodeName == "" }

// one picks one of the pods for which want returns true; nil if there is none.
func (s *sequenceRun) one(want func(*corev1.Pod) bool) *corev1.Pod {
	list := slices.DeleteFunc(slices.Clone(s.known()), func(p *corev1.Pod) bool { return !want(p) })
	if len(list) == 0 {
		return nil
	}
	return pick(s.generator, list...).DeepCopy()
}
