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
	indent int             // of the entries' dashes
	keys   map[string]bool // of the document, read so far
	some   bool            // a field or an entry was written
}

var itemsKey = []byte("items")

// splits reports whether the beginning of a document is that of a list, and begins to
// take it apart then.
func (y *yamlReader) splits(text []byte, from int) bool {
	if !plainLines(text) || firstIndent(text) > 0 {
		return false
	}
	at := 0
	for line := range bytes.Lines(text) {
		at += len(line)
		key, value, _ := bytes.Cut(line, []byte(":"))
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
		y.step = func() error {
			y.step = y.entry
			y.out.WriteByte('{')
			if err := y.fields(head, from); err != nil {
				return err
			}
			if y.list.some {
				y.out.WriteByte(',')
			}
			y.list.some = false
			y.out.WriteString(`"items":[`)
			return nil
		}
		return true
	}
	return false
}

// plainLines reports whether lines end as they do everywhere. YAML knows further
// ends of lines, which a list that is taken apart must not have.
func plainLines(text []byte) bool {
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			return false
		}
	}
	return !bytes.ContainsAny(text, "\u0085\u2028\u2029")
}

var errOddLines = errors.New("a line ends with something else than a line feed, which a list as long as this must not have")

// firstIndent is the indentation of the document.
func firstIndent(text []byte) int {
	for line := range bytes.Lines(text) {
		if !silent(line) && line[0] != '%' && !endsDocument(line) {
			return indentOf(line)
		}
	}
	return 0
}

// firstEntry is the indentation of a list's dashes.
func firstEntry(text []byte) (indent int, ok bool) {
	for line := range bytes.Lines(text) {
		if !silent(line) {
			return indentOf(line), isEntry(line)
		}
	}
	return 0, false
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// isEntry reports whether an entry of a list begins in the line.
func isEntry(line []byte) bool {
	line = bytes.TrimRight(bytes.TrimLeft(line, " "), " \t\r\n")
	return bytes.HasPrefix(line, []byte("- ")) || bytes.Equal(line, []byte("-"))
}

// silent lines are empty or comments.
func silent(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// entry converts the next entry of the list, whose parts are indented deeper than
// its dash.
func (y *yamlReader) entry() error {
	from := y.line
	var text []byte
	for begun := false; ; {
		line, err := y.next()
		if err != nil {
			return err
		}
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

// entryOver writes an entry, which may be an empty one, or ends the list where there is none.
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

// rest converts the fields behind the list.
func (y *yamlReader) rest() error {
	from := y.line
	var text []byte
	for {
		line, err := y.next()
		if err != nil {
			return err
		}
		if line == nil || endsDocument(line) {
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

// fields writes those of a part of the document.
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
