package clustergen_test

import (
	"runtime/debug"
	"testing"
)

// Tests hold little memory, so that rare collections save a tenth of their work.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
