package apis

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type plain struct{ Text string }

func TestWithoutCodec(t *testing.T) {
	const want = "unsupported operation: the JSON of apis.plain is in github.com/outrank-go/outrank/preemption/kube, which the program does not import"
	_, err := Marshal(&plain{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.EqualError(t, err, want)
	p := plain{"kept"}
	err = Unmarshal([]byte(`{}`), &p)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.EqualError(t, err, want)
	assert.Equal(t, plain{"kept"}, p)
}

func TestRegister(t *testing.T) {
	defer Register(registered)
	Register(Codec{
		Marshal:   func(object any) ([]byte, error) { return []byte(object.(*plain).Text), nil },
		Unmarshal: func(text []byte, object any) error { object.(*plain).Text = string(text); return nil },
	})
	text, err := Marshal(&plain{"a"})
	require.NoError(t, err)
	var p plain
	require.NoError(t, Unmarshal(text, &p))
	assert.Equal(t, plain{"a"}, p)
}
