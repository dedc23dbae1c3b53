package workload

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/internal/spelling"
)

// quote shows a text of the input, cut where it is long.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return strconv.Quote(s)
}

// errLong ends the reading of a row that does not end.
var errLong = errors.New("the row is too long")

// rationed is a reader that fails when its ration is used up. The ration is refilled before each row, so that
// a row that never ends is not read into memory.
type rationed struct {
	in   io.Reader
	left int
}

// refill gives room for the longest row, and for what is read ahead of need.
func (r *rationed) refill() { r.left = 2 * mostRowBytes }

func (r *rationed) Read(p []byte) (int, error) {
	if r.left == 0 && len(p) > 0 {
		return 0, errLong
	}
	n, err := r.in.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// nearest returns the word that becomes the given one by the fewest changes of a letter, of equals the first,
// and whether there is one that is near at all. Upper and lower case, blanks, dashes and underscores make no
// difference.
func nearest(word string, among []string) (string, bool) {
	best, fewest := "", len(word)/2+1
	word = plain(word)
	if len(word) > mostName {
		return "", false
	}
	for _, other := range among {
		if n := spelling.Distance(word, plain(other)); n < fewest {
			best, fewest = other, n
		}
	}
	return best, best != ""
}

// plain returns a heading as it is compared.
func plain(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}
