package apis

import "strings"

const (
	// MaxLabelName is the most characters of the name of a label, and of its value.
	MaxLabelName = 63

	maxLabelPrefix = 253
)

// KeyProblem is the problem of a label key: an optional DNS subdomain and a
// slash, then a name.
func KeyProblem(key string) string {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		name = key
	} else if !IsSubdomain(prefix) {
		return Quote(key) + " has a prefix that is not a DNS subdomain"
	}
	if name == "" || !isLabelText(name) {
		return Quote(key) + " is not a label key"
	}
	return ""
}

// ValueProblem is the problem of a label value, which may be empty.
func ValueProblem(value string) string {
	if value != "" && !isLabelText(value) {
		return Quote(value) + " is not a label value"
	}
	return ""
}

// isLabelText: at most 63 letters, digits, '-', '_' and '.', a letter or digit
// at both ends.
func isLabelText(s string) bool {
	if len(s) > MaxLabelName || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// IsSubdomain reports whether s is a DNS subdomain: at most 253 bytes of lower-case
// labels joined by dots.
func IsSubdomain(s string) bool {
	if s == "" || len(s) > maxLabelPrefix {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		case c == '-' || c == '.':
			// Neither may begin, end or follow a dot; a dash may not precede one.
			if i == 0 || i == len(s)-1 || s[i-1] == '.' || c == '.' && s[i-1] == '-' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
