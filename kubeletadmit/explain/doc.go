// Package explain answers: why does the kubelet admit a pod, or reject it?
//
// A [Report] says what the pod was short of, or which predicate kept it out and why. It
// says who may be evicted for the pod. For each tier it says what the tier had to cover,
// and which pod was chosen in each round, at which distance and before which other pod.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// [Ask] decides and explains, [Admission] explains what [kubeletadmit.Admit] has found.
// Programs read a report as JSON, which REPORT_JSON.md in this folder describes field by
// field. [Report.Text] makes text for people from the same data and nothing else. Package
// preemption/explain does the same for the scheduler's side.
package explain
