// Package manifest answers how a stream of Kubernetes objects in JSON is cut into objects, and how an
// object of a kind that matters here is decoded and encoded. It never holds more than one object.
//
// The stream is cut by hand, since a dump is a single JSON value of gigabytes. An object without a fault
// is decoded in one pass over its text, and any other by encoding/json.
//
// RULES.md in its folder lists what an API server adds to a pod that is created. Package
// preemption/kube adds it to a manifest.
package manifest
