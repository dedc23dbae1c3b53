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
	// Options are options that the scheduler must be made with.
	Options() []scheduler.Option
	// Follow begins to follow the scheduler's queue, which must be empty.
	Follow(sched *scheduler.Scheduler, profiles map[string]framework.Framework) error
	// Pass lets time pass for both queues.
	Pass(time.Duration)
	// Ready reports whether there is a pod to be popped.
	Ready() bool
	// Compare returns the differences of the queues.
	Compare() []string
	// Counts returns how often each kind of step was seen.
	Counts() map[string]int
}

// upNext prepares the queue for the next attempt, and reports whether there is a pod to try. Without a follower
// of the queue pods are put at its head. With one, in half of the cases, the queue chooses the next pod, perhaps
// after some time has passed.
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

// toTry draws the pods that are put at the head of the queue: mostly one, sometimes all.
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

// waits makes some pending pods members of a group that does not exist. The queue keeps them apart.
func (s *sequenceRun) waits(p *corev1.Pod) {
	if !s.Groups || !s.oneIn(12) {
		return
	}
	group := "absent"
	p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
}

// meanwhile makes a change now and then between the decision about a pod and its return to the queue. The queue
// must count events that come during an attempt.
func (s *sequenceRun) meanwhile(sched *scheduler.Scheduler) {
	handle := sched.FailureHandler
	sched.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, status *fwk.Status, n *fwk.NominatingInfo, at time.Time) {
		if s.inCycle(pod.Pod) {
			s.cycle.noteMember(pod.Pod, false)
			handle(ctx, f, pod, status, n, at)
			return
		}

		// The exemptions are noted before the change: the decision was made by then.
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

// changeMeanwhile changes an object that no executor looks at: the pod of the attempt, a node, or a pod that
// nobody tells to go. A preemptor must stay: the plugin tells nobody to go for a pod that is gone.
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
