// Package lockstep runs parts of Kubernetes v1.37.1 and of this library side by side
// on random input, and compares what they say after every step:
//
//   - the kubelet's admission check and its CriticalPodAdmissionHandler against
//     package kubeletadmit;
//   - the scheduling queue against package preemption/scheduler/queue, with hints and gates of the
//     test; with those of kube-scheduler it is compared by the sequences of differential;
//   - its nominator, and the executor of preemptions, against package
//     preemption/scheduler/execution.
//
// It has tests alone. A test has a number of cases that takes seconds; more of them
// are run with
//
//	go test ./lockstep -run Kubelet -rapid.checks=100000
//
// A failing case is shrunk to a small one and printed with the flag that repeats it.
package lockstep
