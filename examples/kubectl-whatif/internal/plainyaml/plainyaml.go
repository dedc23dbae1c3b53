// Package plainyaml answers what JSON a text in YAML means, if the text is as plain as what kubectl writes. Everything
// else is left to a parser.
package plainyaml

import (
	"bytes"
	"slices"
)

// Converter converts YAML in block style, one text after the other. It reuses its memory, and
// belongs to one goroutine. The zero value is ready for use.
type Converter struct {
	// text is what follows the present line.
	text []byte
	// line is the present line without the spaces around it, and indent the column in which it begins. At the end
	// of the text line is nil. What was read of a line is taken off its beginning.
	line   []byte
	indent int
	// out is the JSON so far.
	out []byte
	// fields has the fields of the objects that are being written, the innermost object's last.
	fields []field
}

// field is a field of an object: its key, and where it begins and ends in the JSON.
type field struct {
	key        []byte
	start, end int
}

// JSON converts the part of YAML that kubectl writes: mappings and lists in lines of their own, scalars on
// one line, and literal texts. It is ten times as fast as the parser. It is not ok for a text with anything else,
// which is left to the parser, mistakes included. So it never has to explain one.
//
// The result is the same, to the byte, as that of the parser: an object's keys are sorted. It is valid until the
// next call.
func (p *Converter) JSON(text []byte) (piece []byte, ok bool) {
	p.text, p.out, p.fields = text, p.out[:0], p.fields[:0]
	if !onlyPlainBytes(text) || !p.next() || p.line == nil || !p.node(0) || p.line != nil {
		return nil, false
	}
	return p.out, true
}

// onlyPlainBytes reports whether a text consists of visible ASCII characters, spaces and line feeds, and ends with
// one. Nothing else needs care then: tabs, other line breaks, and characters that YAML forbids.
func onlyPlainBytes(text []byte) bool {
	for _, c := range text {
		if c != '\n' && (c < ' ' || c > '~') {
			return false
		}
	}
	return bytes.HasSuffix(text, []byte("\n"))
}

// next goes on to the next line. It is false for an empty one.
func (p *Converter) next() bool {
	if len(p.text) == 0 {
		p.line = nil
		return true
	}

	end := bytes.IndexByte(p.text, '\n')
	line := bytes.TrimRight(p.text[:end], " ")
	p.text = p.text[end+1:]
	p.indent = indentOf(line)
	p.line = line[p.indent:]
	return len(p.line) > 0
}

// indentOf returns the number of spaces at the beginning of a line.
func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// mostDeep is how deep objects and lists may be in each other. The stack stays small.
const mostDeep = 200

// node converts the list or the object that begins in the present line.
func (p *Converter) node(depth int) bool {
	if depth > mostDeep {
		return false
	}
	if p.atEntry() {
		return p.entries(depth)
	}
	return p.object(depth)
}

// atEntry reports whether the present line begins with the dash of an entry.
func (p *Converter) atEntry() bool {
	return len(p.line) > 0 && p.line[0] == '-' && (len(p.line) == 1 || p.line[1] == ' ')
}

// entries converts a list. Its dashes are in one column.
func (p *Converter) entries(depth int) bool {
	column := p.indent
	p.out = append(p.out, '[')
	for i := 0; p.line != nil && p.indent == column && p.atEntry(); i++ {
		if i > 0 {
			p.out = append(p.out, ',')
		}

		// An entry is what it would be with a space in place of its dash.
		rest := bytes.TrimLeft(p.line[1:], " ")
		p.indent += len(p.line) - len(rest)
		p.line = rest
		if !p.entry(column, depth) {
			return false
		}
	}
	p.out = append(p.out, ']')
	return true
}

// entry converts the entry whose dash was in a column.
func (p *Converter) entry(column, depth int) bool {
	if len(p.line) == 0 {
		return p.below(column+1, depth)
	}
	if _, _, isField := cutKey(p.line); isField || p.atEntry() {
		return p.node(depth + 1)
	}
	return p.single(p.line, column)
}

// below converts what stands in the lines below, at least as far to the right as a column. Without any it is null.
func (p *Converter) below(column, depth int) bool {
	if !p.next() {
		return false
	}
	if p.line == nil || p.indent < column {
		p.out = append(p.out, "null"...)
		return true
	}
	return p.node(depth + 1)
}

// single converts a scalar that ends with its line. A line further to the right than the column of what holds it
// would continue it.
func (p *Converter) single(text []byte, column int) bool {
	var ok bool
	if p.out, ok = appendScalar(p.out, text); !ok || !p.next() {
		return false
	}
	return p.line == nil || p.indent <= column
}

// object converts an object. Its keys are in one column.
func (p *Converter) object(depth int) bool {
	column, first, start := p.indent, len(p.fields), len(p.out)+1
	p.out = append(p.out, '{')
	sorted := true
	for p.line != nil && p.indent == column && !p.atEntry() {
		key, value, ok := cutKey(p.line)
		if !ok {
			return false
		}
		if n := len(p.fields); n > first {
			sorted = sorted && bytes.Compare(p.fields[n-1].key, key) < 0
			p.out = append(p.out, ',')
		}

		p.fields = append(p.fields, field{key: key, start: len(p.out)})
		p.out = append(appendText(p.out, key), ':')
		at := len(p.fields) - 1
		if !p.value(value, column, depth) {
			return false
		}
		p.fields[at].end = len(p.out)
	}

	if !sorted && !p.sort(p.fields[first:], start) {
		return false
	}
	p.fields = p.fields[:first]
	p.out = append(p.out, '}')
	return true
}

// value converts the value of a field whose key is in a column.
func (p *Converter) value(text []byte, column, depth int) bool {
	if len(text) > 0 {
		if text[0] == '|' {
			return p.literal(text, column)
		}
		return p.single(text, column)
	}

	// The dashes of a list may be in the same column as its key.
	if !p.next() {
		return false
	}
	if p.line == nil || p.indent < column || p.indent == column && !p.atEntry() {
		p.out = append(p.out, "null"...)
		return true
	}
	return p.node(depth + 1)
}

// sort sorts the fields of an object that begin at a place in the JSON. It is false if two have the same key.
func (p *Converter) sort(fields []field, start int) bool {
	slices.SortFunc(fields, func(a, b field) int { return bytes.Compare(a.key, b.key) })
	written := slices.Clone(p.out[start:])
	p.out = p.out[:start]
	for i, f := range fields {
		if i > 0 {
			if bytes.Equal(f.key, fields[i-1].key) {
				return false
			}
			p.out = append(p.out, ',')
		}
		p.out = append(p.out, written[f.start-start:f.end-start]...)
	}
	return true
}

// literal converts a text of several lines: those below that are further to the right than the key. Behind "|"
// it ends with a line feed, and behind "|-" without.
func (p *Converter) literal(mark []byte, column int) bool {
	if len(mark) > 1 && string(mark) != "|-" {
		return false
	}

	from := indentOf(p.text)
	if from <= column || from == len(p.text) || p.text[from] == '\n' {
		return false // the text begins with an empty line, or there is none
	}
	var text []byte
	for len(p.text) > 0 {
		end := bytes.IndexByte(p.text, '\n')
		line := p.text[:end]
		if indent := indentOf(line); indent < from && indent < len(line) {
			break
		}
		text = append(append(text, line[min(from, len(line)):]...), '\n')
		p.text = p.text[end+1:]
	}

	text = bytes.TrimRight(text, "\n")
	if len(mark) == 1 {
		text = append(text, '\n')
	}
	p.out = appendText(p.out, text)
	return p.next() && (p.line == nil || p.indent <= column)
}
