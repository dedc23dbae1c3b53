package priority

import (
	"fmt"
	"strings"
)

// maxName is the length of the longest DNS subdomain, in bytes.
const maxName = 253

// isSubdomain reports whether the name is a DNS subdomain as Kubernetes means
// it (RFC 1123): labels joined by dots, each of lower-case letters, digits and
// dashes with no dash at either end.
func isSubdomain(name string) bool {
	if len(name) > maxName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if !isLabel(label) {
			return false
		}
	}
	return true
}

// isLabel reports whether s is one label of a DNS subdomain. Only the length of the whole
// name is bounded.
func isLabel(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// quote quotes a text from the input. It cuts a text that is longer than any valid name.
func quote(s string) string {
	if len(s) > maxName {
		return fmt.Sprintf("%q…", s[:maxName])
	}
	return fmt.Sprintf("%q", s)
}
