package plainyaml

import "bytes"

// cutKey returns the key at the beginning of a line, and what follows its colon. It is not ok for a line without a
// key, and for a key that may be something else than the text that stands there.
func cutKey(line []byte) (key, value []byte, ok bool) {
	if len(line) == 0 {
		return nil, nil, false
	}

	end := 0
	if quote := line[0]; quote == '"' || quote == '\'' {
		at := bytes.IndexByte(line[1:], quote)
		if at < 0 {
			return nil, nil, false
		}
		key, end = line[1:at+1], at+2
		if bytes.IndexByte(key, '\\') >= 0 || end >= len(line) || line[end] != ':' || end+1 < len(line) && line[end+1] != ' ' {
			return nil, nil, false
		}
	} else {
		if end = colonAt(line); end < 0 {
			return nil, nil, false
		}
		if key = line[:end]; !isWord(key) {
			return nil, nil, false
		}
	}
	return key, bytes.TrimLeft(line[end+1:], " "), end <= longestKey
}

// longestKey is less than the length up to which the parser takes a key.
const longestKey = 1000

// colonAt returns the place of the colon that ends a key, and -1 for none. A colon within a word ends nothing.
func colonAt(line []byte) int {
	for i, c := range line {
		if c == ':' && (i+1 == len(line) || line[i+1] == ' ') {
			return i
		}
	}
	return -1
}

// appendScalar appends the JSON of a scalar that is on one line. It is not ok for a scalar that may be anything but
// a text, true, false, null, or a whole number in its usual form.
func appendScalar(out, text []byte) ([]byte, bool) {
	switch c := text[0]; {
	case c == '"':
		return appendQuoted(out, text)
	case c == '\'':
		inner, ok := withoutApostrophes(text)
		return appendText(out, inner), ok
	case isWholeNumber(text):
		return append(out, text...), true
	case isWord(text):
		return appendText(out, text), true
	case c == '-' || c >= '0' && c <= '9':
		return appendText(out, text), plainEnd(text) && isNoNumber(text)
	}

	switch string(text) {
	case "true", "false", "null", "{}", "[]":
		return append(out, text...), true
	}
	return out, false
}

// plainEnd reports whether all of a text without quotes belongs to the scalar: no comment begins in it and no key
// ends in it.
func plainEnd(text []byte) bool { return !bytes.Contains(text, []byte(" #")) && colonAt(text) < 0 }

// isWord reports whether a text without quotes is surely a text: it begins as no number and no sign of YAML does,
// and is none of the words that mean something.
func isWord(text []byte) bool {
	if len(text) == 0 || text[len(text)-1] == ' ' {
		return false
	}
	switch c := text[0]; {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return !meansSomething(text) && plainEnd(text)
	case c == '/', c == '_', c == '$', c == '(':
		return plainEnd(text)
	}
	return false
}

// meansSomething reports whether a word may be true, false or null, as its letters are.
func meansSomething(text []byte) bool {
	if len(text) > len("false") {
		return false
	}
	switch string(bytes.ToLower(text)) {
	case "y", "yes", "on", "true", "n", "no", "off", "false", "null":
		return true
	}
	return false
}

// isWholeNumber reports whether a text is a whole number that JSON writes in the same way, and that has no more
// digits than 64 bits hold.
func isWholeNumber(text []byte) bool {
	digits := bytes.TrimPrefix(text, []byte("-"))
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(text) > 1 {
		return false
	}
	return len(bytes.Trim(digits, "0123456789")) == 0
}

// isNoNumber reports whether a text that begins with a digit or a minus sign is surely a text. A number has only
// the bytes of numberBytes, and after its first byte at most one sign. A date begins with four digits and a minus.
func isNoNumber(text []byte) bool {
	if bytes.HasPrefix(text, []byte("---")) || bytes.HasPrefix(text, []byte("- ")) || len(text) == 1 {
		return false
	}
	if len(text) > 4 && text[4] == '-' && len(bytes.Trim(text[:4], "0123456789")) == 0 {
		return false
	}
	if bytes.Count(text[1:], []byte("-")) > 1 || bytes.Count(text, []byte(".")) > 1 {
		return true
	}
	return len(bytes.Trim(text, numberBytes)) > 0
}

// numberBytes may be in numbers: digits of all bases with their marks, signs, points and exponents.
const numberBytes = "0123456789abcdefABCDEFxXoO._+-"

// withoutApostrophes returns the text between single quotes, in which two stand for one.
func withoutApostrophes(text []byte) ([]byte, bool) {
	if len(text) < 2 || text[len(text)-1] != '\'' {
		return nil, false
	}
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\'') < 0 {
		return inner, true
	}
	single := bytes.ReplaceAll(inner, []byte("''"), nil)
	return bytes.ReplaceAll(inner, []byte("''"), []byte("'")), bytes.IndexByte(single, '\'') < 0
}

// appendQuoted appends the JSON of a text between double quotes. It is ok with the escapes that mean the same in
// JSON.
func appendQuoted(out, text []byte) ([]byte, bool) {
	if len(text) < 2 {
		return out, false
	}
	out = append(out, '"')
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			return append(out, '"'), i == len(text)-1
		case c != '\\':
			out = appendByte(out, c)
		case i+1 == len(text):
			return out, false
		default:
			i++
			switch e := text[i]; e {
			case '"', '\\', 'n', 't', 'r':
				out = append(out, '\\', e)
			default:
				return out, false
			}
		}
	}
	return out, false
}

// appendText appends a text as JSON.
func appendText(out, text []byte) []byte {
	out = append(out, '"')
	for _, c := range text {
		out = appendByte(out, c)
	}
	return append(out, '"')
}

// appendByte appends a byte of a text, escaped as package encoding/json does.
func appendByte(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\n':
		return append(out, '\\', 'n')
	case '<', '>', '&':
		const digits = "0123456789abcdef"
		return append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
	return append(out, c)
}
