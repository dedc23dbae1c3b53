package apis

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// MostProblems is the most problems of an input that are kept.
const MostProblems = 1000

// Path is a field's place in its object, kept as a chain so that text is only
// built for problems. A nil Path is the object itself.
type Path struct {
	parent *Path
	// Name is the field's name; Index its place in a list, -1 for a field that has a
	// name.
	Name  string
	Index int
}

// Field is the place of a field below p.
func (p *Path) Field(name string) Path { return Path{parent: p, Name: name, Index: -1} }

// At is the place of an element of the list p.
func (p *Path) At(i int) Path { return Path{parent: p, Index: i} }

// String returns the place as in "spec.containers[0].resources".
func (p *Path) String() string {
	if p == nil {
		return ""
	}
	head := p.parent.String()
	switch {
	case p.Index >= 0:
		return head + "[" + strconv.Itoa(p.Index) + "]"
	case head == "":
		return p.Name
	}
	return head + "." + p.Name
}

// LimitPath is the field of a CSINode with the most volumes of the driver.
func LimitPath(driver string) *Path {
	return &Path{Name: "(csinode).spec.drivers[" + driver + "].allocatable.count", Index: -1}
}

// Quote shows a text from the input, cut where it is long.
func Quote(s string) string {
	const most = 80
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return strconv.Quote(s)
}

// SortedKeys returns the keys of m in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
