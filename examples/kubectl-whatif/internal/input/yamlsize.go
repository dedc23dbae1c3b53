package input

import (
	"bytes"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// anchor matches what may be an anchor, without which there is no alias.
var anchor = regexp.MustCompile(`(?m)(^|[\s\[{,:?-])&[^\s,\[\]{}]`)

// expandable refuses a text whose aliases make it longer than a piece may be: a
// few lines can stand for more than any memory holds. Texts that cannot be read
// are left to the parser, which reports them.
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

// sizes has the sizes of nodes that were looked at.
type sizes map[*yaml.Node]int

// sizeOf is the approximate number of bytes of a node with its aliases written out.
// Anything longer than mostPiece counts as one byte more than that.
func (s sizes) sizeOf(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := s[n]; known {
		return size
	}

	// Whoever asks for the size of this node until it is known is part of it, by an alias to itself, and
	// has no end.
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
