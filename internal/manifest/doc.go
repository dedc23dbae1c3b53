// Package manifest reads a stream of Kubernetes objects in JSON: it cuts the
// stream into objects without ever holding more than one of them, and decodes
// those of the kinds that matter here.
//
// Cutting is done by hand, because a dump is a single JSON value of gigabytes;
// decoding an object is left to encoding/json.
//
// RULES.md in its folder lists what an API server adds to a pod that is
// created; package preemption/kube does so for a manifest.
package manifest
