package schedulerconfig_test

import (
	"errors"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/schedulerconfig"
)

// That a file cannot be read says nothing about what is in it.
func TestErrorOfReader(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := schedulerconfig.Read(0, iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, outrank.ErrInvalid)
}
