package priority_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// A name may be 253 bytes long. An error shows so much of it.
func TestLongNames(t *testing.T) {
	longest := strings.Repeat("a", 253)
	require.NoError(t, priority.Validate(&outrank.PriorityClass{Name: longest}))
	longer := priority.Validate(&outrank.PriorityClass{Name: longest + "b"})
	require.ErrorIs(t, longer, priority.ErrClass)
	assert.ErrorContains(t, longer, `metadata.name: "`+longest+`"… is not a DNS subdomain`)

	upper := strings.Repeat("A", 253)
	wrong := priority.Validate(&outrank.PriorityClass{Name: upper})
	require.ErrorIs(t, wrong, priority.ErrClass)
	assert.ErrorContains(t, wrong, `metadata.name: "`+upper+`" is not a DNS subdomain`)
}
