// Package clientgo holds the module examples/clientgo to Kubernetes' own code, which that
// module does without: what an API server lets in is taken and what it refuses is named, and
// a mirror follows the scheduler's own cache. It has nothing but tests.
package clientgo
