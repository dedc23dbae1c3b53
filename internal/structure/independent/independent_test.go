package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// top is the module's folder.
const top = "../../.."

// The book calls nothing of the engine, the engine nothing of the book, and what both call is listed.
func TestBookAndEngineAreIndependent(t *testing.T) {
	s, err := read(top, top+"/"+listingFile)
	require.NoError(t, err)
	require.Greater(t, len(s.both()), 50, "the roots lead nowhere")
	for _, said := range s.problems() {
		assert.Fail(t, said)
	}
}
