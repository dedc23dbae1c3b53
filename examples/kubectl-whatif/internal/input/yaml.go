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
)

var (
	// yamlLine matches the first line of YAML behind comments: a document's mark, a directive, a
	// key in the form of Kubernetes, or an entry of a list. Everything else is left to the reader
	// of JSON, which recognizes messages of kubectl.
	yamlLine = regexp.MustCompile(`^(---(\s|$)|%[A-Z]|- |-$|["']?[a-z][A-Za-z0-9]*["']?\s*:(\s|$))`)
	// errorLine matches what kubectl writes if it fails, which looks like a key.
	errorLine = regexp.MustCompile(`^error:`)
)

// isYAML reports whether a text is YAML, by the first line of it that is no comment.
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

// Bounds of YAML. The parser takes sixty times the memory of its input, and twice as much
// for the smallest possible parts. With these bounds at most 600 MB are in use at any time,
// whatever the text is.
const (
	// wholeDocument is the most bytes of a document that the parser gets in one
	// piece. The list in a longer document is taken apart first, entry by entry.
	wholeDocument = 1 << 20
	// mostPiece is the most bytes of an entry, or of a document that holds no
	// list. An API server takes no object of more than 3 MB.
	mostPiece = 4 << 20
)

// yamlReader is YAML as a stream of JSON documents.
type yamlReader struct {
	in *bufio.Reader
	// out is the JSON that was not read yet, and err the error behind it.
	out bytes.Buffer
	err error
	// step writes the next part to out. Each step says which one is next.
	step func() error

	// again has texts to be read once more before in, the next of them last.
	again [][]byte
	// line counts the lines read so far, doc the documents.
	line int
	doc  int
	// size is wholeDocument, except in tests.
	size int
	// list is the list that is being taken apart.
	list list
}

// newYAML reads YAML from its beginning.
func newYAML(in *bufio.Reader) *yamlReader {
	y := &yamlReader{in: in, size: wholeDocument}
	y.step = y.document
	return y
}

// Read returns JSON, and converts as much YAML as that takes.
func (y *yamlReader) Read(p []byte) (int, error) {
	for y.out.Len() == 0 && y.err == nil {
		y.err = y.step()
	}
	if y.out.Len() > 0 {
		return y.out.Read(p)
	}
	return 0, y.err
}

// next returns the next line with its end, and nil at the end of the text.
func (y *yamlReader) next() ([]byte, error) {
	if len(y.again) > 0 {
		return y.nextAgain(), nil
	}

	var line []byte
	for {
		part, err := y.in.ReadSlice('\n')
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

// nextAgain returns the next line of the texts that are read once more. Its capacity ends with it, so
// that appending to it does not write into the next line.
func (y *yamlReader) nextAgain() []byte {
	last := len(y.again) - 1
	// The last line may have no end.
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

// back puts lines before everything else, to be read once more. It keeps them without a
// copy.
func (y *yamlReader) back(lines []byte) {
	if len(lines) > 0 {
		y.again = append(y.again, lines)
		y.line -= countLines(lines)
	}
}

// countLines counts lines, the last of which may have no end.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// errTooLong is the error about a piece that is longer than mostPiece.
var errTooLong = fmt.Errorf("longer than %d MB, which is too long for YAML; take JSON instead (kubectl's -o json)", mostPiece>>20)

// document converts one document, or begins to take it apart if it is long. The error
// is io.EOF if there is none left.
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

		// A document's mark ends the text before it, unless that is only its preamble. The mark "---" begins
		// the next document and is read once more, while "..." only ends one.
		if endsDocument(line) && (line[0] == '.' || !onlyPreamble(text)) {
			if line[0] == '-' {
				y.back(line)
			}
			return y.whole(text, from)
		}

		// Whether it is a list that can be taken apart is asked once, when it is too long for one piece.
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

// endsDocument reports whether a line is "---" or "...", alone or with something behind it.
func endsDocument(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	return len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0
}

// onlyPreamble reports whether a text may stand before the mark of its document:
// comments and directives.
func onlyPreamble(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

// whole converts a document in one piece. An empty document is passed over.
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

// errCut is about a list that was cut off. What is left of such a list is good YAML, and only
// the fields that kubectl writes behind the entries show that a list is whole.
var errCut = errors.New("this list does not say its kind; kubectl writes that behind its entries, so that a part of the text seems to be missing")

// isCut reports whether a document is a list without a kind.
func isCut(piece []byte) bool {
	var fields struct{ Kind, Items json.RawMessage }
	return bytes.Contains(piece, []byte(`"items":[`)) && json.Unmarshal(piece, &fields) == nil && fields.Kind == nil && bytes.HasPrefix(fields.Items, []byte("["))
}

// convert turns a piece of YAML into JSON, by the parser that kubectl uses: the same numbers,
// the same texts for yes and no. from is the number of lines before it. Keys given twice
// and aliases that blow the text up are errors.
func (y *yamlReader) convert(text []byte, from int) ([]byte, error) {
	if err := expandable(text); err != nil {
		return nil, y.wrong(from, err)
	}
	piece, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, y.wrong(from, err)
	}
	return piece, nil
}

// lineNumber matches the numbers of lines in errors of the parser, yamlPrefix what begins them.
var (
	lineNumber = regexp.MustCompile(`\bline (\d+)`)
	yamlPrefix = regexp.MustCompile(`^(error converting YAML to JSON: )?yaml: (unmarshal errors:\s*)?`)
)

// wrong is an error about a piece of the text. from is the number of lines before the piece. The error names
// the document, and counts lines from the beginning of the text and not of the piece.
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

// nameOf says what a piece of JSON is that should be an object.
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
