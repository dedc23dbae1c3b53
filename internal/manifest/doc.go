// Package manifest answers: how is a stream of Kubernetes objects in JSON cut into objects, and how is an
// object of a kind that matters here decoded and encoded? It never holds more than one object.
//
// The stream is not cut by encoding/json, because a dump is a single JSON value of gigabytes. An object without
// a fault is decoded in one pass over its text, and any other object by encoding/json.
//
// RULES.md in its folder lists what an API server adds to a pod that is created. Package
// preemption/kube adds it to a manifest.
package manifest
