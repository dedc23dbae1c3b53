package documents

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// painter draws a world.
type painter struct {
	*rand.Rand
	// near says that pods have terms of affinity.
	near  bool
	named int
}

// amounts returns a list with so many halves of a core and so many mebibytes.
func amounts(halves, mebibytes int) resource.List {
	return resource.List{resource.CPU: resource.NewMilli(int64(halves) * 500), resource.Memory: resource.New(int64(mebibytes) << 20)}
}

// draw draws a world from a number.
func draw(number uint64) *world {
	r := &painter{Rand: rand.New(rand.NewPCG(*seed, number))}
	r.near = in(r.Rand, 2)
	w := &world{release: one(r.Rand, outrank.V1_36, outrank.V1_37)}
	for i := range 1 + r.IntN(5) + r.IntN(2)*r.IntN(6) {
		node, free := r.node(fmt.Sprint("n", i))
		w.nodes = append(w.nodes, node)
		w.pods = append(w.pods, r.tenants(node, free)...)
	}
	r.Shuffle(len(w.pods), func(i, j int) { w.pods[i], w.pods[j] = w.pods[j], w.pods[i] })
	for i := range r.IntN(4) {
		w.budgets = append(w.budgets, r.budget(fmt.Sprint("b", i), w.pods))
	}
	w.pod = r.asker(len(w.nodes))
	return w
}

// node draws a node, and what it has: halves of a core and mebibytes.
func (r *painter) node(name string) (*outrank.Node, [2]int) {
	halves, mebibytes := 2+r.IntN(8), 2+r.IntN(8)
	n := &outrank.Node{
		Name: name, Labels: map[string]string{host: name, "disk": one(r.Rand, "ssd", "hdd")},
		Allocatable: amounts(halves, mebibytes), Unschedulable: in(r.Rand, 14),
	}
	n.Allocatable[resource.Pods] = resource.New(one[int64](r.Rand, 2, 4, 110, 110))
	if !in(r.Rand, 8) {
		n.Labels[zone] = one(r.Rand, "a", "b")
	}
	if in(r.Rand, 8) {
		n.Taints = []outrank.Taint{{Key: "k", Effect: one(r.Rand, outrank.NoSchedule, outrank.NoExecute, outrank.PreferNoSchedule)}}
	}
	return n, [2]int{halves, mebibytes}
}

// tenants draws the pods of a node, until it is full or by chance, and pods that are nominated to it.
func (r *painter) tenants(n *outrank.Node, free [2]int) (pods []*outrank.Pod) {
	for free[0] > 0 && !in(r.Rand, 9) {
		halves, mebibytes := 1+r.IntN(min(3, free[0])), min(free[1], r.IntN(3))
		free[0], free[1] = free[0]-halves, free[1]-mebibytes
		p := r.pod(amounts(halves, mebibytes))
		p.NodeName = n.Name
		if in(r.Rand, 9) {
			p.DeletionTimestamp, p.DisruptionReason = now, one(r.Rand, "", outrank.PreemptionByScheduler)
		}
		pods = append(pods, p)
	}
	for range 2 {
		if in(r.Rand, 6) {
			p := r.pod(amounts(1+r.IntN(2), r.IntN(2)))
			p.NominatedNodeName = n.Name
			pods = append(pods, p)
		}
	}
	return pods
}

// pod draws a pod with these requests.
func (r *painter) pod(requests resource.List) *outrank.Pod {
	r.named++
	name := fmt.Sprintf("p%03d", r.named)
	p := &outrank.Pod{
		Name: name, UID: name, Namespace: one(r.Rand, "default", "default", "other"),
		Priority:   outrank.Priority(one[int32](r.Rand, -100, -3, 0, 0, 1, 2, 5, 100, 1000000, math.MinInt32)),
		Containers: []outrank.Container{{Name: "c", Requests: requests}},
	}
	if in(r.Rand, 10) {
		p.Priority = nil
	}
	if !in(r.Rand, 4) {
		p.Labels = map[string]string{"app": r.app()}
		if in(r.Rand, 3) {
			p.Labels["tier"] = "1"
		}
	}
	if !in(r.Rand, 3) {
		p.StartTime = now.Add(-time.Duration(1+r.IntN(4)) * time.Hour)
	}
	if r.near && in(r.Rand, 6) {
		p.Affinity.PodAntiAffinity = r.term()
	}
	return p
}

func (r *painter) app() string { return one(r.Rand, "x", "y", "z") }

func (r *painter) term() []outrank.PodAffinityTerm {
	return []outrank.PodAffinityTerm{{TopologyKey: one(r.Rand, host, zone), LabelSelector: labelled("app", r.app())}}
}

func labelled(key, value string) *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchLabels: map[string]string{key: value}}
}

// budget draws a budget. It may have counted one of the pods.
func (r *painter) budget(name string, pods []*outrank.Pod) *outrank.PodDisruptionBudget {
	b := &outrank.PodDisruptionBudget{
		Name: name, Namespace: one(r.Rand, "default", "default", "other"), DisruptionsAllowed: int32(r.IntN(3)),
		Selector: one(r.Rand, labelled("app", r.app()), labelled("app", r.app()), labelled("tier", "1"), &outrank.LabelSelector{}, nil),
	}
	if in(r.Rand, 3) && len(pods) > 0 {
		b.DisruptedPods = map[string]time.Time{one(r.Rand, pods...).Name: now}
	}
	return b
}

// asker draws the pod that looks for a node. It may be nominated to one of them, or to one that is gone.
func (r *painter) asker(nodes int) *outrank.Pod {
	p := r.pod(amounts(1+r.IntN(6), r.IntN(4)))
	p.Name, p.UID, p.StartTime = "zz", "zz", time.Time{}
	if p.Priority != nil {
		p.Priority = outrank.Priority(one[int32](r.Rand, -3, 0, 2, 10, 1000, 2000000))
	}
	if in(r.Rand, 4) {
		p.NominatedNodeName = fmt.Sprint("n", r.IntN(nodes+1))
	}
	if in(r.Rand, 10) {
		p.PreemptionPolicy = outrank.PreemptNever
	}
	if in(r.Rand, 5) {
		p.NodeSelector = map[string]string{"disk": "ssd"}
	}
	if in(r.Rand, 3) {
		p.Tolerations = []outrank.Toleration{{Key: "k", Operator: outrank.TolerationExists}}
	}
	if r.near && in(r.Rand, 4) {
		p.Affinity.PodAffinity = r.term()
	}
	return p
}
