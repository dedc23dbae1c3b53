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

// rationed reads as long as its ration lasts. The reader of rows refills it
// before each of them.
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

// nearest returns the one of some words that takes the fewest changes of a letter
// to become the given one, the first of equals, and whether it is near at all.
// Upper and lower case, blanks and dashes make no difference.
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

func plain(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}
