package apis_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/apis"
)

type plain struct{ Text string }

func TestWithoutCodec(t *testing.T) {
	const want = "unsupported operation: the JSON of apis_test.plain is in github.com/outrank-go/outrank/preemption/kube, which the program does not import"
	_, err := apis.Marshal(&plain{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.EqualError(t, err, want)
	p := plain{"kept"}
	err = apis.Unmarshal([]byte(`{}`), &p)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.EqualError(t, err, want)
	assert.Equal(t, plain{"kept"}, p)
}

func TestRegister(t *testing.T) {
	defer apis.Register(apis.Codec{})
	apis.Register(apis.Codec{
		Marshal:   func(object any) ([]byte, error) { return []byte(object.(*plain).Text), nil },
		Unmarshal: func(text []byte, object any) error { object.(*plain).Text = string(text); return nil },
	})
	text, err := apis.Marshal(&plain{"a"})
	require.NoError(t, err)
	var p plain
	require.NoError(t, apis.Unmarshal(text, &p))
	assert.Equal(t, plain{"a"}, p)
}
