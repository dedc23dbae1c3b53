package manifest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// strange returns the error for text outside of any object. Often it is kubectl's output to standard error,
// which was redirected to the same file.
func (s *scanner) strange(c byte) error {
	at := s.off + int64(s.pos)
	line := s.line()
	if !messageLine.MatchString(line) {
		return s.unexpected(c)
	}
	return fmt.Errorf("%w: at byte %d stands a message of kubectl, %q; %s", ErrSyntax, at, cut(line), adviceAbout(line))
}

// messageLine matches kubectl's output to standard error: errors, warnings, and the log of its libraries ("E0101
// 10:00:00.000000 ...").
var messageLine = regexp.MustCompile(`^(?i:error:|error from server|error when|warning:|unable to |the connection to the server|` +
	`no resources found|you must be logged in)|^[IWEF]\d{4} \d\d:`)

// adviceAbout says what to do about a message of kubectl. After an error the rest of the input may be
// incomplete.
func adviceAbout(line string) string {
	const apart = "keep standard error out of the file (no 2>&1, no &>)"
	for _, harmless := range []string{"warning:", "no resources", "i", "w"} {
		if strings.HasPrefix(strings.ToLower(line), harmless) {
			return apart
		}
	}
	return "mend what it says and run kubectl again, for the rest may be incomplete; " + apart
}

// line returns the line that begins at the next byte, or the beginning of a long line. It does not move past
// it.
func (s *scanner) line() string {
	const most = 400
	for {
		rest := s.buf[s.pos:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return string(bytes.TrimSpace(rest[:min(i, most)]))
		}
		if len(rest) >= most || s.fill() != nil {
			rest = s.buf[s.pos:]
			return string(bytes.TrimSpace(rest[:min(len(rest), most)]))
		}
	}
}

// wide reports whether the input seems to be UTF-16, with or without a byte order mark. It looks only at the
// first two bytes.
func (s *scanner) wide() bool {
	if s.off > 0 || len(s.buf) < 2 && s.fill() != nil {
		return false
	}
	switch string(s.buf[:2]) {
	case "\xFF\xFE", "\xFE\xFF", "{\x00", "\x00{":
		return true
	}
	return false
}

// errWide is the error about input in UTF-16.
var errWide = fmt.Errorf("%w: the input is UTF-16, as PowerShell's > writes it; save it as UTF-8, "+
	"with kubectl ... | Out-File -Encoding utf8 FILE", ErrSyntax)

// unexpected returns the error for a byte where something else belongs. If the input seems to be UTF-16 or
// YAML, the error says so.
func (s *scanner) unexpected(c byte) error {
	if s.wide() {
		return errWide
	}

	at := s.off + int64(s.pos)
	rest := string(s.buf[s.pos:min(len(s.buf), s.pos+64)])
	for _, yaml := range []string{"apiVersion:", "kind:", "---", "items:", "#", "- "} {
		if strings.HasPrefix(rest, yaml) {
			return fmt.Errorf("%w: this looks like YAML; use kubectl's -o json", ErrSyntax)
		}
	}
	return fmt.Errorf("%w: unexpected %q at byte %d", ErrSyntax, c, at)
}
