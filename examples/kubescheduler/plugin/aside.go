package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// The ways to decide while an object in the cluster is not understood.
const (
	// Isolate leaves the node of such an object out of decisions: the node itself, the node of a pod, or the node
	// that a pod is nominated to. Without the object the node would seem to have room that it does not have. A
	// preemptor that is not understood is an error.
	Isolate = "Isolate"
	// DefaultPreemption lets that plugin decide, also about a preemptor that is not understood.
	DefaultPreemption = "DefaultPreemption"
)

// errAside is the error of a decision that DefaultPreemption makes instead.
var errAside = errors.New("objects are not understood")

// reasonAside is the reason of a node that is left out.
const reasonAside = "an object on the node is not understood"

// aside knows the objects that are not understood.
type aside struct {
	// nodes are left out of decisions.
	nodes map[string]bool
	// told has the texts that were logged, by object.
	told map[string]string
}

// statuses returns the answers of the scheduler's filters about the nodes of the snapshot, in its order. A node
// that is left out can be helped by nothing.
func (a *aside) statuses(snap *engine.Snapshot, said fwk.NodeToStatusReader) []preemption.Status {
	list := make([]preemption.Status, 0, snap.NumNodes())
	for node := range snap.Nodes() {
		of := status(said.Get(node.Name))
		if a.nodes[node.Name] {
			of = preemption.UnschedulableAndUnresolvable.Because(reasonAside)
		}
		list = append(list, of)
	}
	return list
}

// setAside records the objects that are not understood. It reports each of them once, in a line of the log and,
// for a pod or a node, in an event; their number is a metric. The error wraps errAside if DefaultPreemption
// decides in such a case.
func (p *Plugin) setAside(ctx context.Context, problems []mirror.Problem) error {
	// An object that is understood by now is forgotten: if it comes back, it is reported again.
	a := &p.process.aside
	before, kinds := a.told, map[string]int{}
	a.nodes, a.told = map[string]bool{}, map[string]string{}

	for _, problem := range problems {
		id, text := problem.Kind+" "+problem.Name, problem.Err.Error()
		a.told[id] = text
		kinds[problem.Kind]++
		if problem.Node != "" {
			a.nodes[problem.Node] = true
		}
		if before[id] != text {
			klog.FromContext(ctx).Error(problem.Err, "Object not understood", "kind", problem.Kind, "name", problem.Name, "node", problem.Node)
			p.tellOf(problem)
		}
	}

	p.options.Metrics.SetNotUnderstood(kinds)
	if len(problems) > 0 && p.fallback != nil {
		return fmt.Errorf("%w: %d, the first of them %w", errAside, len(problems), problems[0].Err)
	}
	return nil
}

// strange returns the error about a preemptor that is not understood. It wraps errAside if DefaultPreemption
// decides in such a case.
func (p *Plugin) strange(err error) error {
	if p.fallback == nil {
		return err
	}
	return fmt.Errorf("%w: %w", errAside, err)
}

// tellOf posts the event about a pod or a node that is not understood.
func (p *Plugin) tellOf(problem mirror.Problem) {
	var about apiruntime.Object
	switch namespace, name, _ := strings.Cut(problem.Name, "/"); problem.Kind {
	case "pod":
		about = &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		if pod, err := p.pods.Pods(namespace).Get(name); err == nil {
			about = pod
		}
	case "node":
		about = &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: problem.Name}}
	}

	if about != nil && p.handle.EventRecorder() != nil {
		p.handle.EventRecorder().Eventf(about, nil, v1.EventTypeWarning, "NotUnderstood", "Preempting", "%s", cut(fmt.Sprintf("Left out of preemption: %v", problem.Err)))
	}
}

// makeFallback makes the DefaultPreemption that decides while an object is not understood, if the arguments ask
// for it. It looks for as many candidates as this plugin does, or as is usual if this one looks at every node.
func (p *Plugin) makeFallback(ctx context.Context) (err error) {
	if p.args.WhenNotUnderstood != DefaultPreemption {
		return nil
	}
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100}
	if percent, minimum, sampled := p.args.enough(); sampled {
		args.MinCandidateNodesPercentage, args.MinCandidateNodesAbsolute = percent, minimum
	}
	p.fallback, err = defaultpreemption.New(ctx, args, p.handle, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	return err
}
