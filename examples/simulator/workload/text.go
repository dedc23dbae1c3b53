package workload

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/internal/spelling"
)

// quote returns a text of the input in quotes. A long text is cut.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return strconv.Quote(s)
}

// errLong is the error for a row that is too long.
var errLong = errors.New("the row is too long")

// rationed is a reader that fails once its ration is used up. The ration is refilled before each row, so that
// an endless row does not fill the memory.
type rationed struct {
	in   io.Reader
	left int
}

// refill sets the ration to the length of the longest row and as much again, because readers read ahead.
func (r *rationed) refill() { r.left = 2 * mostRowBytes }

func (r *rationed) Read(p []byte) (int, error) {
	if r.left == 0 && len(p) > 0 {
		return 0, errLong
	}
	n, err := r.in.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// nearest returns the word that is most similar to the given one, by the number of changed letters, and
// reports whether any is similar at all. Of equally similar ones it returns the first. Case, surrounding
// blanks, and the difference between blanks, dashes and underscores do not count.
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

// plain returns a heading in the form in which headings are compared.
func plain(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}
