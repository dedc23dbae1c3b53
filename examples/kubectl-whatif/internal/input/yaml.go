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

// YAML begins, after comments, with a document's mark, a directive, a key in the
// form of Kubernetes, or an entry of a list. Everything else is left to the
// reader of JSON, which recognizes messages of kubectl.
var (
	yamlLine = regexp.MustCompile(`^(---(\s|$)|%[A-Z]|- |-$|["']?[a-z][A-Za-z0-9]*["']?\s*:(\s|$))`)
	// kubectl writes "error: ..." where it fails.
	errorLine = regexp.MustCompile(`^error:`)
)

// isYAML looks at the beginning of a text.
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

// Bounds of YAML, whose parser takes sixty times the memory of its input, and
// twice that for the smallest possible parts. So at most 600 MB are in use at any
// time, whatever the text is.
const (
	// wholeDocument is the most bytes of a document that the parser gets in one
	// piece; the list in a longer one is taken apart first, entry by entry.
	wholeDocument = 1 << 20
	// mostPiece is the most bytes of an entry, or of a document that holds no
	// list. An API server takes no object of more than 3 MB.
	mostPiece = 4 << 20
)

// yamlReader is YAML as a stream of JSON documents.
type yamlReader struct {
	in   *bufio.Reader
	out  bytes.Buffer // the part that was not read yet
	err  error        // the error after that
	step func() error // writes the next part to out

	again [][]byte // texts to be read once more before in, the next of them last
	line  int      // lines read so far
	doc   int      // documents so far
	size  int      // wholeDocument, but in tests
	list  list     // the list that is being taken apart
}

func newYAML(in *bufio.Reader) *yamlReader {
	y := &yamlReader{in: in, size: wholeDocument}
	y.step = y.document
	return y
}

// Read converts as much as it needs.
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
	if last := len(y.again) - 1; last >= 0 {
		text := y.again[last]
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		if y.again[last] = text[end:]; end == len(text) {
			y.again = y.again[:last]
		}
		y.line++
		return text[:end:end], nil
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

// back puts lines before everything else, to be read once more. It keeps them without a
// copy.
func (y *yamlReader) back(lines []byte) {
	if len(lines) > 0 {
		y.again = append(y.again, lines)
		y.line -= countLines(lines)
	}
}

func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

var errTooLong = fmt.Errorf("longer than %d MB, which is too long for YAML; take JSON instead (kubectl's -o json)", mostPiece>>20)

// document converts one document, or begins to take it apart where it is long. The error
// is io.EOF where there is none left.
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
		if endsDocument(line) && (line[0] == '.' || !onlyPreamble(text)) {
			if line[0] == '-' {
				y.back(line)
			}
			return y.whole(text, from)
		}
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

// whole converts a document in one piece. Nothing comes of an empty one.
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

// errCut is about a list that was cut off. The rest of one is good YAML, and only
// the fields that kubectl writes behind the entries show that it is whole.
var errCut = errors.New("this list does not say its kind; kubectl writes that behind its entries, so that a part of the text seems to be missing")

// isCut reports whether a document is a list without a kind.
func isCut(piece []byte) bool {
	var fields struct{ Kind, Items json.RawMessage }
	return bytes.Contains(piece, []byte(`"items":[`)) && json.Unmarshal(piece, &fields) == nil && fields.Kind == nil && bytes.HasPrefix(fields.Items, []byte("["))
}

// convert turns a piece of YAML that begins after so many lines into JSON, by the parser
// that kubectl uses: the same numbers, the same texts for yes and no. Keys given twice
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

var (
	lineNumber = regexp.MustCompile(`\bline (\d+)`)
	yamlPrefix = regexp.MustCompile(`^(error converting YAML to JSON: )?yaml: (unmarshal errors:\s*)?`)
)

// wrong names the document, and counts lines from the beginning of the text.
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
