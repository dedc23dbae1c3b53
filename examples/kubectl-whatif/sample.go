package main

import (
	"bytes"
	_ "embed"
	"io"
)

// sample is the cluster to ask about where none is given: eight nodes in two
// zones, on which a pod of an online shop no longer fits.
//
//go:embed sample/cluster.json
var sample []byte

// sampleName is what the sample is called in messages.
const sampleName = "the sample cluster"

// sampleQuestion is the pod to ask about where neither is given.
const sampleQuestion = "shop/checkout-2"

func sampleReader() io.Reader { return bytes.NewReader(sample) }
