package outrank_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// The words that programs and command lines use. They never change.
func TestVariantWords(t *testing.T) {
	for i, want := range []string{"current", "v1.13", "simplified"} {
		v := outrank.Variant(i)
		text, err := v.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
		assert.Equal(t, want, v.String())
		read := outrank.Variant(9)
		require.NoError(t, read.UnmarshalText(text))
		assert.Equal(t, v, read)
	}
	unknown := outrank.Variant(3)
	_, err := unknown.MarshalText()
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, "Variant(3)", unknown.String())
	assert.ErrorIs(t, unknown.UnmarshalText([]byte("sketch")), outrank.ErrInvalid)
	assert.Equal(t, outrank.Variant(3), unknown)
}

func ExampleVariant_UnmarshalText() {
	var v outrank.Variant
	fmt.Println(v.UnmarshalText([]byte("v1.13")), v == outrank.VariantV1_13)
	fmt.Println(v.UnmarshalText([]byte("v1.14")))
	// Output:
	// <nil> true
	// invalid input: variant "v1.14" is none of current, v1.13, simplified
}
