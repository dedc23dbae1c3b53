package input

import (
	"bytes"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// Bounds of YAML. The parser takes sixty times the memory of its input, and twice as much if the input consists
// of the smallest possible parts. With these bounds at most 600 MB are in use at any time, whatever the text.
const (
	// wholeDocument is the most bytes of a document that are parsed in one piece. A list in a longer document
	// is taken apart first, entry by entry.
	wholeDocument = 1 << 20
	// mostPiece is the most bytes of an entry, or of a document without a list. An API server takes no object
	// of more than 3 MB.
	mostPiece = 4 << 20
)

// anchor matches what may be an anchor. Without an anchor there is no alias.
var anchor = regexp.MustCompile(`(?m)(^|[\s\[{,:?-])&[^\s,\[\]{}]`)

// expandable refuses a text that its aliases would make longer than a piece may be, because a few lines can
// expand to more than any memory holds. Texts that cannot be parsed are left to the parser, which reports them.
func expandable(text []byte) error {
	if !bytes.Contains(text, []byte("*")) || !anchor.Match(text) {
		return nil
	}
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil {
		return nil
	}
	if sizes := (sizes{}); sizes.sizeOf(&root) > mostPiece {
		return fmt.Errorf("its aliases make more than %d MB of it", mostPiece>>20)
	}
	return nil
}

// sizes caches the sizes of nodes.
type sizes map[*yaml.Node]int

// sizeOf returns the approximate number of bytes of a node with its aliases expanded. Anything longer than
// mostPiece counts as mostPiece+1.
func (s sizes) sizeOf(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := s[n]; known {
		return size
	}

	// A node that asks for this size before it is known is part of this one, by an alias to itself, and would
	// expand without end.
	s[n] = mostPiece + 1
	size := len(n.Value) + 4
	for _, part := range n.Content {
		if size = min(size+s.sizeOf(part), mostPiece+1); size > mostPiece {
			break
		}
	}
	s[n] = size
	return size
}
