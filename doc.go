// Package outrank says what is in a cluster: pods, nodes, disruption budgets,
// priority classes, namespaces and groups of pods, as far as the preemption of pods
// looks at them.
//
// The types are plain structs to be written by hand in a test or a simulator,
// or read by package preemption/kube from what kubectl prints:
//
//	cluster, err := kube.ReadCluster(file) // kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers -A -o json
//
// In a program that imports preemption/kube, encoding/json gives the objects the JSON
// of Kubernetes. In others their MarshalJSON and UnmarshalJSON return an error that
// wraps [errors.ErrUnsupported].
//
// A field's zero value means what leaving the field out of a Kubernetes object
// means, so a pod needs a name and little else:
//
//	pod := &outrank.Pod{
//		Name:       "web-1",
//		Priority:   outrank.Priority(100),
//		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "500m", "memory", "1Gi")}},
//	}
//
// Package preemption decides which pods have to leave a cluster for the
// scheduler, package kubeletadmit for the kubelet. This package holds no
// algorithm; its types have the methods that only look at the object itself.
//
// Comments here and in the other packages cite rules by number, as in "rule
// 7.4.3". The rules stand in the files RULES.md beside the code: chapters 1 and 2
// in resource, 3 in qos, 4 in priority, 5 in preemption/scheduler/queue, 6 in pdb, 7 to 13
// and 23 in preemption, 14 and 15 in preemption/scheduler/execution, 16 in
// preemption/planner/history, 17 and 18 in kubeletadmit, 19 in
// preemption/scheduler/config, 20 in preemption/planner/quota, 21, 22 and 26 in
// internal/manifest, 24 in preemption/planner/tenancy, 25 in preemption/planner/joint, and
// 27 in preemption/scheduler/score.
//
// Nothing here changes what a caller passes in, except for [Cluster.ResolveVolumes],
// which gives pods new lists of volumes. Values of this package may be read by any number
// of goroutines as long as none writes them.
package outrank
