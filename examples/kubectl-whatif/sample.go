package main

import (
	"bytes"
	_ "embed"
	"io"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/samples"
)

// sample is the default cluster: eight nodes in two zones, on which a pod of an online shop no longer fits.
//
//go:embed sample/cluster.json
var sample []byte

// sampleName is the name of the default sample in messages.
const sampleName = "the sample cluster"

// sampleQuestion is the default pod of the sample.
const sampleQuestion = "shop/checkout-2"

// sampleReader returns the dump of a sample. Without a name it is the default one.
func sampleReader(name string) io.Reader {
	if s, ok := samples.Named(name); ok && name != samples.Default {
		return s.Dump()
	}
	return bytes.NewReader(sample)
}

// sampleSource returns the name of a sample for messages.
func sampleSource(name string) string {
	if _, ok := samples.Named(name); ok && name != samples.Default {
		return "the sample " + name
	}
	return sampleName
}

// samplePod returns the pod that a sample asks about.
func samplePod(name string) string {
	if s, ok := samples.Named(name); ok {
		return s.Pod
	}
	return sampleQuestion
}
