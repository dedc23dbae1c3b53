package devicetrial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
)

// forecast is the prediction of the library about the urgent pod.
type forecast struct {
	outcome preemption.Outcome
	node    string
	victims []string
	// devices are the devices that the pod will get.
	devices []string
	// freed are the devices that the pod's victims release.
	freed []string
	// today is the outcome by the rules of v1.37, without the proposal.
	today preemption.Outcome
}

// foretell asks the library about a pod in the cluster of a dump: once by the rules of v1.37, and once by the
// proposed rules.
func foretell(dump []byte, pod *corev1.Pod) (*forecast, error) {
	text, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	all := func() io.Reader { return io.MultiReader(bytes.NewReader(dump), bytes.NewReader(text)) }
	cluster, err := kube.ReadCluster(all())
	if err != nil {
		return nil, err
	}
	objects, err := devices.Read(all())
	if err != nil {
		return nil, err
	}

	asked := cluster.Pod(pod.Namespace, pod.Name)
	if asked == nil {
		return nil, fmt.Errorf("pod %s is not in the dump", pod.Name)
	}

	f := &forecast{}
	for _, proposed := range []bool{false, true} {
		filter, err := devices.New(objects, devices.Config{DRAPreemption: proposed})
		if err != nil {
			return nil, err
		}
		if err := f.ask(filter, cluster, asked, proposed); err != nil {
			return nil, err
		}
	}

	for _, c := range objects.Claims {
		if c.Status.Allocation != nil && slices.ContainsFunc(c.Status.ReservedFor, func(by resourcev1.ResourceClaimConsumerReference) bool {
			return slices.Contains(f.victims, by.Name)
		}) {
			f.freed = append(f.freed, devicesOf(c)...)
		}
	}
	return f, nil
}

// ask asks about a pod with a filter for devices, and records the answer. By the rules of v1.37 it records only
// the outcome.
func (f *forecast) ask(filter *devices.Filter, cluster *outrank.Cluster, asked *outrank.Pod, proposed bool) error {
	snap, err := engine.NewSnapshot(filter.Cluster(cluster))
	if err != nil {
		return err
	}
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}, Eligibility: preemption.Eligibility{Refuse: filter.Refuse}})
	if err != nil {
		return err
	}

	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: asked, Now: time.Now()})
	if err != nil {
		return err
	}

	if !proposed {
		f.today = plan.Outcome
		return nil
	}

	f.outcome, f.node = plan.Outcome, plan.Node
	if plan.Outcome != preemption.Preempts {
		return nil
	}
	for i := range plan.Victims {
		f.victims = append(f.victims, plan.Victims[i].Pod.Name)
	}
	slices.Sort(f.victims)

	n, err := filter.Nomination(snap, plan)
	if err != nil {
		return err
	}
	for _, c := range n.Claims {
		f.devices = append(f.devices, devicesOf(c)...)
	}
	return nil
}

// devicesOf returns the devices that a claim has, as pool/device, sorted.
func devicesOf(c *resourcev1.ResourceClaim) (list []string) {
	if c.Status.Allocation == nil {
		return nil
	}
	for _, r := range c.Status.Allocation.Devices.Results {
		list = append(list, r.Pool+"/"+r.Device)
	}
	slices.Sort(list)
	return list
}
