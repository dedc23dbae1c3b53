package controlplane

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadMetrics(t *testing.T) {
	m, err := ReadMetrics([]byte(`# HELP a about
# TYPE a counter
a 3
b_bucket{le="+Inf",x="with space"} 1.5e+01
`))
	require.NoError(t, err)
	assert.Equal(t, Metrics{"a": 3, `b_bucket{le="+Inf",x="with space"}`: 15}, m)

	for _, text := range []string{"a", "a b"} {
		_, err = ReadMetrics([]byte(text))
		assert.ErrorContains(t, err, text)
	}
}
