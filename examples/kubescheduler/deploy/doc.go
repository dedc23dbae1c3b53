// Package deploy has the files by which kube-scheduler with Outrank is installed: a
// Containerfile, a Helm chart, the same for kustomize, patches for kubeadm, alerts and a
// dashboard. The module has the tools that its tests render them with.
package deploy
