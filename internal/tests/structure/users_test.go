package structure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

func TestUsers(t *testing.T) {
	u := structure.NewUsers()
	require.NoError(t, u.Add("testdata/users", "lib", true))
	require.NoError(t, u.Add("testdata/users", "other", false))
	require.NoError(t, u.Add("testdata/users", ".", false))
	require.NoError(t, u.AddModule("testdata/users/apart"))
	got := map[string]bool{}
	for _, n := range u.Without() {
		assert.Equal(t, "lib", n.Folder)
		got[n.Kind+" "+n.Name] = n.Exampled
	}
	assert.Equal(t, map[string]bool{
		"func Alone": false, "func Exampled": true, "func Tested": false, "type Thing": false, "method Thing.Do": false,
	}, got, "whether an example has it")
}

func TestUsersOfNoFolder(t *testing.T) {
	require.Error(t, structure.NewUsers().Add("testdata", "nowhere", true))
	require.Error(t, structure.NewUsers().AddModule("testdata/nowhere"))
}
