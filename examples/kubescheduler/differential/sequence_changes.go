package differential

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// changes are the changes that the cluster may undergo between attempts. The weight says how often each is drawn.
var changes = []struct {
	weight int
	make   func(*sequenceRun) error
}{
	{6, (*sequenceRun).newPending},
	{2, (*sequenceRun).newRunning},
	{3, (*sequenceRun).endTerminating},
	{1, (*sequenceRun).vanish},
	{2, (*sequenceRun).delete},
	{1, (*sequenceRun).deletePending},
	{1, (*sequenceRun).relabel},
	{2, (*sequenceRun).resizeRunning},
	{1, (*sequenceRun).nominate},
	{1, (*sequenceRun).openGate},
	{3, (*sequenceRun).changeNode},
	{1, (*sequenceRun).replaceNode},
	{3, (*sequenceRun).changeBudget},
	{1, (*sequenceRun).changeNamespace},
	{1, (*sequenceRun).comeAgain},
	{2, (*sequenceRun).changeStorage},
	{1, (*sequenceRun).tolerate},
}

// change draws one change and makes it.
func (s *sequenceRun) change() error {
	if s.Groups && s.oneIn(6) {
		return s.changeGroup()
	}
	if s.Cycles != nil && s.oneIn(6) {
		return s.newMembers()
	}

	all := 0
	for i := range changes {
		all += changes[i].weight
	}
	n := s.IntN(all)
	for i := range changes {
		if n -= changes[i].weight; n < 0 {
			return changes[i].make(s)
		}
	}
	return nil
}

// generated returns a pod that the generator draws. The generator adds the pod to the case; generated takes it off
// again, because the scheduler does not know it yet.
func (s *sequenceRun) generated(draw func(*generator) *corev1.Pod) *corev1.Pod {
	p := draw(s.generator)
	s.objects.Pods, s.objects.Preemptor = nil, nil
	return p
}

// somewhere draws the name of a node, sometimes of one that does not exist.
func (s *sequenceRun) somewhere() string { return fmt.Sprintf("n%d", s.IntN(len(s.objects.Nodes)+1)) }

// pendingPod draws a pod that asks for much.
func (s *sequenceRun) pendingPod() *corev1.Pod {
	p := s.generated(func(g *generator) *corev1.Pod {
		g.preemptor()
		return g.c.Preemptor
	})
	p.Name = s.name()
	p.UID = uid(p.Name)
	if p.Spec.SchedulerName = corev1.DefaultSchedulerName; s.oneIn(4) {
		p.Spec.SchedulerName = SecondProfile
	}
	if s.oneIn(4) {
		s.setPriority(p)
	}
	if s.oneIn(10) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	if s.oneIn(12) {
		p.Spec.SchedulerName = "another-scheduler"
	}
	s.waits(p)
	return p
}

func (s *sequenceRun) newPending() error {
	p := s.pendingPod()
	s.note("new pending pod", "%s", podKey(p))
	return s.put(p)
}

// newRunning lets another scheduler, or a kubelet, put a pod on a node.
func (s *sequenceRun) newRunning() error {
	at := s.somewhere()
	p := s.generated(func(g *generator) *corev1.Pod { return g.running(at) })
	s.begun(p)
	s.join(p)
	s.note("new running pod", "%s on %s", podKey(p), at)
	return s.put(p)
}

func (s *sequenceRun) endTerminating() error {
	p := s.one(func(p *corev1.Pod) bool { return isRunning(p) && p.DeletionTimestamp != nil })
	if p == nil {
		return nil
	}
	s.note("end of a terminating pod", "%s", podKey(p))
	return s.gone(p)
}

func (s *sequenceRun) vanish() error {
	p := s.one(func(*corev1.Pod) bool { return true })
	if p == nil {
		return nil
	}
	s.note("end of a pod", "%s", podKey(p))
	return s.gone(p)
}

func (s *sequenceRun) delete() error {
	p := s.one(func(p *corev1.Pod) bool { return p.DeletionTimestamp == nil && isRunning(p) })
	if p == nil {
		return nil
	}
	s.terminate(p)
	s.note("deletion", "%s", podKey(p))
	return s.put(p)
}

// deletePending deletes a pod that waits. A finalizer keeps the pod in the API.
func (s *sequenceRun) deletePending() error {
	if s.Loop != nil {
		return nil
	}
	p := s.one(func(p *corev1.Pod) bool { return p.DeletionTimestamp == nil && isPending(p) })
	if p == nil {
		return nil
	}
	p.DeletionTimestamp, p.Finalizers = &metav1.Time{Time: start.Add(time.Second)}, []string{"example.com/hold"}
	s.note("deletion of a pending pod", "%s", podKey(p))
	return s.put(p)
}

func (s *sequenceRun) relabel() error {
	p := s.one(func(*corev1.Pod) bool { return true })
	if p == nil {
		return nil
	}
	// Its tier stays: the API server writes the labels of matchLabelKeys into selectors when the pod is made, and
	// outrank reads them from the labels (rule 7.13.17).
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	p.Labels["app"] = pick(s.generator, "web", "db", "cache")
	s.note("other labels", "%s %v", podKey(p), p.Labels)
	return s.put(p)
}

// resizeRunning changes the request of a running pod's container. Its kubelet has carried the resize out, has not
// looked at it yet, or puts it off.
func (s *sequenceRun) resizeRunning() error {
	p := s.one(isRunning)
	if p == nil {
		return nil
	}
	c := &p.Spec.Containers[s.IntN(len(p.Spec.Containers))]
	if c.Resources.Requests == nil {
		c.Resources.Requests = corev1.ResourceList{}
	}
	c.Resources.Requests[corev1.ResourceCPU] = s.cpu()

	// Without any status about resources the resize counts as carried out.
	p.Status.ContainerStatuses, p.Status.InitContainerStatuses, p.Status.Resources, p.Status.AllocatedResources = nil, nil, nil, nil
	p.Status.Conditions = slices.DeleteFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodResizePending })
	if s.oneIn(2) {
		s.resize(p)
	}
	s.note("resize", "%s", podKey(p))
	return s.put(p)
}

// nominate changes the nomination of a pod, or clears it, as another client of the API might.
func (s *sequenceRun) nominate() error {
	p := s.one(isPending)
	if p == nil {
		return nil
	}
	p.Status.NominatedNodeName = pick(s.generator, "", s.somewhere(), s.somewhere())
	s.note("nomination", "%s to %q", podKey(p), p.Status.NominatedNodeName)
	return s.put(p)
}

func (s *sequenceRun) openGate() error {
	p := s.one(func(p *corev1.Pod) bool { return isPending(p) && len(p.Spec.SchedulingGates) > 0 })
	if p == nil {
		return nil
	}
	p.Spec.SchedulingGates = nil
	s.note("open gate", "%s", podKey(p))
	return s.put(p)
}

// comeAgain lets a pending pod take the name of a running one, as a StatefulSet does.
func (s *sequenceRun) comeAgain() error {
	last := s.one(isRunning)
	if last == nil {
		return nil
	}
	if err := s.gone(last); err != nil {
		return err
	}
	p := s.pendingPod()
	p.Name, p.Namespace, p.UID = last.Name, last.Namespace, uid(last.Name+"-"+s.next())
	s.note("the same name again", "%s", podKey(p))
	return s.put(p)
}

func (s *sequenceRun) tolerate() error {
	p := s.one(isPending)
	if p == nil {
		return nil
	}
	p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
	s.note("toleration", "%s", podKey(p))
	return s.put(p)
}
