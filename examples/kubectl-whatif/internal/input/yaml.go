package input

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/plainyaml"
)

var (
	// yamlLine matches the first line of YAML after comments: a document marker, a directive, a key as
	// Kubernetes writes them, or an entry of a list. Anything else is left to the JSON reader, which recognises
	// messages of kubectl.
	yamlLine = regexp.MustCompile(`^(---(\s|$)|%[A-Z]|- |-$|["']?[a-z][A-Za-z0-9]*["']?\s*:(\s|$))`)
	// errorLine matches the message of a kubectl that failed, which looks like a key.
	errorLine = regexp.MustCompile(`^error:`)
)

// isYAML reports whether a text is YAML, judging by the first line that is no comment.
func isYAML(b *bufio.Reader) bool {
	head, _ := b.Peek(1 << 16)
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, " \t\r\n")
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			return yamlLine.Match(line) && !errorLine.Match(line)
		}
	}
	return false
}

// yamlReader reads YAML as a stream of JSON documents.
type yamlReader struct {
	in *bufio.Reader
	// out is the JSON that was not read yet, and err the error that follows it.
	out bytes.Buffer
	err error
	// step writes the next part to out. Each step sets the next one.
	step func() error

	// again has texts that are read once more before in. The last of them comes first.
	again [][]byte
	// line counts the lines read so far, and doc the documents.
	line int
	doc  int
	// size is wholeDocument, except in tests.
	size int
	// list is the list that is being taken apart.
	list list
	// plain converts what needs no parser, and piece is memory for the text of an entry.
	plain plainyaml.Converter
	piece []byte
}

// newYAML reads YAML from its beginning.
func newYAML(in *bufio.Reader) *yamlReader {
	y := &yamlReader{in: in, size: wholeDocument}
	y.step = y.document
	return y
}

// Read returns JSON. It converts only as much YAML as that takes.
func (y *yamlReader) Read(p []byte) (int, error) {
	for y.out.Len() == 0 && y.err == nil {
		y.err = y.step()
	}
	if y.out.Len() > 0 {
		return y.out.Read(p)
	}
	return 0, y.err
}

// next returns the next line with its line break, or nil at the end of the text. It is valid until the next call,
// unless it is put back.
func (y *yamlReader) next() ([]byte, error) {
	if len(y.again) > 0 {
		return y.nextAgain(), nil
	}

	var line []byte
	for {
		part, err := y.in.ReadSlice('\n')
		if err == nil && line == nil {
			y.line++
			return part, nil // most lines lie in the buffer as a whole
		}

		line = append(line, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF):
			if len(line) > 0 {
				y.line++
				return line, nil
			}
			return nil, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > mostPiece:
			return nil, y.wrong(y.line, errTooLong)
		}
	}
}

// nextAgain returns the next line of the texts that are read once more. Its capacity is limited to the line, so
// that appending to it does not overwrite the next one.
func (y *yamlReader) nextAgain() []byte {
	last := len(y.again) - 1
	// The last line may have no line break.
	text := y.again[last]
	end := bytes.IndexByte(text, '\n') + 1
	if end == 0 {
		end = len(text)
	}

	y.again[last] = text[end:]
	if end == len(text) {
		y.again = y.again[:last]
	}
	y.line++
	return text[:end:end]
}

// back puts lines before everything else, to be read once more. It does not copy them.
func (y *yamlReader) back(lines []byte) {
	if len(lines) > 0 {
		y.again = append(y.again, lines)
		y.line -= countLines(lines)
	}
}

// countLines counts lines. The last one may have no line break.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// errTooLong is the error about a piece that is longer than mostPiece.
var errTooLong = fmt.Errorf("longer than %d MB, which is too long for YAML; take JSON instead (kubectl's -o json)", mostPiece>>20)

// document converts one document or, if it is long, begins to take it apart. The error is io.EOF if there is
// none left.
func (y *yamlReader) document() error {
	y.doc++
	from := y.line
	var text []byte
	for split := false; ; {
		line, err := y.next()
		if err != nil {
			return err
		}

		if line == nil && text == nil {
			return io.EOF
		}
		if line == nil {
			return y.whole(text, from)
		}

		// A document marker ends the text before it, unless that is only the preamble. The marker "---" also
		// begins the next document and is read once more, while "..." only ends one.
		if endsDocument(line) && (line[0] == '.' || !onlyPreamble(text)) {
			if line[0] == '-' {
				y.back(line)
			}
			return y.whole(text, from)
		}

		// Whether the document is a list that can be taken apart is checked once, when it gets too long for one
		// piece.
		text = append(text, line...)
		if len(text) > y.size && !split {
			if split = true; y.splits(text, from) {
				return nil
			}
		}

		if len(text) > mostPiece {
			return y.wrong(from, errTooLong)
		}
	}
}

// endsDocument reports whether a line is "---" or "...", alone or followed by something.
func endsDocument(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	return len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0
}

// onlyPreamble reports whether a text may precede the marker of its document: comments and directives.
func onlyPreamble(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

// whole converts a document in one piece. It skips an empty document.
func (y *yamlReader) whole(text []byte, from int) error {
	piece, err := y.convert(text, from)
	if err != nil || string(piece) == "null" {
		return err
	}

	if piece[0] != '{' {
		return y.wrong(from, fmt.Errorf("this is no object but %s; an object of Kubernetes has fields, like kind", nameOf(piece)))
	}
	if isCut(piece) {
		return y.wrong(from, errCut)
	}
	y.out.Write(piece)
	return y.out.WriteByte('\n')
}

// errCut is about a list that was cut off. The rest of such a list is valid YAML, and only the fields that
// kubectl writes after the entries show that a list is complete.
var errCut = errors.New("this list does not say its kind; kubectl writes that behind its entries, so that a part of the text seems to be missing")

// isCut reports whether a document is a list without a kind.
func isCut(piece []byte) bool {
	var fields struct{ Kind, Items json.RawMessage }
	return bytes.Contains(piece, []byte(`"items":[`)) && json.Unmarshal(piece, &fields) == nil && fields.Kind == nil && bytes.HasPrefix(fields.Items, []byte("["))
}

// convert turns a piece of YAML into JSON, with the parser that kubectl uses: it yields the same numbers, and
// the same texts for yes and no. from is the number of lines before the piece. Duplicate keys and aliases that
// inflate the text are errors. Text as kubectl writes it needs no parser. The result is valid until the next call.
func (y *yamlReader) convert(text []byte, from int) ([]byte, error) {
	if piece, ok := y.plain.JSON(text); ok {
		return piece, nil
	}
	if err := expandable(text); err != nil {
		return nil, y.wrong(from, err)
	}
	piece, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, y.wrong(from, err)
	}
	return piece, nil
}

// lineNumber matches line numbers in errors of the parser, and yamlPrefix the beginning of these errors.
var (
	lineNumber = regexp.MustCompile(`\bline (\d+)`)
	yamlPrefix = regexp.MustCompile(`^(error converting YAML to JSON: )?yaml: (unmarshal errors:\s*)?`)
)

// wrong returns an error about a piece of the text. from is the number of lines before the piece. The error
// names the document, and counts lines from the beginning of the text instead of the piece.
func (y *yamlReader) wrong(from int, err error) error {
	text := lineNumber.ReplaceAllStringFunc(yamlPrefix.ReplaceAllString(err.Error(), ""), func(s string) string {
		n, _ := strconv.Atoi(s[len("line "):])
		return fmt.Sprintf("line %d", n+from)
	})
	if !lineNumber.MatchString(text) {
		text = fmt.Sprintf("from line %d on: %s", from+1, text)
	}
	return fmt.Errorf("YAML document %d, %s", y.doc, text)
}

// nameOf says what kind of JSON a piece is that should be an object.
func nameOf(piece []byte) string {
	switch piece[0] {
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	}
	var n json.Number
	if json.Unmarshal(piece, &n) == nil {
		return "a number"
	}
	return "something else"
}
