// Package manifest answers what stands in a stream of Kubernetes objects in
// JSON: it cuts the stream into objects without ever holding more than one of
// them, and decodes those of the kinds that matter here.
//
// Cutting is done by hand, because a dump is a single JSON value of gigabytes;
// reading an object once it is cut out is left to encoding/json.
//
// RULES.md in its folder says what an API server adds to a pod that is created,
// which package preemption/kube does for a manifest.
package manifest
