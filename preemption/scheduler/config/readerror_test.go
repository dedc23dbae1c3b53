package config_test

import (
	"errors"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
)

// An error of reading is no problem of the content.
func TestErrorOfReader(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := schedulerconfig.Read(0, iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, outrank.ErrInvalid)
}
