package input

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzYAML checks that a list that is taken apart equals the list as a whole, or
// is an error, and that nothing panics.
func FuzzYAML(f *testing.F) {
	for _, text := range []string{
		"items:\n- a: 1\n- b: |\n    - c\nkind: List\n", "kind: A\n---\nitems:\n  - a\n  -\n    b: c\n...\n", "items: []\n", "# a\n%YAML 1.1\n---\nitems:\n- \"x\n  - y\"\n",
		"items:\n- &a {b: c}\n- *a\n", "a: [1, 2]\nitems:\n\n# c\n- d\ne: f\n", "items:\n- a\n -b\n- - c\n", "items:\n- a: 1\n\t- b\n", "0: \n---\nitems:\n  - 0\n  -\n000000: 00000",
		" s:\n0<00=0000$00\r000\nitems:\n- 0", "items:\n- a\r- b\n- c\u2028- d\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		read := func(size int) (string, error) {
			y := newYAML(bufio.NewReaderSize(strings.NewReader(text), 16))
			y.size = size
			out, err := io.ReadAll(y)
			if err != nil {
				return "", err
			}
			var objects []string
			err = Each(bytes.NewReader(out), func(o Object) error {
				hash, err := o.hash()
				objects = append(objects, string(hash[:]))
				return err
			})
			return strings.Join(objects, ""), err
		}
		whole, err := read(wholeDocument)
		for _, size := range []int{1, 30} {
			parts, partsErr := read(size)
			if err == nil && partsErr == nil {
				assert.Equal(t, whole, parts, "taken apart after %d bytes", size)
			}
		}
	})
}
