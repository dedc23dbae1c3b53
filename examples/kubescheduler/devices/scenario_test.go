package devices_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Each file below testdata/scenarios is about one rule of claims. The commands are
//
//	cluster            a new cluster; see scenario.Cluster
//	devices            its devices and claims; see scenarioWorld.read
//	preempt POD        which pods have to leave: as v1.37 decides, and with DRAPreemption
//	exact POD          the same by the best set of victims
//	apply              the victims of the last plan with DRAPreemption are told to leave, the pod
//	                   is nominated, and its claims have a nomination
//	ask POD            what holds for a pod of the cluster now, with DRAPreemption
//	gone POD...        the pods are gone
//	unreserve CLAIM... the claims are reserved for nobody any more
//	deallocate CLAIM.. the claims' devices are given back
func TestScenarios(t *testing.T) {
	scenario.Run(t, "testdata/scenarios/*.txt", func(t *testing.T) map[string]scenario.Handler {
		w := &scenarioWorld{t: t}
		return map[string]scenario.Handler{
			"cluster": w.load, "devices": w.read, "preempt": w.preempt, "exact": w.exact, "apply": w.apply, "ask": w.ask,
			"gone": w.gone, "unreserve": w.unreserve, "deallocate": w.deallocate,
		}
	})
}

// scenarioWorld is the state of a scenario.
type scenarioWorld struct {
	t       *testing.T
	snap    *engine.Snapshot
	cluster *outrank.Cluster
	objects devices.Objects
	plan    *preemption.Plan
}

func (w *scenarioWorld) load(c *scenario.Command) (string, error) {
	w.cluster = scenario.Cluster(c.Body)
	for _, p := range w.cluster.Pods {
		p.UID = "uid-" + p.Name
	}
	var err error
	w.snap, err = engine.NewSnapshot(w.cluster)
	w.objects, w.plan = devices.Objects{}, nil
	return "", err
}

const driver = "gpu.example.com"

// read reads devices and claims, one on a line:
//
//	class NAME [extended=RESOURCE]        a class of all devices of the driver
//	device NODE/NAME [model=M] [memory=Q] [multiple] [card=Q] [everywhere]
//	claim NAME [count=N | all] [class=C] [same=ATTRIBUTE] [memory=Q] [has=NODE/DEVICE,...] [share=Q] [for=POD,...] [group=NAME]
//	uses POD CLAIM...
//
// Devices of a node are one pool. A device that is multiple can be allocated several times, by its
// memory. Those with a card draw on the 80Gi of the node's card. One that is everywhere can be
// used from every node. A claim that has devices is allocated.
func (w *scenarioWorld) read(c *scenario.Command) (string, error) {
	w.objects = devices.Objects{}
	for _, l := range c.Body {
		switch kind := l.Next("kind of object"); kind {
		case "class":
			class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: l.Next("name of the class")}}
			class.Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "` + driver + `"`}}}
			l.Options(scenario.Options{"extended=": func(v string) error { class.Spec.ExtendedResourceName = &v; return nil }})
			w.objects.Classes = append(w.objects.Classes, class)
		case "device":
			w.device(l)
		case "claim":
			w.claim(l)
		case "uses":
			p := w.object(l.Next("name of the pod"))
			for l.More() {
				name := l.Next("name of a claim")
				p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimName: &name})
			}
		default:
			l.Fail("unknown kind of object %q", kind)
		}
	}
	return "", nil
}

// object is the API's object of a pod.
func (w *scenarioWorld) object(name string) *corev1.Pod {
	for _, p := range w.objects.Pods {
		if p.Name == name {
			return p
		}
	}
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name)}}
	w.objects.Pods = append(w.objects.Pods, p)
	return p
}

func (w *scenarioWorld) slice(name, node string) *resourcev1.ResourceSlice {
	for _, s := range w.objects.Slices {
		if s.Name == name {
			return s
		}
	}
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}}
	s.Spec.Driver, s.Spec.Pool = driver, resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}
	s.Spec.NodeName = &node
	w.objects.Slices = append(w.objects.Slices, s)
	return s
}

func (w *scenarioWorld) device(l *scenario.Line) {
	node, name, _ := strings.Cut(l.Next("device"), "/")
	d := resourcev1.Device{Name: name, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{}, Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{}}
	s := w.slice(node, node)
	l.Options(scenario.Options{
		"model=": func(v string) error { d.Attributes["model"] = resourcev1.DeviceAttribute{StringValue: &v}; return nil },
		"memory=": func(v string) error {
			q, err := resource.ParseQuantity(v)
			d.Capacity["memory"] = resourcev1.DeviceCapacity{Value: q}
			return err
		},
		"multiple": func(string) error { yes := true; d.AllowMultipleAllocations = &yes; return nil },
		"card=": func(v string) error {
			q, err := resource.ParseQuantity(v)
			d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "card", Counters: map[string]resourcev1.Counter{"memory": {Value: q}}}}
			card := w.slice(node+"-card", node)
			card.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "card", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("80Gi")}}}}
			card.Spec.Pool.ResourceSliceCount, s.Spec.Pool.ResourceSliceCount = 2, 2
			return err
		},
		"everywhere": func(string) error { yes := true; s.Spec.NodeName, s.Spec.AllNodes = nil, &yes; return nil },
	})
	s.Spec.Devices = append(s.Spec.Devices, d)
}

func (w *scenarioWorld) claim(l *scenario.Line) {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: l.Next("name of the claim"), Namespace: "default"}}
	c.UID = types.UID("uid-" + c.Name)
	r := &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}
	var has []string
	share := ""
	l.Options(scenario.Options{
		"count=": scenario.Number(&r.Count), "class=": scenario.Text(&r.DeviceClassName), "has=": scenario.Names(&has), "share=": scenario.Text(&share),
		"all": func(string) error { r.AllocationMode, r.Count = resourcev1.DeviceAllocationModeAll, 0; return nil },
		"same=": func(v string) error {
			name := resourcev1.FullyQualifiedName(driver + "/" + v)
			c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &name}}
			return nil
		},
		"memory=": func(v string) error {
			q, err := resource.ParseQuantity(v)
			r.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": q}}
			return err
		},
		"for=": func(v string) error {
			for name := range strings.SplitSeq(v, ",") {
				c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: name, UID: types.UID("uid-" + name)})
			}
			return nil
		},
		"group=": func(v string) error {
			c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{APIGroup: "scheduling.k8s.io", Resource: "podgroups", Name: v, UID: "uid-group"})
			return nil
		},
	})
	c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpus", Exactly: r}}
	if has != nil {
		c.Status.Allocation = w.allocation(has, c.UID, share)
	}
	w.objects.Claims = append(w.objects.Claims, c)
}

// allocation is one of devices, written NODE/DEVICE, or of shares of them.
func (w *scenarioWorld) allocation(of []string, share types.UID, amount string) *resourcev1.AllocationResult {
	a := &resourcev1.AllocationResult{}
	for _, one := range of {
		node, name, _ := strings.Cut(one, "/")
		r := resourcev1.DeviceRequestAllocationResult{Request: "gpus", Driver: driver, Pool: node, Device: name}
		if amount != "" {
			r.ShareID, r.ConsumedCapacity = &share, map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(amount)}
		}
		a.Devices.Results = append(a.Devices.Results, r)
		if w.slice(node, node).Spec.NodeName != nil {
			a.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
			}}}}
		}
	}
	return a
}

// filter makes a filter of the objects as they are.
func (w *scenarioWorld) filter(kep bool) *devices.Filter {
	f, err := devices.New(w.objects, devices.Config{DRAPreemption: kep})
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// decide asks both ways.
func (w *scenarioWorld) decide(pod *outrank.Pod, kep bool, victims preemption.VictimRule) (*preemption.Plan, error) {
	filter := w.filter(kep)
	config := preemption.Config{Filters: []*preemption.Filter{filter.Filter()}, Victims: victims, Eligibility: preemption.Eligibility{Refuse: filter.Refuse}}
	eval, err := engine.New(config)
	if err != nil {
		return nil, err
	}
	ex, err := eval.Explain(context.Background(), w.snap, preemption.Request{Pod: pod, Now: scenario.Now})
	if err != nil {
		return nil, err
	}
	return plantest.Unexplained(ex), nil
}

func (w *scenarioWorld) preempt(c *scenario.Command) (string, error) {
	return w.both(c.Line.Pod(), nil)
}

func (w *scenarioWorld) exact(c *scenario.Command) (string, error) {
	return w.both(c.Line.Pod(), preemption.Exact{})
}

func (w *scenarioWorld) both(pod *outrank.Pod, victims preemption.VictimRule) (string, error) {
	pod.UID = "uid-" + pod.Name
	w.object(pod.Name)
	var b strings.Builder
	for _, kep := range []bool{false, true} {
		plan, err := w.decide(pod, kep, victims)
		if err != nil {
			return "", err
		}
		b.WriteString(map[bool]string{false: "v1.37: ", true: "DRAPreemption: "}[kep] + planText(plan))
		w.plan = plan
	}
	return b.String(), nil
}

// planText shows a plan.
func planText(p *preemption.Plan) string {
	var b strings.Builder
	switch p.Outcome {
	case preemption.Preempts:
		fmt.Fprintf(&b, "preempt on %s:", p.Node)
		for i := range p.Victims {
			fmt.Fprintf(&b, " %s", p.Victims[i].Pod.Name)
		}
		if _, certificate, ok := strings.Cut(p.String(), "\n  certificate: "); ok {
			certificate, _, _ = strings.Cut(certificate, "\n")
			fmt.Fprintf(&b, " (%s)", certificate)
		}
	case preemption.NotEligible:
		b.WriteString(p.Ineligible.Message())
	default:
		b.WriteString(string(p.Outcome))
	}
	b.WriteString("\n")
	for _, counts := range []struct {
		what string
		of   []preemption.Count
	}{{"turned down", p.TurnedDown}, {"after removal", p.Unhelpful}} {
		for _, n := range counts.of {
			fmt.Fprintf(&b, "  %s: %d %s%s\n", counts.what, n.Nodes, n.Status, map[bool]string{true: " (unresolvable)"}[n.Status.Code == preemption.UnschedulableAndUnresolvable])
		}
	}
	return b.String()
}

func (w *scenarioWorld) apply(*scenario.Command) (string, error) {
	n, err := w.filter(true).Nomination(w.snap, w.plan)
	if err != nil {
		return "", err
	}
	for i := range w.plan.Victims { // they are told to leave, and take a while
		leaving := *w.plan.Victims[i].Pod
		leaving.DeletionTimestamp, leaving.DisruptionReason = scenario.Now, outrank.PreemptionByScheduler
		if _, err := w.snap.PutPod(&leaving); err != nil {
			return "", err
		}
	}
	pod := *w.plan.Pod
	pod.NominatedNodeName = w.plan.Node
	if _, err := w.snap.PutPod(&pod); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is nominated to %s\n", pod.Name, n.Node)
	for _, c := range n.Claims {
		fmt.Fprintf(&b, "  %s will have", c.Name)
		for _, r := range c.Status.Allocation.Devices.Results {
			fmt.Fprintf(&b, " %s/%s", r.Pool, r.Device)
			if q, ok := r.ConsumedCapacity["memory"]; ok {
				fmt.Fprintf(&b, " (%s)", q.String())
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "  waits for %v\n", n.Freed)
	w.objects.Nominations = append(slices.DeleteFunc(w.objects.Nominations, func(o *devices.Nomination) bool { return o.Pod == n.Pod }), n)
	return b.String(), nil
}

func (w *scenarioWorld) ask(c *scenario.Command) (string, error) {
	name := c.Line.Next("name of the pod")
	pod, ok := w.snap.Pod(outrank.NewKey("", name))
	if !ok {
		return "", fmt.Errorf("there is no pod %s", name)
	}
	plan, err := w.decide(pod, true, nil)
	if err != nil {
		return "", err
	}
	w.plan = plan
	return planText(plan), nil
}

func (w *scenarioWorld) gone(c *scenario.Command) (string, error) {
	for c.Line.More() {
		if err := w.snap.RemovePod(outrank.NewKey("", c.Line.Next("name of a pod"))); err != nil {
			return "", err
		}
	}
	return "", nil
}

// change replaces claims by changed copies.
func (w *scenarioWorld) change(c *scenario.Command, by func(*resourcev1.ResourceClaim)) (string, error) {
	for c.Line.More() {
		name := c.Line.Next("name of a claim")
		at := slices.IndexFunc(w.objects.Claims, func(k *resourcev1.ResourceClaim) bool { return k.Name == name })
		if at < 0 {
			return "", fmt.Errorf("there is no claim %s", name)
		}
		w.objects.Claims = slices.Clone(w.objects.Claims)
		w.objects.Claims[at] = w.objects.Claims[at].DeepCopy()
		by(w.objects.Claims[at])
	}
	return "", nil
}

func (w *scenarioWorld) unreserve(c *scenario.Command) (string, error) {
	return w.change(c, func(k *resourcev1.ResourceClaim) { k.Status.ReservedFor = nil })
}

func (w *scenarioWorld) deallocate(c *scenario.Command) (string, error) {
	return w.change(c, func(k *resourcev1.ResourceClaim) { k.Status.ReservedFor, k.Status.Allocation = nil, nil })
}
