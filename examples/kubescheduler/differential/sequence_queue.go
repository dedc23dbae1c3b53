package differential

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// QueueFollower is a queue that repeats the steps of the scheduler's.
type QueueFollower interface {
	// Options are those that the scheduler is made with.
	Options() []scheduler.Option
	// Follow begins, while the scheduler's queue is empty.
	Follow(sched *scheduler.Scheduler, profiles map[string]framework.Framework) error
	// Pass lets time pass for both queues.
	Pass(time.Duration)
	// Ready reports whether there is a pod to be popped.
	Ready() bool
	// Compare returns the differences of the queues, and Counts what was seen.
	Compare() []string
	Counts() map[string]int
}

// upNext prepares the queue for the next attempt, and reports whether there is a
// pod to try. Mostly one pod is put at the head of the queue; else the queue
// chooses the next, some time later.
func (s *sequenceRun) upNext() bool {
	if s.queue == nil {
		s.r.sched.SchedulingQueue.Activate(klog.Background(), s.toTry())
		return len(s.r.sched.SchedulingQueue.PodsInActiveQ()) > 0
	}
	s.compareQueues()
	if s.oneIn(2) {
		d := pick(s.generator, 10*time.Millisecond, 300*time.Millisecond, time.Second, 3*time.Second, 12*time.Second, 6*time.Minute)
		s.note("time passes", "%v", d)
		s.queue.Pass(d)
	}
	if s.oneIn(2) {
		s.r.sched.SchedulingQueue.Activate(klog.Background(), s.toTry())
	}
	s.compareQueues()
	return s.queue.Ready()
}

// toTry are the pods that are put at the head of the queue: mostly one.
func (s *sequenceRun) toTry() map[string]*corev1.Pod {
	all := map[string]*corev1.Pod{}
	var keys []string
	for _, p := range s.known() {
		if p.Spec.NodeName == "" || s.Resizes {
			keys = append(keys, podKey(p))
			all[podKey(p)] = p
		}
	}
	often := 5
	if s.queue != nil {
		often = 25
	}
	if len(keys) == 0 || s.oneIn(often) {
		return all
	}
	one := pick(s.generator, keys...)
	return map[string]*corev1.Pod{one: all[one]}
}

// compareQueues records the differences between the scheduler's queue and its follower.
func (s *sequenceRun) compareQueues() {
	if s.queue == nil || len(s.result.Differences) > 0 {
		return
	}
	for _, line := range s.queue.Compare() {
		s.result.Differences = append(s.result.Differences, "queue: "+line)
	}
}

// waits puts a pending pod in a group that does not exist, which the queue keeps apart.
func (s *sequenceRun) waits(p *corev1.Pod) {
	if !s.Groups || !s.oneIn(12) {
		return
	}
	group := "absent"
	p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
}

// meanwhile makes a change now and then between the decision about a pod and its
// way back to the queue: events during an attempt count then.
func (s *sequenceRun) meanwhile(sched *scheduler.Scheduler) {
	handle := sched.FailureHandler
	sched.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, status *fwk.Status, n *fwk.NominatingInfo, at time.Time) {
		if s.inCycle(pod.Pod) {
			s.cycle.noteMember(pod.Pod, false)
			handle(ctx, f, pod, status, n, at)
			return
		}
		if s.queue != nil && s.late == nil && !s.r.answer.Fits && s.oneIn(3) {
			e := s.exemptions()
			s.exempt = &e
			if err := s.changeMeanwhile(); err != nil {
				s.result.Differences = append(s.result.Differences, "meanwhile: "+err.Error())
			}
		}
		handle(ctx, f, pod, status, n, at)
	}
}

// changeMeanwhile changes objects that no executor looks at: the pod of the
// attempt, nodes, or pods that nobody is told to go. A preemptor stays: for one
// that is gone the plugin tells nobody to go any more.
func (s *sequenceRun) changeMeanwhile() error {
	s.note("meanwhile", "")
	own := s.all[podKey(s.current)]
	switch n := s.IntN(12); {
	case n == 0 && own != nil && !s.r.answer.Preempts:
		return s.gone(own)
	case n < 3 && own != nil:
		changed := own.DeepCopy()
		changed.Spec.Tolerations = append(changed.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
		return s.put(changed)
	case n < 6:
		return s.changeNode()
	case n < 8:
		return s.changeStorage()
	case n < 10:
		return s.newRunning()
	}
	return s.endTerminating()
}
