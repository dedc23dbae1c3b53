package apis

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// MostProblems is the largest number of problems of an input that are kept.
const MostProblems = 1000

// Path is the place of a field in its object. It is a chain of steps, so that its text is only built when there
// is a problem to report. A nil Path is the object itself.
type Path struct {
	parent *Path
	// Name is the name of a field, empty for an element of a list. Index is the index of an element in its
	// list, -1 for a field.
	Name  string
	Index int
}

// Field returns the place of a field below p.
func (p *Path) Field(name string) Path { return Path{parent: p, Name: name, Index: -1} }

// At returns the place of an element of the list p.
func (p *Path) At(i int) Path { return Path{parent: p, Index: i} }

// String returns the place in a form such as "spec.containers[0].resources".
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

// LimitPath returns the place of the field of a CSINode that limits the volumes of a driver.
func LimitPath(driver string) *Path {
	return &Path{Name: "(csinode).spec.drivers[" + driver + "].allocatable.count", Index: -1}
}

// Quote returns a text from the input in quotes. A long text is cut after its beginning.
func Quote(s string) string {
	const most = 80
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return strconv.Quote(s)
}

// SortedKeys returns the keys of m, sorted.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
