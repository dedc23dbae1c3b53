package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A line has the runs that are done and those that failed, the speed and the rest.
func TestLine(t *testing.T) {
	Reset()
	defer Reset()
	assert.Equal(t, "0 of 100 runs", Line(100, 0, time.Minute))
	for range 10 {
		Found()
	}
	for i := range 20 {
		Ran(i == 0, 1.5)
	}
	assert.Equal(t, "30 of 100 runs, 10 from before, 1 failed, 2 a second, 35 s left", Line(100, 0, 10*time.Second))
	assert.Equal(t, "20 runs of 30.0 s in all, made in 15.0 s: 2.00 at a time\n", Busy(15*time.Second))
	assert.Equal(t, "30 of 30 runs, 10 from before, 1 failed, 2 a second", Line(30, 99, 10*time.Second), "other studies may have left results")
	Reset()
	assert.Equal(t, "50 of 100 runs, 0.5 a second, 1 min 40 s left", Line(100, 50, 100*time.Second), "workers elsewhere")
	assert.Empty(t, Busy(time.Second))
}

// On a terminal a line takes the place of the last one; otherwise each stands by itself.
func TestShow(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var b bytes.Buffer
		Show(&b, terminal, func() string { return "x" })()
		assert.Equal(t, terminal, strings.HasPrefix(b.String(), "\r"))
		assert.True(t, strings.HasSuffix(b.String(), "x\n"))
	}
}
