package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// A registered policy is a value of its axis, made anew for each run, beside those that are
// there.
func TestRegister(t *testing.T) {
	calls := 0
	require.NoError(t, Register("test-own", func() preemption.Config {
		calls++
		return preemption.Config{Victims: preemption.Exact{Limit: 7}}
	}))
	const text = "name: x\ntraces: [{name: a, sample: true}]\ngrid: {policy: [current, test-own]}"
	s, err := Read([]byte(text), ".")
	require.NoError(t, err)
	before := calls
	for i, want := range []preemption.VictimRule{nil, preemption.Exact{Limit: 7}, preemption.Exact{Limit: 7}} {
		set, err := s.Cells()[min(i, 1)].Setting()
		require.NoError(t, err)
		assert.Equal(t, want, set.Sim.Schedulers[0].Preemption.Victims)
	}
	assert.Equal(t, before+2, calls)
	_, err = Read([]byte(strings.Replace(text, "test-own", "none", 1)), ".")
	assert.ErrorContains(t, err, "grid.policy[1]: none: it is one of current, exact, honest, simplified, strict, test-own, v1.13")
}

// What cannot be a policy is an error that names it, and leaves nothing behind.
func TestRegisterErrors(t *testing.T) {
	sound := func() preemption.Config { return preemption.Config{} }
	require.NoError(t, Register("test-taken", sound))
	for _, x := range []struct {
		name   string
		policy func() preemption.Config
		want   string
	}{
		{"", sound, `policy "": a name has between 1 and 256 bytes`},
		{"a\nb", sound, `policy "a\nb": a name has`},
		{strings.Repeat("x", 257), sound, "a name has between 1 and 256 bytes"},
		{"current", sound, "policy current: there is one of that name"},
		{"test-taken", sound, "policy test-taken: there is one of that name"},
		{"test-nil", nil, "policy test-nil: there is no function that makes its configuration"},
		{"test-bad", func() preemption.Config { return preemption.Config{Sample: &preemption.Sample{Percent: 101}} }, "policy test-bad: preemption config"},
	} {
		err := Register(x.name, x.policy)
		require.ErrorContains(t, err, x.want)
		require.ErrorIs(t, err, outrank.ErrInvalid)
	}
	require.NoError(t, Register("test-nil", sound), "a name is free after an error")
}
