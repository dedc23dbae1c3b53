package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Work is a pod that is going to come, with what it does then. All of it is only read.
type Work struct {
	// Pod is pending: it names no node. No other pod of the run may have its name before that one is over.
	// Without a UID it is given one. Where there are Kubelets it may name a node: it comes to that past the
	// schedulers, and a static pod must.
	Pod *outrank.Pod
	// Arrival is when the pod comes, since the beginning.
	Arrival time.Duration
	// Duration is the time that the pod runs. With Endless it never ends, and
	// Duration is ignored.
	Duration time.Duration
	Endless  bool
	// Usage is the pod's usage while it runs, until SetUsage sets another; nil means
	// as much memory and disk as it requests. Only kubelets look at it, and only
	// at Memory and Disk.
	Usage *kubeletadmit.Usage
	// Grace is the time that the pod has to end when it is evicted or deleted; nil means the
	// pod's own Grace or, where it has none, Config.Grace.
	Grace *time.Duration
	// Lineage is the name that the pod shares with those that it replaces and that
	// replace it; empty means the pod's own name with its namespace.
	Lineage string
}

// check refuses work that makes no sense.
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

// usageOf returns a pod's usage while it runs: that of its work, or else its request
// as the kubelet counts it.
func usageOf(w *Work) kubeletadmit.Usage {
	if w.Usage != nil {
		return *w.Usage
	}
	amount := func(name resource.Name) int64 { return max(resource.Amount(name, w.Pod.KubeletRequestOf(name)), 0) }
	return kubeletadmit.Usage{Memory: amount(resource.Memory), Disk: amount(resource.EphemeralStorage)}
}

// checkUsage refuses a usage that makes no sense.
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
