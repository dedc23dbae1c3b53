package differential

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
)

func uid(name string) types.UID { return types.UID("uid-" + name) }

// pod draws what all pods have: labels, containers and what they ask for.
func (g *generator) pod(name string) *corev1.Pod {
	namespace := pick(g, "default", "default", "default", "red", "blue")
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, UID: uid(name), Labels: map[string]string{}}}
	p.Spec.SchedulerName = corev1.DefaultSchedulerName
	p.Status.Phase = corev1.PodPending

	if !g.oneIn(8) {
		p.Labels["app"] = pick(g, "web", "web", "db", "cache")
	}
	if g.oneIn(2) {
		p.Labels["tier"] = pick(g, "front", "back")
	}

	for i := range g.between(1, pick(g, 1, 1, 2, 3)) {
		p.Spec.Containers = append(p.Spec.Containers, g.container(fmt.Sprintf("c%d", i)))
	}
	if g.oneIn(6) {
		g.initContainers(p)
	}
	if g.oneIn(12) {
		p.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
	}
	if g.oneIn(12) {
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: g.cpu()}}
	}
	return p
}

func (g *generator) cpu() resource.Quantity {
	return *resource.NewMilliQuantity(int64(pick(g, 0, 100, 200, 200, 300, 500, 1000)), resource.DecimalSI)
}

func (g *generator) memory() resource.Quantity {
	return *resource.NewQuantity(int64(pick(g, 0, 64, 128, 128, 256, 512))<<20, resource.BinarySI)
}

func (g *generator) container(name string) corev1.Container {
	c := corev1.Container{Name: name, Image: "registry.example/app:1"}
	c.Resources.Requests = corev1.ResourceList{}
	if !g.oneIn(10) {
		c.Resources.Requests[corev1.ResourceCPU] = g.cpu()
	}
	if !g.oneIn(10) {
		c.Resources.Requests[corev1.ResourceMemory] = g.memory()
	}
	if g.oneIn(6) {
		c.Resources.Requests["example.com/gpu"] = resource.MustParse(pick(g, "1", "1", "2"))
	}
	if g.oneIn(10) {
		c.Resources.Requests[corev1.ResourceEphemeralStorage] = resource.MustParse(pick(g, "256Mi", "1Gi"))
	}
	if g.filters && g.oneIn(6) {
		c.Ports = append(c.Ports, corev1.ContainerPort{
			ContainerPort: 80, HostPort: pick(g, int32(80), 80, 443), HostIP: pick(g, "", "", "10.0.0.1", "0.0.0.0", "10.0.0.2"),
			Protocol: pick(g, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP),
		})
	}
	return c
}

func (g *generator) initContainers(p *corev1.Pod) {
	for i := range g.between(1, 2) {
		c := g.container(fmt.Sprintf("i%d", i))
		if g.oneIn(2) {
			always := corev1.ContainerRestartPolicyAlways
			c.RestartPolicy = &always
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
}

func (g *generator) name() string {
	g.pods++
	return fmt.Sprintf("p%03d", g.pods)
}

func (g *generator) setPriority(p *corev1.Pod) {
	if g.oneIn(20) {
		return // a pod without a priority counts as one of priority 0
	}
	priority := pick(g, g.priorities...)
	p.Spec.Priority = &priority
}

// running draws a pod on a node and adds it to the case.
func (g *generator) running(node string) *corev1.Pod {
	p := g.pod(g.name())
	p.Spec.NodeName = node
	p.Status.Phase = corev1.PodRunning
	g.setPriority(p)

	if !g.oneIn(12) {
		t := metav1.NewTime(start.Add(-time.Duration(g.IntN(g.starts)) * time.Minute))
		p.Status.StartTime = &t
	}
	if g.oneIn(10) {
		g.terminate(p)
	}

	// A group means nothing with the default feature gates.
	if g.oneIn(10) {
		group := pick(g, "crew", "gang")
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	}
	if g.affinity && g.oneIn(3) {
		p.Spec.Affinity = g.podAffinity(p.Labels)
	}
	if g.volumes && g.oneIn(3) {
		g.mount(p)
	}
	if g.resizes && g.oneIn(2) {
		g.resize(p)
	}
	g.c.Pods = append(g.c.Pods, p)
	return p
}

// terminate marks a pod as being deleted, mostly by a preemption.
func (g *generator) terminate(p *corev1.Pod) {
	t := metav1.NewTime(start.Add(time.Second))
	grace := int64(30)
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &t, &grace
	if g.oneIn(4) {
		return
	}
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
		Type:   corev1.DisruptionTarget,
		Status: pick(g, corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionFalse),
		Reason: pick(g, corev1.PodReasonPreemptionByScheduler, corev1.PodReasonPreemptionByScheduler, corev1.PodReasonTerminationByKubelet),
	})
}

// pending draws pods that wait. Most of them are nominated, some to a node that does not exist.
func (g *generator) pending() {
	if !g.nominated {
		return
	}
	for range g.between(0, 4) {
		p := g.pod(g.name())
		g.setPriority(p)
		if !g.oneIn(8) {
			p.Status.NominatedNodeName = fmt.Sprintf("n%d", g.IntN(len(g.c.Nodes)+1))
		}

		if g.oneIn(6) {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
		}
		switch g.IntN(8) {
		case 0:
			p.Spec.SchedulerName = "another-scheduler"
		case 1:
			p.Spec.SchedulerName = SecondProfile
		}

		// A pod with gates that is being deleted would stay in the queue (rule 7.16.6).
		if g.oneIn(8) && len(p.Spec.SchedulingGates) == 0 {
			p.DeletionTimestamp, p.Finalizers = &metav1.Time{Time: start.Add(time.Second)}, []string{"example.com/hold"}
		}
		if g.affinity && g.oneIn(3) {
			p.Spec.Affinity = g.podAffinity(p.Labels)
		}
		if g.volumes && g.oneIn(4) {
			g.mount(p)
		}

		g.c.Pods = append(g.c.Pods, p)
	}
}

// preemptor draws the pod that the case is about. It mostly asks for much, and it may be nominated from an
// earlier attempt.
func (g *generator) preemptor() {
	p := g.pod("preemptor")
	if !g.oneIn(20) {
		priority := pick(g, int32(7), 50, 500, 2000, 10000, 2000000001)
		p.Spec.Priority = &priority
	}
	if !g.oneIn(3) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(pick(g, 400, 700, 1000, 2000)), resource.DecimalSI)
	}
	if g.oneIn(25) {
		never := corev1.PreemptNever
		p.Spec.PreemptionPolicy = &never
	}

	if g.nominated && g.oneIn(4) {
		p.Spec.SchedulerName = SecondProfile
	}

	// The node of an earlier nomination may not exist any more.
	if g.nominated && g.oneIn(3) || g.oneIn(15) {
		p.Status.NominatedNodeName = fmt.Sprintf("n%d", g.IntN(len(g.c.Nodes)+1))
	}

	if g.filters {
		g.demand(p)
	}
	if g.affinity && !g.oneIn(3) {
		p.Spec.Affinity = merge(p.Spec.Affinity, g.podAffinity(p.Labels))
	}
	if g.spread && !g.oneIn(8) {
		g.constrain(p)
	}
	if g.volumes && !g.oneIn(4) {
		g.mount(p)
	}
	g.c.Preemptor = p
}

// clearDropped removes the nominations of pending pods that are being deleted, if the preemptor's priority is not
// above 0. The reference would count such a nomination like a pod of priority 0 that requests nothing but the room of
// one pod; outrank does not count it (rule 7.16.6).
func (g *generator) clearDropped() {
	if corev1helpers.PodPriority(g.c.Preemptor) > 0 {
		return
	}
	for _, p := range g.c.Pods {
		if isDropped(p) {
			p.Status.NominatedNodeName = ""
		}
	}
}

// roughly sums the requests of a pod's containers: the CPU in thousandths of a core, the memory in MiB.
func roughly(p *corev1.Pod) (cpu, memory int64) {
	for i := range p.Spec.Containers {
		r := p.Spec.Containers[i].Resources.Requests
		cpu += r.Cpu().MilliValue()
		memory += r.Memory().Value() >> 20
	}
	return cpu, memory
}
