// Package explain answers why the kubelet admits a pod or not: what the pod was
// short of or which predicate keeps it out and on what, who may be evicted for it, and
// tier by tier what had to be covered and who was chosen in which round, at which
// distance, before which other pod.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// [Ask] decides and explains, [Admission] explains what [kubeletadmit.Admit] has found. The
// answer is a [Report]: data that programs read as JSON, described field by field in
// REPORT_JSON.md in this folder. [Report.Text] makes text for people from the same data,
// and from nothing else. What package preemption/explain says about the scheduler's side
// is told in the same manner.
package explain
