// Package controlplane builds the programs of a Kubernetes control plane from their modules, runs them on
// 127.0.0.1 with its own certificates, and ends them.
package controlplane
