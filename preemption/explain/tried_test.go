package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// doing carries out what a report says, on copies of the cluster and of the pod.
type doing struct {
	*question
	pod  outrank.Pod
	node outrank.Node
	gone map[outrank.Key]bool
}

func (q *question) doing(node string) *doing {
	return &doing{question: q, pod: *q.pod, node: *mustNode(q, node), gone: map[outrank.Key]bool{}}
}

// cluster is the cluster with everything done.
func (d *doing) snapshot() *engine.Snapshot {
	return d.without(d.gone, d.node.Name, func(n *outrank.Node) { *n = d.node })
}

// says is what the node says, and what becomes of the pod in the whole cluster.
func (d *doing) says() (preemption.NodeReport, preemption.Outcome) {
	snap := d.snapshot()
	req := preemption.Request{Pod: &d.pod, Now: d.request().Now}
	report, err := d.eval.ExplainNode(context.Background(), snap, req, d.node.Name)
	require.NoError(d, err)
	plan, err := d.eval.Preempt(context.Background(), snap, req)
	require.NoError(d, err)
	return report, plan.Outcome
}

// do makes the changes of a step, from what stands in it.
func (d *doing) do(s *explain.Step) {
	o := s.Obstacle
	for _, c := range s.Changes {
		switch c {
		case "tolerate":
			for _, t := range o.Taints {
				d.pod.Tolerations = append(slices.Clone(d.pod.Tolerations), t.Toleration())
			}
		case "uncordon":
			d.node.Unschedulable = false
			d.node.Taints = slices.DeleteFunc(slices.Clone(d.node.Taints), func(t outrank.Taint) bool { return t.Key == outrank.UnschedulableTaint })
		case "drop-node-name":
			d.pod.NodeName = ""
		case "drop-node-selector":
			d.pod.NodeSelector = maps.Clone(d.pod.NodeSelector)
			for _, l := range o.Labels {
				delete(d.pod.NodeSelector, l.Key)
			}
		case "drop-node-affinity":
			d.pod.Affinity.NodeAffinity = nil
		case "drop-ports":
			d.ports(func(h fit.HostPort) bool {
				return !slices.ContainsFunc(o.Ports, func(p explain.Port) bool {
					return h == fit.HostPort{IP: p.HostIP, Protocol: p.Protocol, Port: p.HostPort}
				})
			})
		case "ask-less", "enlarge-node":
			d.room(c, o.Short)
		case "drop-volumes":
			d.volumes(o)
		case "install-driver":
			d.node.MissingDrivers = slices.DeleteFunc(slices.Clone(d.node.MissingDrivers), func(name string) bool {
				return slices.Contains(o.Names, name)
			})
		case "drop-spread":
			d.pod.TopologySpreadConstraints = slices.DeleteFunc(slices.Clone(d.pod.TopologySpreadConstraints), func(c outrank.TopologySpreadConstraint) bool {
				return slices.ContainsFunc(o.Spread, func(s explain.Spread) bool { return s.TopologyKey == c.TopologyKey })
			})
		case "drop-affinity":
			d.pod.Affinity.PodAffinity = nil
		case "drop-anti-affinity":
			d.pod.Affinity.PodAntiAffinity = nil
		case "evict":
			d.evict(s.Evicted.Items)
		case "declare-features":
			d.node.DeclaredFeatures = slices.Sorted(slices.Values(append(slices.Clone(d.node.DeclaredFeatures), o.Names...)))
		default:
			d.Fatalf("no such change: %s", c)
		}
	}
}

func (d *doing) evict(pods []explain.Pod) {
	for _, p := range pods {
		d.gone[p.Key] = true
	}
}

// ports leaves the pod the host ports that are kept.
func (d *doing) ports(kept func(fit.HostPort) bool) {
	var ports []outrank.Port
	for _, h := range fit.HostPorts(&d.pod) {
		if kept(h) {
			ports = append(ports, outrank.Port{HostPort: h.Port, HostIP: h.IP, Protocol: h.Protocol})
		}
	}
	strip := func(list []outrank.Container) []outrank.Container {
		list = slices.Clone(list)
		for i := range list {
			list[i].Ports = nil
		}
		return list
	}
	d.pod.Containers, d.pod.InitContainers = strip(d.pod.Containers), strip(d.pod.InitContainers)
	d.pod.Containers[0].Ports = ports
}

// room makes the pod ask for less, all of it in one more container, or the node offer more.
func (d *doing) room(c string, short []explain.Room) {
	asked := d.pod.Requests()
	for _, s := range short {
		amount := resource.Amount(s.Resource, s.Short)
		switch places := s.Resource == resource.Pods; {
		case c == "enlarge-node" && places:
			d.node.Allocatable = maps.Clone(d.node.Allocatable)
			d.node.Allocatable[s.Resource] = prose.Quantity(s.Resource, d.node.Allocatable.Amount(s.Resource)+amount)
		case c == "ask-less" && !places:
			asked = maps.Clone(asked)
			asked[s.Resource] = prose.Quantity(s.Resource, max(0, asked.Amount(s.Resource)-amount))
		}
	}
	if c == "ask-less" {
		strip := func(list []outrank.Container) []outrank.Container {
			list = slices.Clone(list)
			for i := range list {
				list[i].Requests, list[i].Limits = nil, nil
			}
			return list
		}
		d.pod.Containers = append(strip(d.pod.Containers), outrank.Container{Requests: asked})
		d.pod.InitContainers, d.pod.Overhead, d.pod.Resources = strip(d.pod.InitContainers), nil, nil
	}
}

func (d *doing) volumes(o *explain.Obstacle) {
	d.pod.Volumes = slices.DeleteFunc(slices.Clone(d.pod.Volumes), func(v outrank.Volume) bool {
		driver := v.Driver
		if v.Disk.Kind != "" {
			driver, _ = v.Disk.Attachment()
		}
		return slices.ContainsFunc(o.Volumes, func(w explain.Volume) bool {
			return v.Claim != "" && w.Claim == outrank.NewKey(d.pod.Namespace, v.Claim) || v.Disk.Kind != "" && w.Disk == string(v.Disk.Kind)+"/"+v.Disk.ID
		}) || slices.ContainsFunc(o.Short, func(r explain.Room) bool { return r.Resource == resource.Name("attachable-volumes-csi-"+driver) })
	})
}

// Whoever does what a way says finds each thing where it is said to be, one behind the
// other, and in the end the node says what was promised, and the pod gets a node.
func TestPropertyWaysLeadWhereTheySay(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		for i := range q.report.Nodes {
			if g := &q.report.Nodes[i]; g.Way != nil {
				q.follow(g.Example, g.Way)
			}
		}
		for _, n := range q.ex.Nodes {
			a, err := explain.WhyNot(context.Background(), explain.Question{Evaluator: q.eval, Snapshot: q.snap, Request: q.request(), Plan: q.ex}, n.Node, explain.Options{Most: 1 << 20, Copies: q.copies})
			require.NoError(q, err)
			if a.Way != nil {
				q.follow(n.Node, a.Way)
			}
		}
	})
}

func told(w *explain.Way) string {
	text, _ := json.Marshal(w)
	return string(text)
}

func (q *question) follow(node string, w *explain.Way) {
	d := q.doing(node)
	for i := range w.Steps {
		s := &w.Steps[i]
		report, outcome := d.says()
		c := report.Candidate
		require.NotEqual(q, preemption.Success, report.Status.Code, "%s: nothing is in the way before step %d", node, i)
		if q.ex.Ineligible == "" {
			require.Nil(q, c, "%s: preemption makes room before step %d", node, i)
			if i == 0 && q.report.Nothing != nil {
				require.Equal(q, preemption.NothingHelps, outcome)
			}
		}
		said := []string{report.Status.Filter, ""}
		if report.AfterRemoval != nil {
			said[1] = report.AfterRemoval.Filter
		}
		require.Contains(q, said, s.Obstacle.Filter, "%s: step %d of %s", node, i, told(w))
		for _, p := range s.Evicted.Items {
			pod, _ := q.snap.Pod(p.Key)
			require.False(q, q.isCopy(pod), "a copy would have to be evicted")
		}
		require.True(q, len(s.Changes) > 0 || i == len(w.Steps)-1, "no change before the last step")
		d.do(s)
	}
	report, outcome := d.says()
	c := report.Candidate
	switch w.Outcome {
	case preemption.Fits:
		require.Equal(q, preemption.Success, report.Status.Code, "%s: %s", node, report.Status)
		require.Equal(q, preemption.Fits, outcome)
	case preemption.Preempts:
		require.NotNil(q, c, "%s: %s, %v", node, report.Status, report.AfterRemoval)
		require.Equal(q, keysOf(c.Victims), keysOfPods(w.Victims.Items))
		require.Contains(q, []preemption.Outcome{preemption.Preempts, preemption.Fits}, outcome)
	case preemption.NotEligible:
		require.NotNil(q, c)
		require.Equal(q, preemption.NotEligible, outcome)
	default:
		require.True(q, w.Limited || len(w.Steps) > 0 && len(w.Steps[len(w.Steps)-1].Changes) == 0, "the way ends in the middle")
	}
}

// With the pods evicted that are said to make room there is room, with none of them back,
// and where no eviction is said to, none does.
func TestPropertyEvictionsMakeRoom(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		n := q.report.Nothing
		if n == nil || q.report.Refused != nil {
			return
		}
		if e := n.Eviction; e != nil {
			d := q.doing(e.Node)
			d.evict(e.Pods.Items)
			report, outcome := d.says()
			c := report.Candidate
			if e.Outcome == preemption.Fits {
				require.Equal(q, preemption.Success, report.Status.Code)
				require.Equal(q, preemption.Fits, outcome)
			} else {
				require.NotNil(q, c)
				require.Equal(q, keysOf(c.Victims), keysOfPods(e.Victims.Items))
			}
			for _, p := range e.Pods.Items {
				pod, ok := q.snap.Pod(p.Key)
				require.True(q, ok)
				require.False(q, q.isCopy(pod), "a copy of the pod would take its place")
			}
		}
		if !n.NoEviction {
			return
		}
		require.Nil(q, n.Eviction)
		pods := slices.Collect(q.snap.Pods())
		for i := range 5 {
			gone := map[outrank.Key]bool{}
			for _, p := range pods {
				if p.Key() != q.pod.Key() && (i == 0 || rapid.Bool().Draw(q.T, "gone")) {
					gone[p.Key()] = true
				}
			}
			plan, err := q.eval.Preempt(context.Background(), q.without(gone, "", nil), q.request())
			require.NoError(q, err)
			require.Equal(q, preemption.NothingHelps, plan.Outcome)
		}
	})
}

// Once the terminating pods have left that are named the node takes the pod, and not before;
// where none are named, all of them leave no room.
func TestPropertyLeavingPodsMakeRoom(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		if q.report.Refused != nil || q.ex.Outcome != preemption.NothingHelps && q.ex.Outcome != preemption.NotEligible {
			require.Nil(q, q.report.Leaving)
			return
		}
		leaving := map[outrank.Key]bool{}
		for p := range q.snap.Pods() {
			if q.snap.NodeOf(p.Key()) != "" && p.Terminating() && p.Key() != q.pod.Key() {
				leaving[p.Key()] = true
			}
		}
		without, takes := q.without(leaving, "", nil), 0
		for n := range without.Nodes() {
			if q.check(without, q.pod, n.Name).Code == preemption.Success {
				takes++
			}
		}
		l := q.report.Leaving
		if l == nil {
			require.Zero(q, takes)
			return
		}
		if !q.pod.ResizeDeferred {
			require.Equal(q, takes, l.Nodes, "wherever the pod is nominated to")
		}
		gone := map[outrank.Key]bool{}
		for _, p := range l.Pods.Items {
			pod, ok := q.snap.Pod(p.Key)
			require.True(q, ok && pod.Terminating(), p.Key)
			require.Equal(q, q.snap.NodeOf(p.Key), p.Node)
			gone[p.Key] = true
		}
		require.Equal(q, preemption.Success, q.check(q.without(gone, "", nil), q.pod, l.Node).Code)
		require.NotEqual(q, preemption.Success, q.check(q.snap, q.pod, l.Node).Code)
	})
}

// A hint was tried: the toleration alone lets nobody in, so that what stands behind the
// taint is named with it.
func ExampleNodeGroup_Help() {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{{
		Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "10"),
		Taints: []outrank.Taint{{Key: "gpu", Effect: outrank.NoSchedule}},
	}}}
	snap, err := engine.NewSnapshot(cluster)
	if err != nil {
		log.Fatal(err)
	}
	e, err := engine.New(preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	pod := &outrank.Pod{Name: "web", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "3")}}}
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: pod}}, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	n1 := &r.Nodes[0]
	fmt.Println(n1.Text())
	fmt.Println(n1.Help(), n1.Way.Outcome, n1.Way.Steps[1].Changes)
	// Output:
	// 1 node (n1) out: taint gpu:NoSchedule; behind it: cpu is short by 1: 3 needed, 2 free of 2, too little even on an empty node
	// 1 node: with the toleration {key: gpu, operator: Exists, effect: NoSchedule} and with 1 less cpu it fits on n1. fits [ask-less]
}

// Every node that takes the pod once the pods that leave are gone is counted, wherever the pod is nominated
// to. The nominated one is named where the snapshot knows the pod.
func TestLeavingPodsOfANominatedNode(t *testing.T) {
	for _, known := range []bool{true, false} {
		scene := func() (*outrank.Cluster, *outrank.Pod) {
			c := &outrank.Cluster{}
			for _, name := range []string{"a", "b", "c"} {
				c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "1", "pods", "10")})
				c.Pods = append(c.Pods, &outrank.Pod{
					Name: "leaves-" + name, NodeName: name, Containers: asking("cpu", "1"), DeletionTimestamp: gen.Now, DisruptionReason: outrank.PreemptionByScheduler,
				})
			}
			p := &outrank.Pod{Name: "waits", Priority: outrank.Priority(5), NominatedNodeName: "b", Containers: asking("cpu", "1")}
			if known {
				c.Pods = append(c.Pods, p)
			}
			return c, p
		}
		leaving := ask(t, scene, explain.Options{}).Leaving
		require.NotNil(t, leaving)
		require.Equal(t, 3, leaving.Nodes)
		if known {
			require.Equal(t, "b", leaving.Node)
		}
	}
}
