package manifest_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/manifest"
)

// itemsOf reads a stream and writes each item in a line.
func itemsOf(r io.Reader) ([]string, error) {
	var items []string
	err := manifest.Each(r, func(it manifest.Item) error {
		items = append(items, fmt.Sprintf("%s %q %s", it.Where, it.Kind, it.Raw))
		return nil
	})
	return items, err
}

// A nil list of Go is written as null. It is an empty list, whatever the kind
// and the place.
func TestListsWithoutItems(t *testing.T) {
	const after = `{"kind":"A"}`
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"null", `{"items":null}`, nil},
		{"null in a List", `{"kind":"List","items":null}`, nil},
		{"null in a typed list", `{"kind":"PodList","items":null}`, nil},
		{"null, then the kind", `{"items":null,"kind":"PodList"}`, nil},
		{"null, then more", `{"items": null , "metadata":{"items":[{}]}}`, nil},
		{"empty", `{"kind":"PodList","items":[]}`, nil},
		{"no items in a List", `{"kind":"List"}`, nil},
		{"no items in a typed list", `{"kind":"PodList"}`, []string{`document 1 "PodList" {"kind":"PodList"}`}},
		{"items that are none", `{"kind":"B","items":7}`, []string{`document 1 "B" {"kind":"B","items":7}`}},
		{"null is an element", `{"kind":"PodList","items":[null]}`, []string{`items[0] "Pod" null`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := itemsOf(strings.NewReader(c.text + after))
			require.NoError(t, err)
			assert.Equal(t, append(c.want, `document 2 "A" {"kind":"A"}`), got)
		})
	}
}
