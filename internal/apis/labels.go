package apis

import "strings"

const (
	// MaxLabelName is the largest number of characters in the name of a label, and in its value.
	MaxLabelName = 63

	// maxLabelPrefix is the largest number of characters before the slash of a label key.
	maxLabelPrefix = 253
)

// KeyProblem says what is wrong with a label key, empty if nothing is. A key is a name, which may have a DNS
// subdomain and a slash before it.
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

// ValueProblem says what is wrong with a label value, empty if nothing is. A value may be empty.
func ValueProblem(value string) string {
	if value != "" && !isLabelText(value) {
		return Quote(value) + " is not a label value"
	}
	return ""
}

// isLabelText reports whether s is valid as the name in a label key or as a label value: at most 63 letters,
// digits, '-', '_' and '.', with a letter or digit at both ends. s must not be empty.
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

// IsSubdomain reports whether s is a DNS subdomain: at most 253 bytes of lower-case labels joined by dots.
func IsSubdomain(s string) bool {
	if s == "" || len(s) > maxLabelPrefix {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		case c == '-' || c == '.':
			// A dash or dot must not begin or end the text or follow a dot, and a dash must not precede a dot.
			if i == 0 || i == len(s)-1 || s[i-1] == '.' || c == '.' && s[i-1] == '-' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isAlphanumeric reports whether c is a letter or a digit in ASCII.
func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
