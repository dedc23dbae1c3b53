package manifest_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/manifest"
)

// A message of kubectl in front of the objects, or between two, is shown, with
// what to do about it.
func TestMessagesOfKubectl(t *testing.T) {
	const mend, apart = "mend what it says and run kubectl again", "keep standard error out of the file"
	for line, advice := range map[string]string{
		`error: the server doesn't have a resource type "podz"`:                                     mend,
		`Error from server (Forbidden): pods is forbidden`:                                          mend,
		`Unable to connect to the server: dial tcp: i/o timeout`:                                    mend,
		`The connection to the server localhost:8080 was refused - did you specify the right host?`: mend,
		`E1122 05:33:26.123456   12345 memcache.go:265] couldn't get current server API group list`: mend,
		`Warning: v1 ComponentStatus is deprecated in v1.19+`:                                       apart,
		`No resources found`:                             apart,
		`W1122 05:33:26.123456 1 loader.go:1] a warning`: apart,
		`I1122 05:33:26.123456 1 loader.go:1] a note`:    apart,
	} {
		for at, text := range map[string]string{
			"at byte 0 ":  line + "\n{}",
			"at byte 13 ": `{"kind":"A"}` + "\n" + line,
			"at byte 1 ":  "\n" + line + "\r\n" + strings.Repeat("more\n", 1000),
		} {
			for _, r := range []func() error{
				func() error { _, err := itemsOf(strings.NewReader(text)); return err },
				func() error { _, err := itemsOf(iotest.OneByteReader(strings.NewReader(text))); return err },
			} {
				err := r()
				assert.ErrorIs(t, err, manifest.ErrSyntax)
				assert.ErrorContains(t, err, at+"stands a message of kubectl, ")
				assert.ErrorContains(t, err, advice)
				assert.ErrorContains(t, err, apart)
				if advice == apart {
					assert.NotContains(t, err.Error(), mend)
				}
			}
		}
	}
	_, err := itemsOf(strings.NewReader("error: " + strings.Repeat("x", 1<<20)))
	assert.Less(t, len(err.Error()), 500, "a long line is cut")
	for _, text := range []string{"errors\n", "in\n", "Warn\n", "E1 05:33\n", "\x00\x00\x00", "\x00", "\xff\xff"} {
		_, err := itemsOf(strings.NewReader(text))
		assert.ErrorContains(t, err, "unexpected")
	}
	_, err = itemsOf(iotest.OneByteReader(strings.NewReader(" {\x00")))
	assert.ErrorContains(t, err, `unexpected '\x00' at byte 2`, "not at the start")
}
