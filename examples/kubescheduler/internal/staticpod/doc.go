// Package staticpod has kubeadm's own code write the static pod of the scheduler with the files of
// package deploy, in a test.
package staticpod
