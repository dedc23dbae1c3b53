package input

import (
	"bytes"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// anchor finds a possible anchor; an alias needs one.
var anchor = regexp.MustCompile(`(?m)(^|[\s\[{,:?-])&[^\s,\[\]{}]`)

// expandable refuses a text whose aliases make it longer than a piece may be: a
// few lines can stand for more than any memory holds. Texts that cannot be read
// are left to the parser, to complain of.
func expandable(text []byte) error {
	if !bytes.Contains(text, []byte("*")) || !anchor.Match(text) {
		return nil
	}
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil {
		return nil
	}
	if sizes := (sizes{}); sizes.of(&root) > mostPiece {
		return fmt.Errorf("its aliases make more than %d MB of it", mostPiece>>20)
	}
	return nil
}

// sizes knows those of nodes that were looked at.
type sizes map[*yaml.Node]int

// of is the approximate number of bytes of a node with its aliases written out;
// anything beyond mostPiece is only known to be more.
func (s sizes) of(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := s[n]; known {
		return size
	}
	s[n] = mostPiece + 1 // an alias of itself
	size := len(n.Value) + 4
	for _, part := range n.Content {
		if size = min(size+s.of(part), mostPiece+1); size > mostPiece {
			break
		}
	}
	s[n] = size
	return size
}
