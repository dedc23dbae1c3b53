package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// list is a long document that is being taken apart: it has entries below a line "items:", as kubectl writes
// it.
type list struct {
	// indent is the indentation of the dashes before entries.
	indent int
	// keys has the keys of the document that were read so far.
	keys map[string]bool
	// some says that a field of the document, or an entry of the present list, was written, so that a comma
	// precedes the next one.
	some bool
}

// itemsKey is the key of the entries.
var itemsKey = []byte("items")

// splits reports whether a document begins as a list that can be taken apart. If it does, the next step begins
// with that: the entries read so far are read once more, one by one.
func (y *yamlReader) splits(text []byte, from int) bool {
	if !plainLines(text) || firstIndent(text) > 0 {
		return false
	}

	at := 0
	for line := range bytes.Lines(text) {
		at += len(line)
		key, value, _ := bytes.Cut(line, []byte(":"))
		// A value on the line of the key itself has another form, which cannot be taken apart.
		if !bytes.Equal(key, itemsKey) || len(bytes.TrimSpace(value)) > 0 {
			continue
		}

		indent, ok := firstEntry(text[at:])
		if !ok {
			return false
		}

		head := text[:at-len(line)]
		y.back(text[at:])
		y.list = list{indent: indent, keys: map[string]bool{"items": true}}
		y.step = func() error { return y.beginList(head, from) }
		return true
	}
	return false
}

// beginList converts the fields before the entries, and begins the list.
func (y *yamlReader) beginList(head []byte, from int) error {
	y.step = y.entry
	y.out.WriteByte('{')
	if err := y.fields(head, from); err != nil {
		return err
	}
	if y.list.some {
		y.out.WriteByte(',')
	}

	// From here on some says whether an entry was written.
	y.list.some = false
	y.out.WriteString(`"items":[`)
	return nil
}

// plainLines reports whether all lines end with a line feed. YAML has further line breaks, which a list that is
// taken apart must not have, because lines are counted and cut here.
func plainLines(text []byte) bool {
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			return false
		}
	}
	return !bytes.ContainsAny(text, "\u0085\u2028\u2029")
}

// errOddLines is the error about other line breaks.
var errOddLines = errors.New("a line ends with something else than a line feed, which a list as long as this must not have")

// firstIndent returns the indentation of the first line that is no comment, directive or marker.
func firstIndent(text []byte) int {
	for line := range bytes.Lines(text) {
		if !silent(line) && line[0] != '%' && !endsDocument(line) {
			return indentOf(line)
		}
	}
	return 0
}

// firstEntry returns the indentation of a list's dashes. It is not ok if the text does not begin with an entry.
func firstEntry(text []byte) (indent int, ok bool) {
	for line := range bytes.Lines(text) {
		if !silent(line) {
			return indentOf(line), isEntry(line)
		}
	}
	return 0, false
}

// indentOf returns the number of spaces at the beginning of a line.
func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// isEntry reports whether a line begins an entry of a list.
func isEntry(line []byte) bool {
	line = bytes.TrimRight(bytes.TrimLeft(line, " "), " \t\r\n")
	return bytes.HasPrefix(line, []byte("- ")) || bytes.Equal(line, []byte("-"))
}

// silent reports whether a line is empty or a comment.
func silent(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// entry converts the next entry of the list. The lines of an entry are indented more deeply than its dash.
func (y *yamlReader) entry() error {
	from := y.line
	text := y.piece[:0]
	defer func() { y.piece = text }()
	for begun := false; ; {
		line, err := y.next()
		if err != nil {
			return err
		}

		// The first line with the list's indentation has to begin with the dash of the entry. A space replaces
		// the dash, so that the entry is a document of its own. A second such line is beyond the entry, and is
		// read once more.
		over := line == nil || endsDocument(line)
		if !over && !silent(line) && indentOf(line) <= y.list.indent {

			if over = begun || !isEntry(line); !over {
				begun = true
				line = bytes.Replace(line, []byte("-"), []byte(" "), 1)
			}
		}
		if over {
			y.back(line)
			return y.entryOver(text, from, begun)
		}

		if text = append(text, line...); len(text) > mostPiece {
			return y.wrong(from, errTooLong)
		}
	}
}

// entryOver writes an entry, which may be empty. If none was begun, the list is over.
func (y *yamlReader) entryOver(text []byte, from int, begun bool) error {
	if !begun {
		y.out.WriteByte(']')
		y.list.some = true
		y.step = y.rest
		return nil
	}

	if !plainLines(text) {
		return y.wrong(from, errOddLines)
	}
	piece, err := y.convert(text, from)
	if err != nil {
		return err
	}

	if y.list.some {
		y.out.WriteByte(',')
	}
	y.list.some = true
	y.out.Write(piece)
	return nil
}

// rest converts the fields after the list, and ends the document.
func (y *yamlReader) rest() error {
	from := y.line
	var text []byte
	for {
		line, err := y.next()
		if err != nil {
			return err
		}

		if line == nil || endsDocument(line) {
			// The marker "---" belongs to the next document and is read once more. The marker "..." is not.
			if line != nil && line[0] == '-' {
				y.back(line)
			}

			y.step = y.document
			if err := y.fields(text, from); err != nil {
				return err
			}
			if !y.list.keys["kind"] {
				return y.wrong(from, errCut)
			}
			y.out.WriteString("}\n")
			return nil
		}

		if text = append(text, line...); len(text) > mostPiece {
			return y.wrong(from, errTooLong)
		}
	}
}

// fields writes the fields in a part of the document. A key that occurred in an earlier part is an error; the
// parser cannot see that, because it gets each part separately.
func (y *yamlReader) fields(text []byte, from int) error {
	if !plainLines(text) {
		return y.wrong(from, errOddLines)
	}
	piece, err := y.convert(text, from)
	if err != nil || string(piece) == "null" {
		return err
	}

	var fields map[string]json.RawMessage
	if err := json.Unmarshal(piece, &fields); err != nil {
		return y.wrong(from, fmt.Errorf("this is no object but %s", nameOf(piece)))
	}

	// The parser sees only this part, so that keys of earlier parts are checked here.
	for key := range fields {
		if y.list.keys[key] {
			return y.wrong(from, fmt.Errorf("key %q already set in map", key))
		}
		y.list.keys[key] = true
	}

	// The braces of the part are left out: its fields continue the object that was begun.
	if len(fields) > 0 {
		if y.list.some {
			y.out.WriteByte(',')
		}
		y.list.some = true
		y.out.Write(piece[1 : len(piece)-1])
	}
	return nil
}
