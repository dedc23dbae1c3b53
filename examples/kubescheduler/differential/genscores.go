package differential

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ScoreCase is a cluster and pods that are given places in it one after the other.
type ScoreCase struct {
	*Case
	// Waiting are the pods that are given places. None of them is in Case.
	Waiting []*corev1.Pod
	// File is the scheduler's configuration file.
	File []byte
	// Services, Controllers, ReplicaSets and StatefulSets select the pods that default constraints count.
	Services     []*corev1.Service
	Controllers  []*corev1.ReplicationController
	ReplicaSets  []*appsv1.ReplicaSet
	StatefulSets []*appsv1.StatefulSet
}

// scoreKinds are the kinds of the clusters, as [Generate] knows them.
var scoreKinds = []string{"resources", "filters", "affinity", "spread", "nominated", "volumes", "resizes", "everything"}

// GenerateScores draws a case: a cluster of [Generate] in which there is room, with everything that scores depend
// on.
func GenerateScores(seed uint64) (*ScoreCase, error) {
	kind := scoreKinds[seed%uint64(len(scoreKinds))]
	c, err := Generate(kind, seed)
	if err != nil {
		return nil, err
	}
	f, err := featuresOf(kind)
	if err != nil {
		return nil, err
	}

	// The new pods are numbered from 501, above all pods of the cluster. Pods that the scheduler drops are left out.
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 4711)), features: f, c: c, priorities: []int32{0, 10, 1000}, starts: 4, pods: 500}
	s := &ScoreCase{Case: c}
	g.selectors(s)
	for _, n := range c.Nodes {
		g.furnish(n)
	}
	c.Pods = slices.DeleteFunc(c.Pods, isDropped)
	for _, p := range c.Pods {
		g.wish(p)
	}

	// The preemptor of the case waits first. Nobody preempts here, so that the case has none. A pod whose claim
	// is missing would not be placed at all.
	first := c.Preemptor
	if c.lacksClaim(first) {
		first.Spec.Volumes = nil
	}
	first.Spec.SchedulerName = corev1.DefaultSchedulerName
	s.Waiting = append(s.Waiting, first)

	// A few cases have many pods. Each of them sees the places of the pods before it.
	more := g.between(0, 3)
	if g.oneIn(40) {
		more = g.between(20, 30)
	}
	for range more {
		s.Waiting = append(s.Waiting, g.waiting())
	}
	for _, p := range s.Waiting {
		g.wish(p)
	}
	c.Preemptor = nil

	s.File, err = json.Marshal(g.scoreFile())
	return s, err
}

// waiting draws a pod that waits.
func (g *generator) waiting() *corev1.Pod {
	p := g.pod(g.name())
	g.setPriority(p)
	if g.filters {
		g.demand(p)
	}
	if g.affinity && g.oneIn(3) {
		p.Spec.Affinity = merge(p.Spec.Affinity, g.podAffinity(p.Labels))
	}
	if g.spread && g.oneIn(2) {
		g.constrain(p)
	}
	if g.resizes && g.oneIn(3) {
		g.resize(p)
	}
	return p
}

var imageNames = []string{"registry.example/app:1", "registry.example/app", "registry.example/db:2", "registry.example:5000/tool", "registry.example/model@sha256:00", "small"}

// furnish gives a node room, images, taints that keep nobody away, and a label.
func (g *generator) furnish(n *corev1.Node) {
	more := func(name corev1.ResourceName, by resource.Quantity) {
		q := n.Status.Allocatable[name]
		q.Add(by)
		n.Status.Allocatable[name] = q
	}
	if !g.oneIn(4) {
		more(corev1.ResourceCPU, *resource.NewMilliQuantity(int64(g.between(0, 40))*100, resource.DecimalSI))
		more(corev1.ResourceMemory, *resource.NewQuantity(int64(g.between(0, 40))*64<<20, resource.BinarySI))
		more(corev1.ResourcePods, resource.MustParse("20"))
	}
	if g.oneIn(3) {
		more("example.com/gpu", resource.MustParse("8"))
	}

	// A kubelet may list an image by several names. A name without a tag means the tag latest.
	for range g.IntN(5) {
		name := pick(g, imageNames...)
		names := []string{name}
		if name == "registry.example/app" || name == "small" || g.oneIn(4) {
			names = append(names, name+":latest")
		}
		size := pick(g, int64(1), 10, 60, 300, 900, 2500) << 20
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: names, SizeBytes: size})
	}

	for range g.IntN(3) {
		t := g.taint()
		t.Effect = corev1.TaintEffectPreferNoSchedule
		n.Spec.Taints = append(n.Spec.Taints, t)
	}
	if g.oneIn(2) {
		n.Labels["disk"] = pick(g, "ssd", "hdd")
	}
}

// wish gives a pod images, an owner and preferences.
func (g *generator) wish(p *corev1.Pod) {
	for _, containers := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range containers {
			containers[i].Image = pick(g, imageNames...)
		}
	}
	if g.oneIn(8) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{
			Name: "image", VolumeSource: corev1.VolumeSource{Image: &corev1.ImageVolumeSource{Reference: pick(g, imageNames...)}},
		})
	}
	if g.oneIn(2) {
		g.own(p)
	}
	if g.oneIn(4) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
			Key: pick(g, "dedicated", "gpu"), Operator: corev1.TolerationOpExists, Effect: pick(g, "", corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoSchedule),
		})
	}
	if g.oneIn(4) {
		g.constrainSoftly(p)
	}
	if g.oneIn(3) {
		g.prefer(p)
	}
}

// own gives a pod a controller: one that the case may have, or a job.
func (g *generator) own(p *corev1.Pod) {
	yes := true
	kind, version := pick(g, "ReplicaSet", "StatefulSet", "ReplicationController", "Job"), "apps/v1"
	switch kind {
	case "ReplicationController":
		version = "v1"
	case "Job":
		version = "batch/v1"
	}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: pick(g, "a", "b"), UID: "u", Controller: &yes}}
}

// prefer adds preferences for nodes, for pods to be near to and for pods to be far from. What the pod requires
// stays.
func (g *generator) prefer(p *corev1.Pod) {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	a := p.Spec.Affinity

	if g.oneIn(2) {
		if a.NodeAffinity == nil {
			a.NodeAffinity = &corev1.NodeAffinity{}
		}
		wanted := g.nodeSelector()
		if g.oneIn(8) {
			g.makeOdd(wanted)
		}
		for _, t := range wanted.NodeSelectorTerms {
			a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.PreferredSchedulingTerm{Weight: int32(g.between(1, 100)), Preference: t})
		}
	}

	if g.oneIn(2) {
		if a.PodAffinity == nil {
			a.PodAffinity = &corev1.PodAffinity{}
		}
		a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = g.weighted(p.Labels)
	}
	if g.oneIn(2) {
		if a.PodAntiAffinity == nil {
			a.PodAntiAffinity = &corev1.PodAntiAffinity{}
		}
		a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = g.weighted(p.Labels)
	}
}

// weighted draws one or two preferences for pods to be near to, or far from.
func (g *generator) weighted(own map[string]string) (ts []corev1.WeightedPodAffinityTerm) {
	for range g.between(1, 2) {
		ts = append(ts, corev1.WeightedPodAffinityTerm{Weight: int32(g.between(1, 100)), PodAffinityTerm: g.podTerm(own)})
	}
	return ts
}

// constrainSoftly adds preferred spread constraints.
func (g *generator) constrainSoftly(p *corev1.Pod) {
	from := len(p.Spec.TopologySpreadConstraints)
	g.constrain(p)
	for i := range p.Spec.TopologySpreadConstraints[from:] {
		c := &p.Spec.TopologySpreadConstraints[from+i]
		c.WhenUnsatisfiable, c.MinDomains, c.MaxSkew = corev1.ScheduleAnyway, nil, int32(g.between(1, 5))
	}
}

// selectors draws the services and controllers whose pods default constraints count.
func (g *generator) selectors(s *ScoreCase) {
	plain := func() map[string]string {
		return pick(g, map[string]string{"app": "web"}, map[string]string{"app": "db"}, map[string]string{"tier": "front"}, map[string]string{}, nil)
	}
	for i := range g.IntN(4) {
		s.Services = append(s.Services, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("s", i), Namespace: pick(g, "default", "default", "red")}, Spec: corev1.ServiceSpec{Selector: plain()},
		})
	}
	for _, name := range []string{"a", "b"} {
		for _, namespace := range []string{"default", "red"} {
			meta := metav1.ObjectMeta{Name: name, Namespace: namespace}
			if g.oneIn(2) {
				s.ReplicaSets = append(s.ReplicaSets, &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: g.selector()}})
			}
			if g.oneIn(2) {
				s.StatefulSets = append(s.StatefulSets, &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: g.selector()}})
			}
			if g.oneIn(2) {
				s.Controllers = append(s.Controllers, &corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Selector: plain()}})
			}
		}
	}
}
