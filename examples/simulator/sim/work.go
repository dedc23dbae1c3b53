package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Work is a pod that will arrive, and what it will do. The run only reads it.
type Work struct {
	// Pod is the pending pod, without a node. No other pod of the run may have its name until it has left. If
	// it has no UID it gets one. With Kubelets it may name a node, on which it arrives without a scheduler; a
	// static pod must name one.
	Pod *outrank.Pod
	// Arrival is the time of arrival since the beginning of the run.
	Arrival time.Duration
	// Duration is how long the pod runs. With Endless it runs forever, and Duration is ignored.
	Duration time.Duration
	Endless  bool
	// Usage is what the pod uses while it runs, until SetUsage changes it; nil means as much memory and disk
	// as it requests. Only kubelets read it, and only Memory and Disk.
	Usage *kubeletadmit.Usage
	// Grace is the grace period of the pod; nil means the pod's own or, if it has none, Config.Grace.
	Grace *time.Duration
	// Lineage is the name that the pod shares with the pods that it replaces and that replace it; empty means
	// the key of the pod.
	Lineage string
}

// check rejects work that makes no sense.
func (w *Work) check(ps *problems, kubelets bool) {
	if w.Pod == nil {
		ps.add("work", "Pod", "missing")
		return
	}

	object := "pod " + string(w.Pod.Key())
	ps.join(object, "", w.Pod.Validate())
	if w.Pod.NodeName != "" && !kubelets {
		ps.add(object, "NodeName", "%s: work comes without a node, unless there are kubelets", w.Pod.NodeName)
	}
	if w.Pod.NodeName == "" && kubelets && w.Pod.Static {
		ps.add(object, "NodeName", "a static pod comes to the node that has its file")
	}

	if w.Usage != nil {
		checkUsage(ps, object, w.Usage)
	}
	if w.Pod.Finished() || w.Pod.Terminating() {
		ps.add(object, "", "it is over, or being deleted, before it comes")
	}

	grace := time.Duration(0)
	if w.Grace != nil {
		grace = *w.Grace
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{{"Arrival", w.Arrival}, {"Duration", w.Duration}, {"Grace", grace}} {
		if d.value < 0 || d.value > horizon {
			ps.add(object, d.field, "%v is not between 0 and %v", d.value, horizon)
		}
	}
}

// usageOf returns what a pod uses while it runs: the usage of its work, or else its requests as the kubelet
// counts them.
func usageOf(w *Work) kubeletadmit.Usage {
	if w.Usage != nil {
		return *w.Usage
	}
	amount := func(name resource.Name) int64 { return max(resource.Amount(name, w.Pod.KubeletRequestOf(name)), 0) }
	return kubeletadmit.Usage{Memory: amount(resource.Memory), Disk: amount(resource.EphemeralStorage)}
}

// checkUsage rejects negative amounts.
func checkUsage(ps *problems, object string, u *kubeletadmit.Usage) {
	for _, x := range []struct {
		field string
		value int64
	}{{"Usage.Memory", u.Memory}, {"Usage.Disk", u.Disk}, {"Usage.Inodes", u.Inodes}, {"Usage.Processes", u.Processes}} {
		if x.value < 0 {
			ps.add(object, x.field, "%d is negative", x.value)
		}
	}
}
