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

// sampleName is the name of the sample in messages.
const sampleName = "the sample cluster"

// sampleQuestion is the default pod of the sample.
const sampleQuestion = "shop/checkout-2"

func sampleReader() io.Reader { return bytes.NewReader(sample) }
