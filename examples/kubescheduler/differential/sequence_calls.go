package differential

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// heldBack describes the calls that hang.
type heldBack struct {
	// now is true during the attempt whose calls they are.
	now bool
	// left is the number of attempts that are made before the calls go on.
	left int
}

// draw decides the fate of the calls of the next attempt: mostly success.
func (s *sequenceRun) draw() {
	// Only the calls of one attempt hang at a time.
	var fate func(string) trouble
	kinds := []trouble{noCondition, noDeletion, noBinding, hangs}
	if s.held != nil {
		kinds = kinds[:3]
	}

	// One in three victims is in trouble. Which ones must not depend on the order of calls, which are made at
	// once: a hash of the name decides.
	if s.Loop == nil && s.oneIn(5) {
		kind, salt := pick(s.generator, kinds...), fmt.Sprint(s.Uint64())
		fate = func(pod string) trouble {
			h := fnv.New32a()
			_, _ = h.Write([]byte(salt + pod))
			if h.Sum32()%3 > 0 && kind != noBinding {
				return none
			}
			return kind
		}
	}
	s.scheduler.begin(fate)
	s.rival.clerk.begin(fate)
}

// settle waits until the scheduler has done everything of this attempt, or hangs.
func (s *sequenceRun) settle() {
	expected := s.expected()
	s.until(func() bool {
		// A pod that fits is bound, or its binding fails. A resize that fits is left to the kubelet.
		hanging, _, bound := s.scheduler.state(s.r.preemptor)
		if s.r.answer.Fits {
			refused, told := s.scheduler.bindingFailed(s.r.preemptor)
			return bound || refused && told || isRunning(s.current)
		}

		// A plan that hung before the attempt still does, so that the victims are awaited and not its end.
		return s.held == nil && hanging > 0 || !s.carriesOut(s.current) || s.hasHungBefore(s.current.UID) && s.toldAll(expected)
	})
	s.settleRival()
	if refused, _ := s.scheduler.bindingFailed(s.r.preemptor); refused {
		s.result.Counts["bindings that failed"]++
	}
	s.settleTrouble(s.current)
}

// expected returns the victims that the scheduler will tell to go, if the follower that shares its memory is
// right.
func (s *sequenceRun) expected() []string {
	if d := s.answers["framework"]; d != nil && !s.r.answer.Fits {
		return d.answer(s.r.answer.Nominated).Evicted
	}
	return nil
}

// toldAll reports whether the scheduler has told exactly these to go.
func (s *sequenceRun) toldAll(expected []string) bool {
	deleted, _ := s.scheduler.did("")
	return slices.Equal(deleted, expected)
}

// hasHungBefore reports whether a plan of the preemptor hung already before the attempt. Then it still hangs when
// the attempt is over, with whatever result.
func (s *sequenceRun) hasHungBefore(uid types.UID) bool { return slices.Contains(s.underWay, uid) }

// hanging returns the preemptors whose plans hang.
func (s *sequenceRun) hanging() (list []types.UID) {
	if s.held == nil {
		return nil
	}
	for _, name := range ProfileNames {
		list = append(list, preempting(s.rival.own[name])...)
	}
	return list
}

// settleRival waits until the rival has carried its plan out. While calls hang it is compared with nothing, and
// the wait is short.
func (s *sequenceRun) settleRival() {
	if s.held != nil {
		s.soon(func() bool { return !s.rival.carriesOut() })
		return
	}
	s.until(func() bool { return s.rival.clerk.busy() || !s.rival.carriesOut() })
}

// settleTrouble records the failed and hanging calls of an attempt about the pod, or about a group with that pod.
func (s *sequenceRun) settleTrouble(pod *corev1.Pod) {
	hanging, refused, _ := s.scheduler.state(podKey(pod))

	// After a failed call the scheduler may activate the preemptor.
	if refused > 0 {
		s.result.Counts["calls that failed"] += refused
		s.soon(func() bool {
			return slices.ContainsFunc(s.r.sched.SchedulingQueue.PodsInActiveQ(), func(p *corev1.Pod) bool { return p.UID == pod.UID })
		})
	}

	switch {
	case s.held != nil:
		s.held.now = false
	case hanging > 0:
		s.held = &heldBack{now: true, left: s.between(1, 3)}
		s.note("hangs", "%d for %d attempts", hanging, s.held.left)
	}
}

// until waits for a change that another goroutine makes and that must come.
func (s *sequenceRun) until(is func() bool) {
	if !wait(25000, is) {
		s.result.Counts["waited for nothing"]++
	}
}

// soon waits for a change that need not come.
func (s *sequenceRun) soon(is func() bool) { wait(100, is) }

func wait(times int, is func() bool) bool {
	for range times {
		if is() {
			return true
		}
		time.Sleep(200 * time.Microsecond)
	}
	return false
}

// release lets hanging calls go on when they have hung long enough. While news is late they go on hanging: what
// they change must not overtake it.
func (s *sequenceRun) release() error {
	if s.held == nil {
		return nil
	}
	if s.held.left--; s.held.left >= 0 || s.late != nil {
		return nil
	}
	s.letGo()
	return s.apply(s.scheduler.take())
}

// letGo lets the hanging calls of the scheduler and the rival go on, and waits for their end.
func (s *sequenceRun) letGo() {
	s.scheduler.letGo()
	s.rival.clerk.letGo()
	s.until(func() bool {
		return !s.scheduler.busy() && !s.rival.clerk.busy() && !s.anyPreempting() && !s.rival.carriesOut()
	})
	s.held = nil
}

// apply does what the API server does with the calls, and passes the new versions of the pods on, at once or
// late.
func (s *sequenceRun) apply(calls []call) error {
	// Several calls about a pod make one version of it. A pod that is gone has none.
	var changed []*corev1.Pod
	for _, one := range calls {
		at := slices.IndexFunc(changed, func(p *corev1.Pod) bool { return podKey(p) == one.pod })
		if at < 0 {
			p := s.all[one.pod]
			if p == nil {
				continue
			}
			changed, at = append(changed, p.DeepCopy()), len(changed)
		}
		if err := s.applyTo(changed[at], one); err != nil {
			return err
		}
	}

	if s.Loop == nil && s.late == nil && len(changed) > 0 && s.oneIn(4) {
		s.late = changed
		s.note("late", "%d pods", len(changed))
		return nil
	}
	return s.tell(changed)
}

func (s *sequenceRun) applyTo(p *corev1.Pod, one call) error {
	switch {
	case one.delete:
		if p.DeletionTimestamp == nil {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: start.Add(time.Second)}, new(int64)
			*p.DeletionGracePeriodSeconds = 30
		}
	case one.bind != "":
		p.Spec.NodeName, p.Status.NominatedNodeName = one.bind, ""
		p.Status.Phase = corev1.PodRunning
		s.begun(p)
	default:
		before, err := json.Marshal(p)
		if err != nil {
			return err
		}
		after, err := strategicpatch.StrategicMergePatch(before, one.patch, corev1.Pod{})
		if err != nil {
			return fmt.Errorf("patch %s: %w", one.patch, err)
		}
		*p = corev1.Pod{}
		return json.Unmarshal(after, p)
	}
	return nil
}

// arrive passes the late versions on.
func (s *sequenceRun) arrive() error {
	late := s.late
	s.late = nil
	return s.tell(late)
}

// tell passes on new versions of pods, except of pods that are gone.
func (s *sequenceRun) tell(changed []*corev1.Pod) error {
	for _, p := range changed {
		if now := s.all[podKey(p)]; now == nil || now.UID != p.UID {
			continue
		}
		if err := s.put(p); err != nil {
			return err
		}
	}
	return nil
}
