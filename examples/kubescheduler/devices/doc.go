// Package devices answers whether a node has the devices that a pod claims, and which pods would have to leave
// for them. It is a filter for package preemption of outrank, and asks the allocator that kube-scheduler and the
// cluster autoscaler share.
//
//	objects, err := devices.Read(dump)             // kubectl get pods,resourceclaims,resourceslices,deviceclasses,devicetaintrules -A -o json
//	filter, err := devices.New(objects, devices.Config{})
//	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
//
// By default the filter decides like v1.37: removing pods frees no device. If devices are short, nobody is
// evicted for a pod with claims, and every status has the texts of the plugin DynamicResources. With
// [Config].DRAPreemption the claims of victims come free with their last consumer, as KEP-5690 proposes; no
// release of Kubernetes does that.
//
// The filter asks the allocator once for each kind of node and state of its devices: two nodes whose slices and
// allocations differ only in names get one answer. It keeps the answers as long as it has the objects, at most
// 65,536 of them, of about 200 bytes each with a few devices on a node.
//
// [Filter.Cluster] prepares nodes for pods that ask for an extended resource that a device class backs.
// [Filter.Nomination] and [Filter.Refuse] are about the time after a decision, while the claims of victims come
// back. [Filter.Explain] says which devices are short and who holds them. [Failed] says in which error kube-scheduler
// ends an attempt.
package devices
