package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// list is a document that is being taken apart: a long one with its entries below a line
// "items:", as kubectl writes it.
type list struct {
	// indent is the indentation of the entries' dashes.
	indent int
	// keys has the keys of the document that were read so far.
	keys map[string]bool
	// some says that a field was written, or an entry of the list at hand, so that a comma goes before
	// the next one.
	some bool
}

// itemsKey is the key of the entries.
var itemsKey = []byte("items")

// splits reports whether a document begins as a list that can be taken apart. If so, its next step
// begins to do that: the entries that were read already are read once more, one by one.
func (y *yamlReader) splits(text []byte, from int) bool {
	if !plainLines(text) || firstIndent(text) > 0 {
		return false
	}

	at := 0
	for line := range bytes.Lines(text) {
		at += len(line)
		key, value, _ := bytes.Cut(line, []byte(":"))
		// Entries on the line of the key itself are in another form, which is not taken apart.
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

	// From here on it says whether an entry was written.
	y.list.some = false
	y.out.WriteString(`"items":[`)
	return nil
}

// plainLines reports whether all lines end with a line feed. YAML has further
// ends of lines, which a list that is taken apart must not have: lines are counted and cut here.
func plainLines(text []byte) bool {
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			return false
		}
	}
	return !bytes.ContainsAny(text, "\u0085\u2028\u2029")
}

// errOddLines is the error about other ends of lines.
var errOddLines = errors.New("a line ends with something else than a line feed, which a list as long as this must not have")

// firstIndent is the indentation of the document's first line that is no comment, directive or mark.
func firstIndent(text []byte) int {
	for line := range bytes.Lines(text) {
		if !silent(line) && line[0] != '%' && !endsDocument(line) {
			return indentOf(line)
		}
	}
	return 0
}

// firstEntry is the indentation of a list's dashes. It is not ok if the text begins with no entry.
func firstEntry(text []byte) (indent int, ok bool) {
	for line := range bytes.Lines(text) {
		if !silent(line) {
			return indentOf(line), isEntry(line)
		}
	}
	return 0, false
}

// indentOf is the number of spaces before a line.
func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// isEntry reports whether an entry of a list begins in the line.
func isEntry(line []byte) bool {
	line = bytes.TrimRight(bytes.TrimLeft(line, " "), " \t\r\n")
	return bytes.HasPrefix(line, []byte("- ")) || bytes.Equal(line, []byte("-"))
}

// silent reports whether a line is empty or a comment.
func silent(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// entry converts the next entry of the list. What belongs to an entry is indented deeper than
// its dash.
func (y *yamlReader) entry() error {
	from := y.line
	var text []byte
	for begun := false; ; {
		line, err := y.next()
		if err != nil {
			return err
		}

		// The first line with the list's indentation has to be the dash of the entry, and becomes a space, so
		// that the entry is a document by itself. The next one is over the entry, and read once more.
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

// entryOver writes an entry, which may be empty. If none has begun, the list ends.
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

// rest converts the fields behind the list, and ends the document.
func (y *yamlReader) rest() error {
	from := y.line
	var text []byte
	for {
		line, err := y.next()
		if err != nil {
			return err
		}

		if line == nil || endsDocument(line) {
			// The mark of the next document is read once more; the one that ends this is not.
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

// fields writes the fields in a part of the document. A key that was in an earlier part is an error, as
// the parser sees each part by itself.
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

	for key := range fields {
		if y.list.keys[key] {
			return y.wrong(from, fmt.Errorf("key %q already set in map", key))
		}
		y.list.keys[key] = true
	}

	if len(fields) > 0 {
		if y.list.some {
			y.out.WriteByte(',')
		}
		y.list.some = true
		y.out.Write(piece[1 : len(piece)-1])
	}
	return nil
}
