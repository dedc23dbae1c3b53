package outrank_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// Objects of every kind agree on what a namespace and a name are called.
func TestKeys(t *testing.T) {
	for _, test := range []struct {
		namespace, name string
		want            outrank.Key
	}{
		{"shop", "web", "shop/web"},
		{"", "web", "default/web"},
		{"default", "web", "default/web"},
	} {
		assert.Equal(t, test.want, outrank.NewKey(test.namespace, test.name))
		assert.Equal(t, test.want, (&outrank.Pod{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.Pod{Namespace: test.namespace, Name: "p", Group: test.name}).GroupKey())
		assert.Equal(t, test.want, (&outrank.PodGroup{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.PodDisruptionBudget{Namespace: test.namespace, Name: test.name}).Key())
		assert.Equal(t, test.want, (&outrank.VolumeClaim{Namespace: test.namespace, Name: test.name}).Key())
	}
	assert.Empty(t, (&outrank.Pod{Name: "alone"}).GroupKey())
}

func TestKeySplit(t *testing.T) {
	for _, test := range []struct {
		key             outrank.Key
		namespace, name string
	}{
		{"shop/web", "shop", "web"},
		{"web", "default", "web"},
		{"", "default", ""},
		{"shop/", "shop", ""},
		{"/web", "", "web"},
		{"a/b/c", "a", "b/c"},
	} {
		namespace, name := test.key.Split()
		assert.Equal(t, [2]string{test.namespace, test.name}, [2]string{namespace, name}, "%q.Split()", test.key)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z0-9.-]{1,9}`)
		namespace, name := text.Draw(t, "namespace"), text.Draw(t, "name")
		if gotNamespace, gotName := outrank.NewKey(namespace, name).Split(); gotNamespace != namespace || gotName != name {
			t.Fatalf("NewKey(%q, %q).Split() = %q, %q", namespace, name, gotNamespace, gotName)
		}
	})
}

func TestKeyInJSON(t *testing.T) {
	text, err := json.Marshal(map[outrank.Key]outrank.Key{"a/b": "c/d"})
	require.NoError(t, err)
	assert.Equal(t, `{"a/b":"c/d"}`, string(text))
}

func ExampleNewKey() {
	fmt.Println(outrank.NewKey("shop", "web"), outrank.NewKey("", "web"))
	// Output: shop/web default/web
}

func ExampleKey_Split() {
	pod := &outrank.Pod{Namespace: "shop", Name: "web"}
	namespace, name := pod.Key().Split()
	fmt.Println(namespace, name)
	// Output: shop web
}
